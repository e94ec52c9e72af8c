"""Faithfulness by language of a small real encoder: tuned on English SIB-200, the same sentences explained in 22 languages."""

from __future__ import annotations

from pathlib import Path

from benchmarks.material import SHARED

from babelscope.progress import bars
from babelscope.study.cache import cache_folder
from babelscope.study.config import Study, parse_study
from babelscope.study.run import Watch, run
from results.sib200 import TAGS, stated

SENTENCES = 20
DRAWS = 3
METHODS = ("random", "attention", "scaled_attention", "input_x_gradient", "deeplift")
HARD = ("normalised_comprehensiveness", "normalised_sufficiency")
SOFT = ("normalised_soft_comprehensiveness", "normalised_soft_sufficiency")


def study() -> Study:
    """The model of seed 0 of the page on zero-shot transfer, the first sentences of every language's test split."""
    languages = [TAGS.get(name, name) for name in stated(SHARED / "models" / "mini-multilingual")]
    given = {
        "name": "SIB-200 by language",
        "tasks": [{"name": "topic", "data": {"corpus": "sib200", "folder": str(SHARED / "data"), "examples": SENTENCES}}],
        "languages": languages,
        "models": [{"name": "mini-multilingual", "source": str(cache_folder() / "results" / "sib200-en-0")}],
        "methods": list(METHODS),
        "metrics": [*HARD, *({"name": name, "options": {"scaling": "rank", "draws": 0}} for name in SOFT)],
        "seeds": list(range(DRAWS)),
    }
    return parse_study(given, "SIB-200")


def filled() -> Path:
    """The store of the study; what is there is not computed again."""
    asked, place = study(), cache_folder() / "results" / "sib200-faithfulness"
    with bars(asked.name) as (stage, steps):
        outcome = run(asked, place, watch=Watch(stage, steps))
    if outcome.failed:
        raise SystemExit(f"{len(outcome.failed)} cells failed, first: {outcome.failed[0].reason}")
    return place
