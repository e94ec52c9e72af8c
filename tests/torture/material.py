"""Tiny models and studies to attack, and stores compared file by file."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from torture import children

TEXTS = (
    "the food was good and the room was lovely",
    "the room was bad and cold",
    "a good film with a very long and slow beginning",
    "I hate this phone",
    "nobody liked the meal but the service was friendly",
    "an old town",
    "not good at all",
    "we will come back next year",
)
LABELS = ("negative", "positive")
UNCOMPARED = (".lock", "claims/")
"""How the names of files of a store begin that hold no result."""


class Outcome(NamedTuple):
    """What has come of an attack."""

    faults: list[str]
    """One line each."""
    line: str
    """Its counts."""
    done: int
    planned: int
    """How much of its plan it has done; less is a fault."""


def build_models(folder: Path, number: int) -> None:
    """Checkpoints with random weights that pass for trained ones."""
    from babelscope.training.small import make

    for seed in range(number):
        path = folder / f"model-{seed}"
        make(path, "bert", TEXTS, LABELS, layers=1, width=32, vocabulary=300, seed=seed)
        config = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(json.dumps({**config, "untrained": False}))


def rows(number: int) -> list[dict[str, str]]:
    """That many labelled texts in English."""
    return [
        {
            "id": str(at),
            "text": f"{TEXTS[at % len(TEXTS)]} {at}",
            "lang": "en",
            "label": LABELS[at % 2],
        }
        for at in range(number)
    ]


def build_study(
    folder: Path, *, models: int, texts: int, methods: Sequence[str], file: str = ""
) -> Path:
    """The file of a study of random models; its rows are inside it, or in a JSONL file."""
    if children.apart(lambda: build_models(folder / "models", models)):
        raise RuntimeError("the models cannot be made")
    examples = rows(texts)
    if file:
        lines = [json.dumps(row) for row in examples]
        (folder / file).write_text("\n".join(lines), "utf-8")
    data = {"file": str(folder / file)} if file else {"rows": examples}
    study = {
        "name": "attacked",
        "tasks": [{"name": "reviews", "data": {**data, "examples": texts}}],
        "languages": ["en"],
        "models": [
            {"name": f"m{seed}", "source": str(folder / "models" / f"model-{seed}")}
            for seed in range(models)
        ],
        "methods": list(methods),
        "faithfulness": {"metrics": ["comprehensiveness"]},
    }
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(study), "utf-8")
    return path


def run_command(study: Path, store: Path, *more: str) -> list[str]:
    return ["study", "run", str(study), "--store", str(store), "--json", *more]


def fill(study: Path, store: Path) -> None:
    """The store of an uninterrupted run, which the others are compared with."""
    ended = children.run(run_command(study, store), study.parent / "reference-run")
    if ended.status:
        raise RuntimeError(f"the uninterrupted run failed: {ended}")


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, a symbolic link with its target."""
    files = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        name = str(path.relative_to(folder))
        if stat.S_ISLNK(mode):
            files[name] = b"-> " + str(path.readlink()).encode("utf-8", "surrogateescape")
        elif stat.S_ISREG(mode):
            files[name] = path.read_bytes()
    return {name: content for name, content in files.items() if not name.startswith(UNCOMPARED)}


def differences(store: Path, reference: dict[str, bytes]) -> list[str]:
    """How a store differs from the reference, one line per file."""
    present = content(store)
    return [
        *(f"{name} is missing" for name in sorted(reference.keys() - present.keys())),
        *(f"{name} is left over" for name in sorted(present.keys() - reference.keys())),
        *(
            f"{name} has other bytes"
            for name in sorted(reference.keys() & present.keys())
            if reference[name] != present[name]
        ),
    ]


def check_complete(store: Path, reference: dict[str, bytes], where: str) -> list[str]:
    """The faults of a store that should be complete: other files, or what `study verify` finds."""
    faults = [f"{where}: {line}" for line in differences(store, reference)]
    ended = children.run(["study", "verify", str(store)], store.parent / "verify")
    return faults + [f"{where}: {line}" for line in children.complaints(ended, [0])]
