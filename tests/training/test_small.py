"""Small models from scratch, and how models are loaded."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertModel, pipeline

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.methods.explain import (
    explain,
)
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.training.small import ARCHITECTURES, make, make_tokenizer
from conftest import TEXTS, tiny

KINDS = ("bert", "xlm-roberta", "gpt2")
SCRIPT = """
import hashlib, sys
from babelscope.training.tokenizers import make_tokenizer
for kind in sys.argv[1].split():
    made = make_tokenizer(kind, sys.argv[2:], 300).backend_tokenizer.to_str()
    print(kind, hashlib.sha256(made.encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_same_texts_give_the_same_tokenizer_in_any_process() -> None:
    command = [sys.executable, "-c", SCRIPT, " ".join(KINDS), *TEXTS]
    other = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    here = [make_tokenizer(kind, TEXTS, 300).backend_tokenizer.to_str() for kind in KINDS]
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in here]
    assert other.splitlines() == [f"{kind} {digest}" for kind, digest in zip(KINDS, digests)]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_made_model_loads_and_explains(tmp_path: Path, architecture: str) -> None:
    make(
        tmp_path / "m",
        architecture,
        TEXTS,
        ["negative", "positive"],
        layers=1,
        width=32,
        vocabulary=300,
    )
    with pytest.raises(UntrainedHead, match="never trained"):
        load(tmp_path / "m")
    model = load(tmp_path / "m", allow_untrained_head=True)
    assert model.labels == ("negative", "positive")
    assert model.task == "text-classification"
    (one,) = explain(model, TEXTS[0], "input_x_gradient")
    assert one.words == tuple(TEXTS[0].split())


def test_what_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'elmo' is not one of"):
        make(tmp_path / "m", "elmo", TEXTS, ["a", "b"])
    with pytest.raises(InputError, match="multiple of 32"):
        make(tmp_path / "m", "bert", TEXTS, ["a", "b"], width=50)
    assert not (tmp_path / "m").exists()


def test_a_model_comes_from_a_folder_a_pipeline_or_a_pair(tmp_path: Path) -> None:
    made = make(
        tmp_path / "m",
        "xlm-roberta",
        TEXTS,
        ["negative", "positive"],
        layers=1,
        width=32,
        vocabulary=300,
    )
    folder = load(str(made), allow_untrained_head=True)
    line = load(pipeline("text-classification", model=str(made)))
    pair = load((folder.hf, folder.tokenizer))
    found = [explain(model, TEXTS[0], "occlusion")[0].scores for model in (folder, line, pair)]
    assert found[0] == pytest.approx(found[1], abs=1e-6)
    assert found[0] == found[2]
    assert folder.fingerprint == line.fingerprint == pair.fingerprint
    with pytest.raises(InputError, match="cannot load a model from int"):
        load(3)
    with pytest.raises(InputError, match="task 'poetry'"):
        load(str(made), task="poetry")


def test_a_new_weight_is_a_new_fingerprint() -> None:
    model = tiny("bert")
    import copy

    other = Model(copy.deepcopy(model.hf), model.tokenizer, "other", model.task)
    assert other.fingerprint == model.fingerprint
    third = Model(copy.deepcopy(model.hf), model.tokenizer, "other", model.task)
    with torch.no_grad():
        third.hf.classifier.bias[0] += 1e-12
    assert third.fingerprint != model.fingerprint


def test_a_base_checkpoint_has_no_head_to_explain(tmp_path: Path) -> None:
    tokenizer = make_tokenizer("bert", TEXTS, 300)
    base = BertModel(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=1,
            intermediate_size=32,
        )
    )
    base.save_pretrained(tmp_path / "base")
    tokenizer.save_pretrained(tmp_path / "base")
    with pytest.raises(UntrainedHead, match="classifier"):
        load(tmp_path / "base")
    assert load(tmp_path / "base", allow_untrained_head=True).labels == ("LABEL_0", "LABEL_1")
    with pytest.raises(UnsupportedModel, match="none of the classes"):
        load((base, tokenizer))


def test_labels_are_found_by_name_case_and_index(bert: Model) -> None:
    assert [bert.label_index(name) for name in ("positive", "Positive", "2", 2, "LABEL_2")] == [
        2
    ] * 5
    with pytest.raises(InputError, match="negative, neutral, positive"):
        bert.label_index("3")


def test_positions_and_limits_by_family() -> None:
    assert [tiny(name).first_position for name in ARCHITECTURES] == [0, 2, 0, 0]
    assert [tiny(name).limit for name in ARCHITECTURES] == [128] * 4
    assert [tiny(name).reads_last_token for name in ARCHITECTURES] == [False, False, False, True]


def test_independent_labels_use_the_sigmoid() -> None:
    import copy

    model = Model(
        copy.deepcopy(tiny("bert").hf), tiny("bert").tokenizer, "multi", "text-classification"
    )
    model.hf.config.problem_type = "multi_label_classification"
    (one,) = explain(model, TEXTS[0], "occlusion", target="positive", quantity="probability")
    (row,) = encode(model, as_examples(TEXTS[0]))
    logit = (
        model.hf(torch.from_numpy(row.ids)[None], token_type_ids=torch.from_numpy(row.types)[None])
        .logits[0, 2]
        .detach()
    )
    assert one.probability == one.value == pytest.approx(float(torch.sigmoid(logit)), abs=1e-9)
    regression = Model(
        copy.deepcopy(tiny("bert").hf), tiny("bert").tokenizer, "multi", "text-classification"
    )
    regression.hf.config.problem_type = "regression"
    (one,) = explain(regression, TEXTS[0], "occlusion", target="positive")
    assert one.value == pytest.approx(float(logit), abs=1e-9)
    assert math.isnan(one.probability)
