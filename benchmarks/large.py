"""How much memory an explanation and a metric take: a decoder of a billion weights in bfloat16 on a
CPU, and a TF-IDF classifier of scikit-learn.

    python -m benchmarks.large [--write] [METHOD ...] [LAYERS]

The decoder's weights are random and never written to a file. For each method the peak of the
resident memory is measured anew (VmHWM of Linux, which is set back before). With --write the
figures become the table in docs/models.md, by docs/large.json.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from transformers import LlamaConfig, LlamaForSequenceClassification

from babelscope.data import builtin
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.load import Model, load
from babelscope.training.small import make_tokenizer

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "large.json"
LAYERS = 16
"""Those of Llama 3.2 1B, as are the sizes below."""
TEXT = "The food was not good, but the room was lovely."
VOCABULARY = 128_256
METHODS: dict[str, dict[str, Any]] = {
    "occlusion": {},
    "gradient_norm": {},
    "input_x_gradient": {},
    "attnlrp": {},
    "integrated_gradients": {"nodes": 4, "tolerance": 1e6},
}
"""The methods with their options: random weights have no smooth path, and memory does not depend on
the number of nodes, so the path is integrated once.
"""


def llama(layers: int) -> Model:
    """Llama 3.2 1B with two classes and random weights, created in bfloat16."""
    tokenizer = make_tokenizer("gpt2", [TEXT], 400)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=layers,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=64,
        max_position_embeddings=2048,
        num_labels=2,
        id2label={0: "negative", 1: "positive"},
        pad_token_id=tokenizer.pad_token_id,
    )
    before = torch.get_default_dtype()
    torch.manual_seed(0)
    try:
        torch.set_default_dtype(torch.bfloat16)
        hf = LlamaForSequenceClassification(config).eval()
    finally:
        torch.set_default_dtype(before)
    return load((hf, tokenizer), name="llama-1b")


def tf_idf() -> Model:
    """A logistic regression on the built-in English reviews."""
    train = builtin.read("sentiment", "en", "train", 400)
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    pipeline.fit([row.texts[0] for row in train], [row.label for row in train])
    return load(pipeline, name="tf-idf")


def status(field: str) -> float:
    """A field of this process' memory, in GB: VmRSS, VmHWM (the peak)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024 / 1e9


def measured(model: str, step: str, work: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    """CPU seconds and peak memory of some work."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to the present memory
    start = time.process_time()
    result = work()
    row = {"model": model, "step": step, "seconds": round(time.process_time() - start, 1),
           "peak": round(status("VmHWM"), 2)}  # fmt: skip
    print(row, flush=True)
    return row, result


def explained(name: str, model: Model, method: str, options: dict[str, Any]) -> list[Any]:
    row, attributions = measured(
        name, method, lambda: explain(model, TEXT, method, options=options, lang="en")
    )
    again, (value,) = measured(
        name,
        f"comprehensiveness of {method}",
        lambda: measure(model, attributions, "comprehensiveness"),
    )
    flags = "; ".join(attributions[0].flags)
    return [row | {"note": flags}, again | {"note": f"{value.value:.3f}{value.reason}"}]


def keep(rows: list[dict[str, Any]]) -> None:
    """Writes the rows in the place of former ones of the same model and step, or behind them."""
    known = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else []
    table = {(row["model"], row["step"]): row for row in [*known, *rows]}
    FIGURES.write_text(json.dumps([*table.values()], indent=1) + "\n", "utf-8")


def main(write: bool, chosen: list[str], layers: int = LAYERS) -> None:
    rows = [measured("-", "imports", lambda: None)[0]]
    row, model = measured("TF-IDF", "load", tf_idf)
    rows += [row, *explained("TF-IDF", model, "occlusion", {})]
    rows += explained("TF-IDF", model, "kernel_shap", {})
    row, model = measured("Llama", "load", lambda: llama(layers))
    billions = sum(weight.numel() for weight in model.hf.parameters()) / 1e9
    rows.append(row | {"note": f"{billions:.2f} billion weights; {model.description}"})
    for method in chosen or METHODS:
        rows += explained("Llama", model, method, METHODS[method])
        if write:
            keep(rows)


if __name__ == "__main__":
    named = [each for each in sys.argv[1:] if each in METHODS]
    main("--write" in sys.argv, named, *(int(each) for each in sys.argv[1:] if each.isdigit()))
