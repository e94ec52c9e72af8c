"""What `slalom` does with texts and models that give it little or nothing: a flag or one clear
line, never a silent zero.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.explain import explain
from babelscope.methods.slalom.corpus import explain_function
from babelscope.model.load import Model, load
from babelscope.training.small import make_tokenizer
from conftest import TEXTS, tiny
from zoo import build

WORDS = sorted({word for text in TEXTS for word in text.split()})


@pytest.fixture(scope="module")
def reader_of_512() -> Model:
    """A model with 512 places, of one layer and width 32."""
    tokenizer = make_tokenizer("bert", TEXTS, 400, 512)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=512, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    hf = BertForSequenceClassification(config).double().eval()
    with torch.no_grad():
        for weight in hf.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.3)
    return load((hf, tokenizer))


@pytest.mark.slow
def test_two_thousand_tokens_on_a_model_of_512(reader_of_512: Model) -> None:
    """Cut to what the model reads, or explained in windows; both are flagged or numbered, and no
    score is undefined.
    """
    generator = np.random.default_rng(0)
    text = " ".join(generator.choice(WORDS, 2000))
    (cut,) = explain(reader_of_512, text, "slalom")
    assert cut.flags[0].startswith("truncated to 512 of ")
    assert int(cut.flags[0].split(" of ")[1].split()[0]) >= 2002
    assert len(cut.scores) == 510
    assert np.isfinite(cut.scores).all()
    assert sum(cut.scores) == pytest.approx(cut.details["surrogate_value"], abs=1e-6)
    windows = explain(reader_of_512, text, "slalom", options={"samples": 200}, long="window")
    assert len(windows) >= 4
    assert all(len(one.scores) <= 510 and np.isfinite(one.scores).all() for one in windows)
    assert windows[-1].offsets[-1][1] == len(text)


def test_one_word_two_thousand_times(reader_of_512: Model) -> None:
    (one,) = explain(reader_of_512, "lovely " * 2000, "slalom")
    assert any("one distinct unit" in flag for flag in one.flags)
    assert one.flags[0].startswith("truncated")
    np.testing.assert_allclose(one.scores, one.value / len(one.tokens), atol=1e-12)


def test_one_answer_that_is_not_finite_stops_the_model_and_is_named() -> None:
    """The text itself has a finite answer; a single one of the short texts that are asked about
    has not.
    """
    base = tiny("bert")
    model = Model(copy.deepcopy(base.hf), base.tokenizer, "lossy", base.task)

    def spoil(module: Any, args: Any, given: dict[str, Any], output: Any) -> Any:
        short = given["attention_mask"].sum(dim=1) == 4
        output.logits[torch.nonzero(short)[:1].flatten()] = torch.nan
        return output

    explain(model, TEXTS[0], "slalom")
    model.hf.register_forward_hook(spoil, with_kwargs=True)
    for design in ("mix", "exact"):
        with pytest.raises(UnsupportedModel, match="lossy returned logits that are not finite"):
            explain(model, TEXTS[0], "slalom", options={"design": design})


def test_a_function_that_loses_answers_says_so() -> None:
    def lost(texts: list[str]) -> list[float]:
        return [np.nan if text == "good" else 0.4 + 0.1 * ("good" in text) for text in texts]

    (one,) = explain_function(lost, "a good one", options={"samples": 200})
    assert any("1 answer(s) were not finite" in flag for flag in one.flags)
    with pytest.raises(InputError, match="exact design"):
        explain_function(lost, "a good one", options={"design": "exact"})


@pytest.mark.parametrize(
    "labels", [None, {"well": "good", "fed": "food"}], ids=["next token", "labels"]
)
def test_a_state_space_model_is_explained(labels: dict[str, str] | None) -> None:
    """In the exact design a token's value is the model's own answer to it alone: a plain call,
    without our inference.
    """
    model = build("mamba", "text-generation", verbalizer=labels)
    exact = {"design": "exact", "score": "value"}
    (one,) = explain(model, TEXTS[0], "slalom", quantity="logit", options=exact)
    ids = model.tokenizer(TEXTS[0], add_special_tokens=False)["input_ids"]
    assert len(ids) == len(one.tokens)
    with torch.no_grad():
        alone = torch.stack(
            [model.hf(input_ids=torch.tensor([[token]])).logits[0, -1] for token in ids]
        )
    if labels is None:
        wanted = alone[:, one.target_index]
    else:
        wanted = alone[
            :, model.tokenizer(f" {labels[one.target]}", add_special_tokens=False)["input_ids"][0]
        ]
    np.testing.assert_allclose(one.scores, wanted.double(), atol=1e-4)
    both = explain(model, TEXTS[:2], "slalom")
    (single,) = explain(model, TEXTS[0], "slalom")
    np.testing.assert_allclose(single.scores, both[0].scores, atol=1e-4)
    assert sum(single.scores) == pytest.approx(single.details["surrogate_value"], abs=1e-6)
