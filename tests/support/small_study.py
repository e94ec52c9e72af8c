"""A study of two random models on a handful of texts: nothing is trained, a run takes a second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from babelscope.training.small import make

TEXTS = ["the food was good", "the room was bad and cold", "a good film", "I hate this phone"]
CELLS = 2 * 2 * (1 + 1)
"""Two models, two methods, explanations and one metric of them."""


def models(folder: Path) -> dict[str, Path]:
    """Two checkpoints that pass for trained ones."""
    paths = {name: folder / name for name in ("first", "second")}
    for seed, path in enumerate(paths.values()):
        labels = ["negative", "positive"]
        make(path, "bert", TEXTS, labels, layers=1, width=32, vocabulary=300, seed=seed)
        config = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(json.dumps({**config, "untrained": False}))
    return paths


def values(paths: dict[str, Path]) -> dict[str, Any]:
    """The study as a file would hold it."""
    rows = [
        {"id": str(number), "text": text, "lang": "en", "label": "positive"}
        for number, text in enumerate(TEXTS)
    ]
    return {
        "name": "small",
        "tasks": [{"name": "reviews", "data": {"rows": rows, "examples": 4}}],
        "languages": ["en"],
        "models": [{"name": name, "source": str(path)} for name, path in paths.items()],
        "methods": ["random", "gradient_norm"],
        "faithfulness": {"metrics": ["comprehensiveness"]},
    }


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
