"""What fine-tuning on one language cost the others: the built-in corpus, SIB-200 and XNLI, from
models to tables.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from babelscope.analyses.tradeoffs.tables import tables
from babelscope.data.formats.export import write
from babelscope.data.texts import fault
from babelscope.display.progress import bar
from babelscope.files import write_text
from babelscope.store import open_store, read_study
from babelscope.study.config import Study, parse_study
from babelscope.study.run import Watch, run
from babelscope.training.cache import cache_folder
from experiments.tradeoffs_models import JOINT, SETTINGS, Setting, base, order, split, tuned


def data(setting: Setting) -> dict[str, Any]:
    """Test texts in every language, dev and train texts in those that are fine-tuned on: as files
    in the cache.
    """
    folder = cache_folder() / "experiments" / f"tradeoffs-{setting.name}-texts"
    folder.mkdir(parents=True, exist_ok=True)
    for part, langs in (
        ("test", setting.targets),
        ("dev", setting.sources),
        ("train", setting.sources),
    ):
        for lang in langs:
            rows = split(setting.name, lang, part)[
                : (setting.texts or None) if part == "test" else None
            ]
            readable = [
                row for row in rows if not any(map(fault, row.texts))
            ]  # XNLI has control characters
            write(readable, folder / f"{part}-{lang}.jsonl")
    names = {"file": "test", "dev_file": "dev", "train_file": "train"}
    return {field: str(folder / f"{part}-{{lang}}.jsonl") for field, part in names.items()} | {
        "examples": None
    }


def study(setting: Setting) -> Study:
    """All models of one run; of the references, heads are trained with the first seed only."""
    models, stated = [], {}
    for source, seed, head_only in order(setting):
        name = f"{source}-{seed}{'-head' if head_only else ''}"
        models.append(
            {"name": name, "source": str(tuned(setting, source, seed, head_only=head_only))}
        )
        stated[name] = {
            "language": JOINT if source == JOINT else source,
            "seed": seed,
            "head_only": head_only,
        }
    return parse_study(
        {
            "name": f"tradeoffs-{setting.name}",
            "tasks": [{"name": setting.name, "data": data(setting)}],
            "languages": list(setting.targets),
            "models": models,
            "tradeoffs": {"stated": stated, "base": str(base(setting))},
        }
    )


def measured(name: str) -> dict[str, Any]:
    """The tables of one run, kept in the cache: the page can be written again without reading a
    text.
    """
    file = cache_folder() / "experiments" / f"tradeoffs-{name}.json"
    if file.exists():
        kept: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return kept
    folder = cache_folder() / "experiments" / f"tradeoffs-{name}-store"
    with bar(f"reading {name}") as show:
        run(study(SETTINGS[name]), folder, watch=Watch(steps=show))
    store = open_store(folder)
    values = (tables(store, read_study(store)) or {})[name]
    write_text(file, json.dumps(values))
    return values


if __name__ == "__main__":
    for asked in sys.argv[1:] or SETTINGS:
        measured(asked)
        print(Path(cache_folder() / "experiments" / f"tradeoffs-{asked}.json"), flush=True)
