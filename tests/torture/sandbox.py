"""The files that wrong commands name: a model, rows, a study and a store that work, and broken
ones.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from torture import material

ROW = {"id": "1", "text": "a good film", "label": "positive", "lang": "en"}
CONTENTS: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)) * 8,
    "text": b"this is no table\n",
    "deep": b'{"id": "1", "text": ' + b"[" * 100_000 + b"\n",
    "surrogates": b'{"id": "1", "text": "\\ud800", "label": "positive", "lang": "en"}\n',
    "blank": b'{"id": "1", "text": " ", "label": "positive", "lang": "en"}\n',
    "list": b"[1, 2]\n",
    "truncated": b'{"id": "1", "text": "a good',
    "nolabel": b'{"id": "1", "text": 3, "lang": "en"}\n',
    "cr": b'{"id": "1", "text": "a\\u0008b", "label": "positive", "lang": "en"}\n',
}
"""JSONL files by name."""
YAML: dict[str, bytes] = {
    "badyaml": b"name: [\n",
    "deepyaml": b"a: " + b"[" * 20_000,
    "listyaml": b"- 1\n- 2\n",
}
BAD_FIELDS: tuple[dict[str, Any], ...] = (
    {"name": None}, {"tasks": []}, {"tasks": 3}, {"languages": []}, {"languages": ["en", "en"]},
    {"languages": ["english"]}, {"models": []}, {"models": [{"name": "x"}]}, {"models": "x"},
    {"models": [{"name": "x", "source": "/nowhere/at/all"}]}, {"methods": ["nosuch"]},
    {"methods": []}, {"methods": ["random", "random"]}, {"seeds": []}, {"seeds": ["x"]},
    {"seeds": [0, 0]}, {"source": "xx"}, {"faithfulness": {"metrics": ["nosuch"]}},
    {"faithfulness": {"nosuch": 1}}, {"faithfulness": 3}, {"nosuch": 1}, {"consistency": {}},
    {"methods": [{"name": "lime", "options": {"samples": -1}}]}, {"heads": {"nosuch": 1}},
    {"methods": [{"name": "lime", "options": {"nosuch": 1}}]}, {"trust": {"samples": "x"}},
    {"tasks": [{"name": "t", "data": {}}]}, {"tasks": [{"name": "t", "data": {"builtin": "no"}}]},
    {"tasks": [{"name": "t", "data": {"file": "/nowhere.jsonl"}}]},
    {"tasks": [{"name": "t", "data": {"rows": []}}]},
    {"tasks": [{"name": "t", "data": {"rows": [{"text": 3}]}}]},
    {"tasks": [{"name": "t", "data": {"rows": [ROW], "examples": 0}}]},
    {"tasks": [{"name": "t", "data": {"rows": [ROW], "columns": {"nosuch": "x"}}}]},
    {"tasks": [{"name": "t", "data": {"corpus": "xnli", "folder": "/nowhere"}}]},
    {"tasks": [{"name": "t", "data": {"rows": [ROW]}, "target": "nosuch"}]},
    {"tasks": [{"name": "t", "data": {"rows": [ROW]}, "quantity": "nosuch"}]},
    {"tasks": [{"name": "t", "data": {"rows": [ROW]}, "part": "third"}]},
)  # fmt: skip
"""Fields that make a study wrong."""


def build_sandbox(folder: Path) -> dict[str, str]:
    """Makes all files; gives the path of every name that commands have in braces."""
    study = material.build_study(folder, models=1, texts=3, methods=("random",))
    material.fill(study, folder / "store")
    model = folder / "models" / "model-0"
    inputs = folder / "inputs"
    inputs.mkdir()
    lines = [json.dumps(row) for row in material.rows(4)]
    (inputs / "rows.jsonl").write_text("\n".join(lines), "utf-8")
    paths = {"model": model, "study": study, "store": folder / "store"}
    paths |= {"rows": inputs / "rows.jsonl", "nothing": folder / "nothing"}
    for ending, contents in ((".jsonl", CONTENTS), (".yaml", YAML)):
        for name, content in contents.items():
            paths[name] = inputs / f"{name}{ending}"
            paths[name].write_bytes(content)
    paths |= _broken_models(model, folder / "broken")
    for name in ("folder", "badstore"):
        paths[name] = inputs / name
        paths[name].mkdir()
    (paths["badstore"] / "cells").mkdir()
    (paths["badstore"] / "scheme.json").write_text("[]")
    return {name: str(path) for name, path in paths.items()} | {"long": "x" * 300}


def _broken_models(model: Path, folder: Path) -> dict[str, Path]:
    """Copies of a model, each with something wrong."""
    names = ("noweights", "noconfig", "badconfig", "cutweights", "notokenizer", "nanweights")
    paths = {name: Path(shutil.copytree(model, folder / name)) for name in names}
    (paths["noweights"] / "model.safetensors").unlink()
    (paths["noconfig"] / "config.json").unlink()
    (paths["badconfig"] / "config.json").write_text("{")
    weights = model / "model.safetensors"
    (paths["cutweights"] / weights.name).write_bytes(weights.read_bytes()[:1000])
    for file in paths["notokenizer"].glob("*token*"):
        file.unlink()
    content = weights.read_bytes()
    (paths["nanweights"] / weights.name).write_bytes(content[:-4096] + b"\xff" * 4096)
    return paths


def wrong_studies(folder: Path) -> list[Path]:
    """Files of the working study with one wrong field each."""
    values = yaml.safe_load((folder / "study.yaml").read_text("utf-8"))
    paths = []
    for number, fields in enumerate(BAD_FIELDS):
        path = folder / "inputs" / f"wrong-{number}.yaml"
        path.write_text(yaml.safe_dump({**values, **fields}), "utf-8")
        paths.append(path)
    return paths
