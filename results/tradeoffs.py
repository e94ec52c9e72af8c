"""What tuning on one language cost the others: the built-in corpus, SIB-200 and XNLI, from the dump to the page."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from babelscope import store
from babelscope.analyses.tradeoffs.cells import BASE, Corpus, Tuned, corpus, dump
from babelscope.analyses.tradeoffs.tables import tables
from babelscope.display.progress import bar
from babelscope.files import (
    plain,
)
from babelscope.training.cache import cache_folder
from results.tradeoffs_models import JOINT, SETTINGS, Setting, base, split, tuned


def models(setting: Setting) -> list[Tuned]:
    """All of one run; the references with the first seed only."""
    first = setting.seeds[0]
    found = [Tuned(source, seed, str(tuned(setting, source, seed))) for seed in setting.seeds for source in setting.sources]
    found.append(Tuned(BASE, 0, str(base(setting)), BASE))
    if setting.references:
        found += [Tuned(JOINT, seed, str(tuned(setting, JOINT, seed)), JOINT) for seed in setting.seeds]
        heads = [(source, str(tuned(setting, source, first, head_only=True))) for source in setting.sources]
        found += [Tuned(source, first, folder, "head_only") for source, folder in heads]
    return found


def texts(setting: Setting) -> Corpus:
    """Test texts in every language; dev and train texts in the languages that are tuned on."""
    parts = {"test": setting.targets, "dev": setting.sources, "train": setting.sources}
    found = {part: {lang: split(setting.name, lang, part) for lang in langs} for part, langs in parts.items()}
    found["test"] = {lang: rows[: setting.texts or None] for lang, rows in found["test"].items()}
    return corpus(found)


def measured(name: str) -> dict[str, Any]:
    """The tables of one run, kept in the cache: the page can be written again without reading a text."""
    setting = SETTINGS[name]
    file = cache_folder() / "results" / f"tradeoffs-{name}.json"
    if file.exists():
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return found
    first, sources = setting.seeds[0], set(setting.sources)

    def wanted(one: Tuned, part: str, lang: str) -> bool:
        return part != "train" or one.kind == BASE or (one.kind == "tuned" and one.seed == first)

    def states(one: Tuned, part: str, lang: str) -> bool:
        return one.kind == BASE or (one.kind == "tuned" and lang in sources)

    with bar(f"reading {name}") as tell:
        place = store.open_store(cache_folder() / "results" / f"tradeoffs-{name}-store")
        held = dump(place, models(setting), texts(setting), wanted=wanted, states=states, progress=tell)
    made = plain(tables(held))
    part = file.with_suffix(".part")
    part.write_text(json.dumps(made), "utf-8")
    os.replace(part, file)
    return dict(made)


if __name__ == "__main__":
    for asked in sys.argv[1:] or SETTINGS:
        measured(asked)
        print(Path(cache_folder() / "results" / f"tradeoffs-{asked}.json"), flush=True)
