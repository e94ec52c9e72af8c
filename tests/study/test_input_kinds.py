"""Every kind of input with every function: it works, or is refused in one line. The table in
docs/data.md is what this test found; after a change it is written by

    INPUT_KINDS=write pytest tests/study/test_input_kinds.py
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import babelscope
from babelscope.errors import BabelscopeError
from babelscope.model.load import Model
from babelscope.training.recipe import Recipe
from conftest import tiny
from input_kinds import ROWS, data_kinds, model_kinds

TABLE = Path(__file__).parents[2] / "docs" / "input_kinds.json"
TEXTS = [row["text"] for row in ROWS]
OCCLUSION = "occlusion"


class Place:
    """A mirror folder with the tiny model, which is what every call uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model: Model = tiny("bert")
        self.saved = folder / "mirror" / "models" / "tests" / "tiny"
        (folder / "mirror" / "datasets").mkdir(parents=True)
        self.model.hf.float().save_pretrained(self.saved)
        self.model.tokenizer.save_pretrained(self.saved)
        self.model.hf.double()
        self.data = data_kinds(folder)
        self.models = model_kinds(self.saved, self.model)

    def study(self, rows: Any, source: Any) -> None:
        values = {
            "name": "kinds",
            "tasks": [{"name": "sentiment", "data": {"rows": rows}}],
            "languages": ["en"],
            "models": [{"name": "tiny", "source": source}],
            "methods": [OCCLUSION],
            "faithfulness": {},
        }
        store = self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        summary = babelscope.run(values, store)
        if summary.failed:
            raise babelscope.InputError(str(summary.failed[0].reason))

    def finetune(self, base: Any, rows: Any) -> None:
        output = self.folder / "tuned"
        shutil.rmtree(output, ignore_errors=True)
        babelscope.finetune(base, rows, rows, output, Recipe(epochs=1, batch=2))
        assert (output / "config.json").exists()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("kinds"))


def outcome(call: Callable[[], object]) -> str:
    """`works`, or the line that refuses it, without the names of temporary folders."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except BabelscopeError as error:
        return str(error)
    return "works"


def by_data(place: Place, data: Any) -> dict[str, str]:
    model = place.model
    return {
        "explain": outcome(lambda: babelscope.explain(model, data, OCCLUSION, lang="en")),
        "measure": outcome(lambda: babelscope.measure(model, data, "comprehensiveness")),
        "finetune": outcome(lambda: place.finetune(place.saved, data)),
        "study": outcome(lambda: place.study(data, str(place.saved))),
        "read": outcome(lambda: babelscope.read(data)),
    }


def by_model(place: Place, source: Any) -> dict[str, str]:
    attributions = babelscope.explain(str(place.saved), TEXTS, OCCLUSION)
    if isinstance(source, Model) or not isinstance(source, (str, Path)):
        attributions = babelscope.explain(place.model, TEXTS, OCCLUSION)
    return {
        "explain": outcome(lambda: babelscope.explain(source, TEXTS, OCCLUSION)),
        "measure": outcome(lambda: babelscope.measure(source, attributions, "comprehensiveness")),
        "finetune": outcome(lambda: place.finetune(source, ROWS)),
        "study": outcome(lambda: place.study(ROWS, source)),
        "read": "",
    }


@pytest.mark.training
@pytest.mark.slow
def test_every_kind_of_input_works_or_is_refused_in_one_line(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_MIRROR", str(place.folder / "mirror"))
    monkeypatch.setenv("BABELSCOPE_CACHE", str(place.folder / "cache"))
    table = {
        "data": {name: by_data(place, data) for name, data in place.data.items()},
        "model": {name: by_model(place, source) for name, source in place.models.items()},
    }
    text = json.dumps(table, indent=1, ensure_ascii=False).replace(f"{place.folder}/", "")
    if os.environ.get("INPUT_KINDS") == "write":
        TABLE.write_text(text + "\n", "utf-8")
    assert json.loads(text) == json.loads(TABLE.read_text("utf-8"))
    works = sum(cell == "works" for part in table.values() for row in part.values()
                for cell in row.values())  # fmt: skip
    assert works > 60
    assert "\\n" not in text
