"""The models that come with the package, trained on the built-in corpus alone:

    python -m experiments.demo_models NEW_FOLDER

multilingual-short   the encoder of `babelscope pretrain multilingual-short`
demo                 that encoder, fine-tuned on reviews in all eight languages
demo-en              a small BERT, trained from scratch on English reviews

About 15 minutes on one core; an interrupted run resumes. With one thread and the same torch the
files are those of the package, to the byte (docs/models.md). To replace those of the package, copy the folder over
`src/babelscope/packaged`.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from babelscope.data import builtin
from babelscope.files import file_digest, write_text, writing_folder
from babelscope.model.tokenized import special_tokens_in_texts
from babelscope.random import keyed
from babelscope.training import small
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.pretrain import pretrain
from babelscope.training.recipes import RECIPES, SHIPPED, texts
from babelscope.types import Example
from experiments.demo_scores import scores

TASK = "sentiment"
LABELS = ("negative", "positive")
DEV = 300
"""Development examples per language."""
ENGLISH = {"layers": 2, "width": 96, "vocabulary": 1500}
"""Size of the English model."""
STAGES = (
    (2500, Recipe(learning_rate=1e-3, epochs=6, batch=64, freeze_embeddings=True)),
    (2500, Recipe(learning_rate=1e-3, epochs=3, batch=32)),
    (5000, Recipe(learning_rate=1e-3, epochs=2, batch=32)),
)
"""The multilingual model: training examples per language, and how they are trained on; first above
the embeddings, then all weights."""
ALONE = 8000
"""Training examples of the English model."""
FROM_SCRATCH = Recipe(learning_rate=1e-3, epochs=8, batch=32)


def build(folder: Path) -> None:
    """Trains the three models in `folder.work`, and writes them with their manifest."""
    if folder.exists():
        sys.exit(f"{folder} exists already; choose another folder")
    work = Path(f"{folder}.work")
    recipe, count = RECIPES[SHIPPED]
    if not (work / "encoder").exists():
        pretrain(texts(builtin.LANGUAGES, count), work / "encoder", recipe, progress=_print)
    rounded(work / "encoder", work / SHIPPED)
    with special_tokens_in_texts():  # the masks of erased words are tokens, not words
        rounded(multilingual(work), work / "demo")
        rounded(english(work), work / "demo-en")
    with writing_folder(folder) as part:
        for name in (SHIPPED, "demo", "demo-en"):
            shutil.copytree(work / name, part / name)
        write_text(part / "manifest.json", json.dumps(manifest(part), indent=1) + "\n")


def multilingual(work: Path) -> Path:
    """The encoder, fine-tuned in stages on reviews in all languages."""
    base = work / SHIPPED
    for stage, (count, settings) in enumerate(STAGES, 1):
        rows = reviews(builtin.LANGUAGES, count, "<mask>")
        base = finetune(base, *rows, work / f"stage-{stage}", settings, progress=_print)
    return base


def english(work: Path) -> Path:
    """The small BERT, trained on English reviews; its tokenizer on those without erased words."""
    train, dev = reviews(["en"], ALONE, "[MASK]")
    plain = [row.texts[0] for row in train if "[MASK]" not in row.texts[0]]
    if not (work / "new").exists():
        small.make(work / "new", "bert", plain, LABELS, **ENGLISH)
    return finetune(work / "new", train, dev, work / "english", FROM_SCRATCH, progress=_print)


def reviews(langs: Sequence[str], count: int, mask: str) -> tuple[list[Example], list[Example]]:
    """Training and development examples, every second one with words erased.

    Explanations are measured by erasing words. A model that has never read a text with erased words
    is as certain of its class without the evidence as with it; one that has read many is not.
    """
    train, dev = (
        [
            erased(row, mask) if at % 2 else row
            for lang in langs
            for at, row in enumerate(builtin.read(TASK, lang, split, size))
        ]
        for split, size in (("train", count), ("dev", DEV))
    )
    return train, dev


def erased(row: Example, mask: str) -> Example:
    """The text with each word replaced by the mask with a probability that is itself uniform."""
    assert row.words is not None
    rng = keyed("erased", row.id)
    share = rng.random()
    return with_masks(row, [span for span in row.words[0] if rng.random() < share], mask)


def with_masks(row: Example, spans: Sequence[tuple[int, int]], mask: str) -> Example:
    """The text with these words, and the spaces before them, replaced by the mask."""
    text = row.texts[0]
    for start, end in sorted(spans, reverse=True):
        text = text[:start].rstrip() + mask + text[end:]
    return replace(
        row, texts=(text,), words=None, rationale=None, heads=None, relations=None, concepts=None
    )


def rounded(source: Path, target: Path) -> Path:
    """A copy whose weights are stored in float16 and loaded as float32, as its config says."""
    if not target.exists():
        with writing_folder(target) as part:
            for file in source.glob("*.json"):
                shutil.copy(file, part / file.name)
            weights = load_file(source / "model.safetensors")
            halves = {name: weight.to(torch.float16) for name, weight in weights.items()}
            save_file(halves, part / "model.safetensors", {"format": "pt"})
            (part / "model.safetensors").chmod(0o644)  # otherwise only its writer may read it
    return target


def manifest(folder: Path) -> dict[str, Any]:
    """The hash of every file, and how well the classifiers do on held-out reviews."""
    return {
        name: {
            "files": {
                file.name: file_digest(file) for file in sorted((folder / name).iterdir())
            },
            **({"test": scores(folder / name, langs)} if langs else {}),
        }
        for name, langs in ((SHIPPED, ()), ("demo", builtin.LANGUAGES), ("demo-en", ("en",)))
    }  # fmt: skip


def _print(done: int, total: int) -> None:
    if done % max(1, total // 20) == 0:
        print(f"{done} of {total} steps", flush=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
