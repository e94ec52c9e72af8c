"""Tiny models, built here, in float64; and the folder of real public data where it lies beside the checkout."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, BertForQuestionAnswering

from shapes import check_shapes

if "UNCHECKED_SHAPES" not in os.environ:  # deliberate faults are to be caught by laws, not by shapes
    check_shapes()

from babelscope.model.load import Model, load
from babelscope.training.small import ARCHITECTURES, make_model, make_tokenizer
from planted import planted_model

torch.set_num_threads(1)  # two threads are slower than one on models this small

TEXTS = [
    "the food was not good but the room was lovely",
    "a long and lovely evening with good friends and very good food in the old town",
    "no",
    "el hotel era bonito y la comida muy buena",
    "खाना बहुत अच्छा था लेकिन कमरा छोटा था",
    "الطعام كان لذيذا لكن الغرفة صغيرة",
    "这个酒店的房间很干净，但是早餐不好吃。",
]
PAIRS = [
    ("the food was good", "nobody liked the meal"),
    ("खाना अच्छा था", "किसी को खाना पसंद नहीं आया"),
]


@cache
def tiny(architecture: str, labels: tuple[str, ...] = ("negative", "neutral", "positive")) -> Model:
    """Two layers of two heads, width 64, weights large enough that every token matters, float64."""
    tokenizer = make_tokenizer(architecture, [*TEXTS, *(text for pair in PAIRS for text in pair)], 400)
    torch.manual_seed(7)
    hf = make_model(architecture, tokenizer, list(labels), layers=2, width=64).double().eval()
    with torch.no_grad():
        for name, weight in hf.named_parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.3 if "embedding" in name or "wte" in name else 0.25)
    return load((hf, tokenizer))


@cache
def tiny_reader() -> Model:
    """A BERT that answers questions by a span."""
    base = tiny("bert")
    torch.manual_seed(11)
    hf = BertForQuestionAnswering(base.hf.config).double().eval()
    with torch.no_grad():
        for weight in hf.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.25)
    return load((hf, base.tokenizer))


@pytest.fixture(scope="session")
def writers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of masked language models with the tokenizers of the tiny classifiers, by architecture."""
    found = {}
    for architecture in ("bert", "xlm-roberta"):
        base = tiny(architecture)
        torch.manual_seed(13)
        folder = tmp_path_factory.mktemp("writer") / architecture
        AutoModelForMaskedLM.from_config(base.hf.config).save_pretrained(folder)
        base.tokenizer.save_pretrained(folder)
        found[architecture] = str(folder)
    return found


@pytest.fixture(params=ARCHITECTURES)
def model(request: pytest.FixtureRequest) -> Model:
    return tiny(request.param)


@pytest.fixture
def bert() -> Model:
    return tiny("bert")


@pytest.fixture
def xlmr() -> Model:
    return tiny("xlm-roberta")


@pytest.fixture
def planted() -> Model:
    return planted_model()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real public data; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("BABELSCOPE_SHARED") or Path(__file__).parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip("the folder of public data (../shared or $BABELSCOPE_SHARED) is not here")
    return folder
