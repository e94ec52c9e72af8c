"""Pages with several studies: the files that the studies read, and the studies themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from babelscope import options
from babelscope.data import sources
from babelscope.data.formats.export import write
from babelscope.data.texts import fault
from babelscope.store import Store
from babelscope.study.config import Study, parse_study
from babelscope.training.cache import cache_folder


class Cut(options.Spec):
    """Some rows of a corpus as files, one per language: for corpora that lack a split."""

    source: str
    """As `babelscope.data.sources` names it, with `{lang}` for the language: `xnli/{lang}/dev`."""
    languages: list[str]
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Studies:
    """The studies of a page, by name, and the files that they read."""

    studies: Mapping[str, Study]
    cuts: Mapping[str, Cut]


class Filled(NamedTuple):
    """The store of a study, the study as the store has it, and as it was parsed."""

    store: Store
    description: dict[str, Any]
    study: Study


def parse_studies(values: Mapping[str, Any], origin: str) -> Studies:
    """Checked studies and cuts from the values of a YAML file."""
    studies = {name: parse_study(each, origin) for name, each in values["studies"].items()}
    cuts = {name: Cut.model_validate(each) for name, each in values.get("cuts", {}).items()}
    return Studies(studies, cuts)


def cut_folder() -> Path:
    """Where cuts are written; files say `../cuts`."""
    return cache_folder() / "experiments" / "cuts"


def write_cuts(cuts: Mapping[str, Cut], data: Path) -> None:
    """Writes `NAME-LANG.jsonl` for every cut and language, without the rows that have no gold
    label or a text that cannot be read."""
    cut_folder().mkdir(parents=True, exist_ok=True)
    for name, cut in cuts.items():
        for lang in cut.languages:
            rows = sources.rows(cut.source.replace("{lang}", lang), folder=data)
            chosen = [row for row in rows[cut.start : cut.stop] if row.label is not None]
            readable = [row for row in chosen if not any(map(fault, row.texts))]
            write(readable, cut_folder() / f"{name}-{lang}.jsonl")
