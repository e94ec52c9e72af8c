"""AttnLRP and CP-LRP equal `lxt`, the authors' package, where it still runs on today's
transformers.

It patches classes for good, so each case runs in a process of its own, forked from one that has
imported both packages and made nothing. Its modules for BERT (which needs
what transformers has removed) and for torchvision are left out, and the table of attention
functions that it makes gets the one method that today's models call. What is left differs by its
stabiliser of 1e-10, and by norms in float32.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from babelscope.propagation.rules import rules
from bare import made, relevance

CHILD = """
import importlib, os, sys, types, torch
support, folder, *cases = sys.argv[1:]
sys.path.insert(0, support)
stubs = {"bert": ("modeling_bert", "attnLRP"), "vit_torch": ("vision_transformer", "cp_LRP")}
for name, parts in stubs.items():
    stub = types.ModuleType(f"lxt.efficient.models.{name}")
    for part in parts:
        setattr(stub, part, None)
    sys.modules[stub.__name__] = stub
sys.modules["lxt.efficient.zennit_patches"] = patches = types.ModuleType("patches")
patches.monkey_patch_zennit = None
from lxt.efficient import monkey_patch
from bare import made, relevance
torch.set_num_threads(1)
class Functions(dict):
    get_interface = dict.get
def save(architecture, rule, out):
    model, embedded = made(architecture, biased=True)
    modeling = importlib.import_module(type(model.hf).__module__)
    ours = importlib.import_module(f"lxt.efficient.models.{architecture}")
    model.hf.set_attn_implementation("eager")
    monkey_patch(modeling, {"attnlrp": ours.attnLRP, "cp_lrp": ours.cp_LRP}[rule])
    modeling.ALL_ATTENTION_FUNCTIONS = Functions(modeling.ALL_ATTENTION_FUNCTIONS)
    torch.save(relevance(model, embedded), out)
for case in cases:
    pid = os.fork()
    if pid == 0:
        save(*case.split("/"), f"{folder}/{case.replace('/', '-')}.pt")
        sys.exit(0)
    os.waitpid(pid, 0)
"""
CASES = [
    ("llama", "attnlrp"),
    ("qwen2", "attnlrp"),
    ("qwen3", "attnlrp"),
    ("gemma3", "attnlrp"),
    ("gpt2", "attnlrp"),
    ("llama", "cp_lrp"),
    ("gpt2", "cp_lrp"),
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of lxt's logits and relevances, a file for each case, and what was printed."""
    if importlib.util.find_spec("lxt") is None:
        pytest.skip("lxt is not installed (make installs it without its own requirements)")
    folder = tmp_path_factory.mktemp("lxt")
    support = Path(__file__).parents[1] / "support"
    cases = ["/".join(case) for case in CASES]
    command = [sys.executable, "-c", CHILD, str(support), str(folder), *cases]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return folder, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("architecture", "rule"), CASES)
def test_propagation_equals_lxt(saved: tuple[Path, str], architecture: str, rule: str) -> None:
    folder, printed = saved
    file = folder / f"{architecture}-{rule}.pt"
    assert file.exists(), printed[-2000:]
    logits, theirs = torch.load(file)
    model, embedded = made(architecture, biased=True)
    model.hf.set_attn_implementation("eager")
    with rules(model, rule):
        same, ours = relevance(model, embedded)
    torch.testing.assert_close(same, logits, rtol=0, atol=1e-6)
    size = float(theirs.abs().max())
    assert size > 1e-2
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-7 * size)
