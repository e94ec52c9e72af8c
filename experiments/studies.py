"""Runs the study of an experiment in the user's cache."""

from __future__ import annotations

from typing import Any

from babelscope.display.progress import bars
from babelscope.store import open_store, read_study
from babelscope.study.config import Study
from babelscope.study.run import Watch, run
from babelscope.training.cache import cache_folder


def filled(name: str, study: Study) -> tuple[Any, dict[str, Any]]:
    """The store of a study, what exists not computed again, and the study as the store has it."""
    place = cache_folder() / "experiments" / name
    with bars(study.name) as (stage, steps):
        outcome = run(study, place, watch=Watch(stage, steps))
    if outcome.failed:
        raise SystemExit(f"{len(outcome.failed)} cells failed, first: {outcome.failed[0].reason}")
    store = open_store(place, create=False)
    return store, read_study(store)
