"""Every kind of input with every function: it works, or is refused in one line. The table in
docs/data.md is what this test found; after a change it is written by

    INPUT_KINDS=write pytest tests/study/test_input_kinds.py
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest

import babelscope
from babelscope.display.results import Attributions
from babelscope.errors import BabelscopeError
from babelscope.model.load import Model
from babelscope.training.recipe import Recipe
from conftest import tiny
from input_kinds import ROWS, data_kinds, fresh, model_kinds, write_hub_rows

TABLE = Path(__file__).parents[2] / "docs" / "input_kinds.json"
TEXTS = [row["text"] for row in ROWS]
OCCLUSION, METRIC = "occlusion", "comprehensiveness"


class Place:
    """A mirror folder with the tiny model, which is what every call uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model: Model = tiny("bert")
        self.saved = folder / "mirror" / "models" / "tests" / "tiny"
        write_hub_rows(folder / "mirror")
        deepcopy(self.model.hf).float().save_pretrained(self.saved)
        self.model.tokenizer.save_pretrained(self.saved)
        self.data = data_kinds(folder, self.model)
        self.models = model_kinds(self.saved, self.model)

    def study(self, rows: Any, source: Any) -> None:
        values = {
            "name": "kinds",
            "tasks": [{"name": "sentiment", "data": {"rows": fresh(rows)}}],
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
        babelscope.finetune(base, fresh(rows), fresh(rows), output, Recipe(epochs=1, batch=2))
        assert (output / "config.json").exists()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BABELSCOPE_MIRROR", str(folder / "mirror"))
        patch.setenv("BABELSCOPE_CACHE", str(folder / "cache"))
        patch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
        yield Place(folder)


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
        "explain": outcome(lambda: babelscope.explain(model, fresh(data), OCCLUSION)),
        "measure": outcome(lambda: measured(model, fresh(data))),
        "finetune": outcome(lambda: place.finetune(place.saved, data)),
        "study": outcome(lambda: place.study(data, str(place.saved))),
        "read": outcome(lambda: babelscope.read(fresh(data))),
    }


def measured(model: Any, data: Any) -> None:
    """Texts are explained by occlusion; explanations are taken as they are."""
    method = None if isinstance(data, Attributions) else OCCLUSION
    values = [row.value for row in babelscope.measure(model, data, METRIC, method=method)]
    assert values
    assert np.isfinite(values).all()


def by_model(place: Place, source: Any) -> dict[str, str]:
    return {
        "explain": outcome(lambda: babelscope.explain(source, TEXTS, OCCLUSION)),
        "measure": outcome(lambda: measured(source, TEXTS)),
        "finetune": outcome(lambda: place.finetune(source, ROWS)),
        "study": outcome(lambda: place.study(ROWS, source)),
        "read": "",
    }


@pytest.mark.training
@pytest.mark.slow
def test_every_kind_of_input_works_or_is_refused_in_one_line(
    place: Place,
) -> None:
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
