"""Zero-shot transfer of a small real encoder: fine-tuned on English, tested in 22 languages."""

from __future__ import annotations

from statistics import mean
from typing import Any

from babelscope import options
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec
from babelscope.training.evaluate import evaluate
from babelscope.training.models import obtain
from babelscope.training.spec import ModelSpec


class Spec(options.Spec):
    data: DataSpec
    model: ModelSpec
    seeds: list[int]
    stated: dict[str, float]
    """Accuracies that the README of the encoder states, by language."""


def values(spec: Spec) -> dict[str, Any]:
    test = [row for lang in spec.stated for row in examples(spec.data, lang)]
    scores: dict[str, list[Any]] = {lang: [] for lang in spec.stated}
    for seed in spec.seeds:
        for score in evaluate(obtain(spec.model, spec.data, seed, "en"), test):
            scores[score.lang].append(score.estimate)
    rows = [row(lang, scores[lang], stated) for lang, stated in spec.stated.items()]
    others = [each for each in rows if each["lang"] != "en"]
    return {
        "rows": rows,
        "train": spec.model.train.examples if spec.model.train else 0,
        "seeds": len(spec.seeds),
        "mean": mean(each["mean"] for each in others),
        "stated": mean(each["stated"] for each in others),
        "worst": max(rows, key=lambda each: abs(each["difference"])),
    }


def row(lang: str, scores: list[Any], stated: float) -> dict[str, Any]:
    """The accuracies of one language over the seeds, beside the stated one."""
    accuracy = [score.mean for score in scores]
    return {
        "lang": lang,
        "mean": mean(accuracy),
        "low": min(accuracy),
        "high": max(accuracy),
        "first": scores[0],
        "stated": stated,
        "difference": mean(accuracy) - stated,
    }
