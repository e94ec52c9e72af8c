"""Translation models explain their answers through the same path as decoders."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from babelscope.methods.answers import explain_answers
from babelscope.methods.explain import explain
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.training.small import make_tokenizer
from babelscope.types import Example, Prompt
from conftest import TEXTS

SIZES: dict[str, Any] = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
    "max_position_embeddings": 128,
}  # fmt: skip
CONFIGS = {"marian": hf.MarianConfig, "m2m_100": hf.M2M100Config, "mbart": hf.MBartConfig}
FORCED = ("m2m_100", "mbart")
"""NLLB is a M2M100 as well; their answers begin with the code of a language."""
TEXT = "the food was not good"
TOLERANCE = 0.02


@cache
def translator(name: str, labels: bool = False) -> Model:
    tokenizer = make_tokenizer("xlm-roberta", list(TEXTS), 200)
    torch.manual_seed(4)
    config = CONFIGS[name](
        **SIZES, vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id, decoder_start_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    model = hf.AutoModelForSeq2SeqLM.from_config(config).double().eval()
    with torch.no_grad():
        for path, weight in model.named_parameters():
            if weight.ndim > 1 and "position" not in path:
                weight.normal_(0, 0.1)
    if name in FORCED:
        model.generation_config.forced_bos_token_id = 7
    words = {"good": "good", "bad": "not good"}
    prompt = Prompt("the film: {text} was", labels=words if labels else {})
    return load((model, tokenizer), task="text2text-generation", prompt=prompt)


@pytest.mark.parametrize("name", CONFIGS)
def test_an_answer_is_that_of_the_models_own_call(name: str) -> None:
    model = translator(name)
    (one,) = explain_answers(
        model, TEXT, "integrated_gradients", answers=["no rain"], options={"tolerance": TOLERANCE},
        lang="en",
    )  # fmt: skip
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    assert row.decoder == 1 + (name in FORCED)
    (ids,) = one.whole.input.continuations
    start = len(row.ids) - row.decoder
    with torch.no_grad():
        logits = model.hf(
            input_ids=torch.from_numpy(row.ids[:start])[None],
            decoder_input_ids=torch.tensor([[*row.ids[start:], *ids]]),
        ).logits[0]
    logs = torch.log_softmax(logits.double(), dim=-1)
    own = [float(logs[row.decoder - 1 + at, token]) for at, token in enumerate(ids)]
    np.testing.assert_allclose([each.value for each in one.by_token], own, atol=1e-6)
    assert one.words == tuple(TEXT.split())
    assert one.whole.value == pytest.approx(sum(own), abs=1e-6)
    gap = TOLERANCE * (len(ids) + 1)
    np.testing.assert_allclose(np.sum(one.matrix, axis=0), one.whole.word_scores, atol=gap)
    total = sum(one.whole.scores)
    assert total == pytest.approx(one.whole.value - one.whole.reference_value, abs=TOLERANCE)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_models_own_answer_is_greedy(name: str) -> None:
    model = translator(name)
    (one,) = explain_answers(model, TEXT, "occlusion", tokens=3, lang="en")
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    start = len(row.ids) - row.decoder
    after = row.ids[start:].tolist()
    for token in one.whole.input.continuations[0]:
        with torch.no_grad():
            logits = model.hf(
                input_ids=torch.from_numpy(row.ids[:start])[None],
                decoder_input_ids=torch.tensor([after]),
            ).logits[0, -1]
        assert int(logits.argmax()) == token
        after.append(token)


@pytest.mark.parametrize("name", CONFIGS)
def test_labels_of_several_tokens(name: str) -> None:
    model = translator(name, labels=True)
    assert any(len(ids) > 1 for words in model.verbalizer.values() for ids in words)
    (one,) = explain(model, TEXT, "occlusion", lang="en")
    assert one.quantity == "log_odds"
    assert np.isfinite(one.scores).all()
    p = one.probability
    assert one.value == pytest.approx(np.log(p) - np.log(1 - p), abs=1e-9)
