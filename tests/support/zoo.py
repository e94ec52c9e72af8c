"""One tiny model per architecture and task, in float64, with a tokenizer of its kind."""

from __future__ import annotations

from functools import cache

import transformers as hf

from architectures import MODELS, ROUGH, build_hf
from babelscope.model.load import Model, load
from babelscope.training.small import make_tokenizer
from conftest import PAIRS, TEXTS

__all__ = ["LABELS", "MODELS", "ROUGH", "build", "main_task", "shared"]
LABELS = ("O", "name", "place")
SPECIALS = ("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id")

HEADS = {
    "text-classification": hf.AutoModelForSequenceClassification,
    "question-answering": hf.AutoModelForQuestionAnswering,
    "token-classification": hf.AutoModelForTokenClassification,
    "text-generation": hf.AutoModelForCausalLM,
    "text2text-generation": hf.AutoModelForSeq2SeqLM,
    "multiple-choice": hf.AutoModelForMultipleChoice,
}


def main_task(name: str) -> str:
    """Classification, but for a state-space model, which has no such head."""
    return "text-generation" if name == "mamba" else "text-classification"


def build(
    name: str, task: str, *, biased: bool = True, verbalizer: dict[str, str] | None = None
) -> Model:
    """A fresh model with weights that matter; unbiased: no biases and no additive embeddings."""
    tokenizer = make_tokenizer(
        MODELS[name][0], [*TEXTS, *(text for pair in PAIRS for text in pair)], 400
    )
    labels = LABELS if task != "question-answering" else ("start", "end")
    names = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: at for at, label in enumerate(labels)},
    }
    padding = {
        "pad_token_id": tokenizer.pad_token_id,
        "decoder_start_token_id": tokenizer.pad_token_id,
    }
    ends = {special: getattr(tokenizer, special) for special in SPECIALS}
    settings = {"vocab_size": len(tokenizer), **names, **padding, **ends}
    model = build_hf(HEADS[task], name, settings, seed=3, spread=0.25, biased=biased)
    return load((model, tokenizer), task=task, verbalizer=verbalizer)


@cache
def shared(name: str, task: str) -> Model:
    """The same for every test that leaves it as it is."""
    return build(name, task)
