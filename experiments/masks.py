"""Relevance that passes important heads only, against the eight baselines of its paper, with masks
from treebanks and random controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelscope import options
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec
from babelscope.data.treebanks import treebank
from babelscope.model.heads import head_statistics
from babelscope.training.evaluate import evaluate
from babelscope.training.models import PRETRAINED, obtain
from babelscope.training.spec import ModelSpec
from experiments.files import SHARED
from experiments.masked_methods import Methods, comparison_rows, mask_summary, values_by_method


class Setting(options.Spec):
    """A model, the texts that it is explained on, and the treebank of its head statistics."""

    name: str
    data: DataSpec
    languages: list[str]
    trees: str
    model: ModelSpec


class Spec(Methods):
    settings: list[Setting]
    texts: int


def values(spec: Spec) -> dict[str, Any]:
    return {"spec": spec, "settings": [(each, by_language(spec, each)) for each in spec.settings]}


def by_language(spec: Spec, setting: Setting) -> dict[str, Any]:
    """The tables of a setting; none where the base of its model is not there."""
    train = setting.model.train
    base = str(train.base) if train and train.base else ""
    there = not base or base.startswith(PRETRAINED) or Path(base).is_dir()
    return {lang: table(spec, setting, lang) for lang in setting.languages if there}


def table(spec: Spec, setting: Setting, lang: str) -> dict[str, Any]:
    model = obtain(setting.model, setting.data, 0, lang)
    test = examples(setting.data, lang)
    texts = test[: spec.texts]
    trees = treebank(setting.trees.replace("{lang}", lang), folder=SHARED / "data")
    statistics = head_statistics(model, trees)
    measured = values_by_method(spec, model, texts, statistics)
    return {
        "accuracy": evaluate(model, test)[0].estimate,
        "texts": len(texts),
        **mask_summary(statistics),
        "rows": comparison_rows(spec, measured, [text.group for text in texts]),
    }
