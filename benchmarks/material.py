"""What the benchmarks run on: texts in several languages and models that have something to explain.

With the folder of public data (`shared` beside the repository, or $BABELSCOPE_SHARED) these are
SIB-200 sentences and the small real encoder that lies there, fine-tuned on English SIB-200; without it,
the built-in reviews and a small model trained on them. Trained models are kept in the user's cache.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from babelscope import corpus
from babelscope.model.load import Model, load
from babelscope.store import key
from babelscope.training import small
from babelscope.training.cache import cache_folder
from babelscope.training.finetune import Recipe, finetune, fingerprint
from babelscope.types import Example
from benchmarks.decoders import PROMPTS, texts

SHARED = Path(os.environ.get("BABELSCOPE_SHARED") or Path(__file__).resolve().parents[2] / "shared")
SIB = {"en": "eng_Latn", "es": "spa_Latn", "hi": "hin_Deva", "ar": "arb_Arab", "zh": "zho_Hans"}
TUNING = Recipe(learning_rate=3e-4, epochs=4, batch=32, freeze_embeddings=True)
SCRATCH = Recipe(learning_rate=5e-4, epochs=6, batch=32)


@dataclass(frozen=True, slots=True)
class Material:
    """What is here to run on, in words for the page."""

    real: bool
    texts: str
    model: str
    about: str


def material() -> Material:
    """The public data and its model if they are here, else the built-in corpus and a model trained
    on it.
    """
    if (SHARED / "data" / "sib200").is_dir() and (SHARED / "models" / "mini-multilingual").is_dir():
        about = "XLM-R of 4 layers and width 256, pretrained on 22 languages, fine-tuned on English SIB-200"
        return Material(
            True, "SIB-200 test sentences in en, es, hi, ar, zh", "mini-multilingual", about
        )
    about = "XLM-R of 4 layers and width 256, trained on the built-in reviews"
    return Material(
        False,
        "built-in reviews in en, es, hi, ar, zh (the folder of public data is absent)",
        "XLM-R 4 x 256",
        about,
    )


def examples(lang: str, split: str, count: int | None = None) -> list[Example]:
    if not material().real:
        return corpus.sentiment(
            lang, split, count or {"train": 300, "dev": 100, "test": 200}[split]
        )
    path = SHARED / "data" / "sib200" / SIB[lang] / f"{split}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Example(f"{lang}-{row['index_id']}", (row["text"],), lang, row["index_id"], row["category"])
        for row in rows[:count]
    ]


def mixed(count: int) -> list[Example]:
    """That many test texts, the languages in turn."""
    each = -(-count // len(SIB))
    return [row for rows in zip(*(examples(lang, "test", each) for lang in SIB)) for row in rows][
        :count
    ]


@cache
def multilingual() -> Model:
    """The trained multilingual classifier."""
    train, dev = examples("en", "train"), examples("en", "dev")
    if material().real:
        return _tuned(SHARED / "models" / "mini-multilingual", train, dev, TUNING)
    train += [row for lang in SIB if lang != "en" for row in examples(lang, "train")]
    return _tuned(_made("xlm-roberta", train, layers=4, width=256), train, dev, SCRATCH)


@cache
def monolingual() -> Model:
    """A BERT from scratch on the built-in English reviews, as in the demo."""
    train, dev = corpus.sentiment("en", "train", 5000), corpus.sentiment("en", "dev", 200)
    return _tuned(_made("bert", train, layers=2, width=128), train, dev, SCRATCH)


@cache
def six_layers() -> Model:
    """A BERT of 6 layers and width 128 from scratch on built-in English reviews."""
    train, dev = corpus.sentiment("en", "train", 2000), corpus.sentiment("en", "dev", 200)
    return _tuned(
        _made("bert", train, layers=6, width=128),
        train,
        dev,
        Recipe(learning_rate=5e-4, epochs=3, batch=32),
    )


WEIGHTS = Path(os.environ.get("BABELSCOPE_WEIGHTS") or cache_folder() / "weights")
"""Where folders of real pretrained models are, if there are any."""
DOWNLOADED = {
    "gte-small": "gte-small",
    "chineseharm-bert": "chinese-bert",
    "smollm2-135m-instruct": "smollm2-135m",
}
"""Their folders in the cache, where `make bench` and `make real` download them."""
REAL = {"gte-small": "en", "chineseharm-bert": "zh"}
"""Their names (12 layers of width 384 and 768) and the language of the texts that they read."""


def _weights(name: str) -> Path | None:
    places = (WEIGHTS / name, WEIGHTS / name / name, cache_folder() / "real" / DOWNLOADED[name])
    return next((place for place in places if (place / "config.json").exists()), None)


def classifiers() -> list[tuple[str, Model, list[Example]]]:
    """The multilingual classifier and the real 12-layer ones that are here, each with test texts
    that it reads. One without a head is fine-tuned on its language's SIB-200.
    """
    sides = [(material().model, multilingual(), mixed(200))]
    for name, lang in REAL.items():
        folder = _weights(name)
        if folder is None or not material().real:
            continue
        texts = examples(lang, "test")
        if name != "gte-small":
            sides.append((name, load(folder, name=name), texts))
            continue
        recipe = Recipe(learning_rate=2e-4, epochs=4, batch=16, freeze_embeddings=True)
        model = _tuned(folder, examples(lang, "train"), examples(lang, "dev"), recipe)
        sides.append((name, model, texts))
    return sides


PROMPTED = "smollm2-135m-instruct"
"""A real decoder of 30 layers, as a classifier of reviews by its answer in a chat."""


def prompted(count: int) -> list[tuple[str, Model, list[Example]]]:
    """The decoder, if it is here, with the shortest test sentences of SST-2."""
    folder = _weights(PROMPTED)
    if folder is None or not material().real:
        return []
    model = load(folder, name=PROMPTED, dtype="float32", prompt=PROMPTS["sentiment"])
    return [(PROMPTED, model, texts("sentiment", SHARED / "data", "en", count))]


def absent(*more: str) -> str:
    """Which real models are not here, as a line for the page."""
    missing = [name for name in (*REAL, *more) if _weights(name) is None]
    if not missing:
        return ""
    return f"\nNot measured, as their weights are not here (BABELSCOPE_WEIGHTS): {', '.join(missing)}.\n"


def untrained(architecture: str, texts: Sequence[Example], *, layers: int, width: int) -> Model:
    """A model that is only good for timing."""
    tokenizer = small.make_tokenizer(
        architecture, [text for row in texts for text in row.texts], 8000
    )
    torch.manual_seed(0)
    return load(
        (
            small.make_model(
                architecture, tokenizer, ["a", "b"], layers=layers, width=width
            ).eval(),
            tokenizer,
        )
    )


def _made(architecture: str, rows: Sequence[Example], *, layers: int, width: int) -> Path:
    name = key(
        {
            "benchmark base": architecture,
            "layers": layers,
            "width": width,
            "rows": fingerprint(rows),
        }
    )[:24]
    folder = cache_folder() / "models" / f"bench-{name}-base"
    if not (folder / "config.json").exists():
        labels = sorted({str(row.label) for row in rows})
        small.make(
            folder,
            architecture,
            [text for row in rows for text in row.texts],
            labels,
            layers=layers,
            width=width,
        )
    return folder


def _tuned(base: Path, train: Sequence[Example], dev: Sequence[Example], recipe: Recipe) -> Model:
    identity = {
        "benchmark": 1,
        "base": base.name,
        "recipe": str(recipe),
        "train": fingerprint(train),
        "dev": fingerprint(dev),
    }
    folder = cache_folder() / "models" / f"bench-{key(identity)[:24]}"
    return load(finetune(base, train, dev, folder, recipe), name=base.name)
