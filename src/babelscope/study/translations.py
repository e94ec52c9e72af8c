"""A parallel corpus explained in every language, ready to be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from babelscope.data.corpora import usable
from babelscope.data.sources import rows
from babelscope.errors import InputError
from babelscope.model.load import Model
from babelscope.study.explain import explain
from babelscope.types import Attribution, Example, UnitScores

TARGETS = ("source", "own", "gold")
"""What is explained in a translation: the class that the source text gets, its own prediction, or its gold label."""


def parallel(
    task: str, langs: Sequence[str], *, split: str = "test", count: int | None = None, folder: str | Path | None = None
) -> dict[str, list[Example]]:
    """The texts of a corpus by language. An untranslated text is left out of its language only: pairs are counted later."""
    found = {}
    for lang in langs:
        read = rows(f"{task}/{lang}/{split}" + (f"/{count}" if count else ""), folder=folder)
        found[lang] = [row for row in read if usable(row)]
    return found


def explained(
    model: Model,
    texts: Mapping[str, Sequence[Example]],
    source: str,
    *,
    target: str = "source",
    method: str = "integrated_gradients",
    options: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[UnitScores]:
    """Word scores of every text in every language, by group.

    With the target "source" a translation is explained for the class that the model gives the source text: then two different
    decisions are never compared. A group that has no source text is explained for its own prediction, and is not compared.
    """
    if target not in TARGETS:
        raise InputError(f"the target {target!r} is not one of: {', '.join(TARGETS)}")
    if model.task == "question-answering" and target == "source":
        raise InputError(
            "an answer is a place in its own text, so the source's cannot be explained elsewhere; --target-class own"
        )
    fixed = "gold" if target == "gold" else None
    ours = explain(model, list(texts[source]), method, target=fixed, options=options, progress=progress)
    said = {one.group: one.label for one in ours}
    found = [_units(one) for one in ours]
    for lang, examples in texts.items():
        if lang == source:
            continue
        classes: dict[str | None, list[Example]] = {}
        for example in examples:
            classes.setdefault(said.get(example.group) if target == "source" else fixed, []).append(example)
        for name, group in classes.items():
            made = explain(model, group, method, target=name, options=options, progress=progress)
            found += [_units(one) for one in made]
    return found


def _units(one: Attribution) -> UnitScores:
    return UnitScores(one.group, one.lang, one.words, one.word_scores, one.word_segment, one.label, one.gold)
