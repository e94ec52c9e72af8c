"""A study file that the explorer exports gives the scores that the page showed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from babelscope.model.load import Model
from babelscope.store import open_store, read_attributions
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.web.app import Explorer, make_app
from babelscope.web.models import load_models
from babelscope.web.service import Service
from explorer import TEXTS, answer, language_model, model_folder, reader, tagger

ENGLISH, HINDI, ARABIC, CHINESE = TEXTS[:4]
QUESTION = "what was good?"
EXPORTS: dict[str, tuple[str, list[tuple[str, list[str]]], list[dict[str, Any]]]] = {
    "two methods": (
        "reviews", [("en", [ENGLISH]), ("hi", [HINDI])],
        [{"method": "integrated_gradients"}, {"method": "occlusion"}],
    ),
    "a seed and an option": (
        "reviews", [("ar", [ARABIC])],
        [{"method": "kernel_shap", "options": {"samples": 40}, "seed": 3}],
    ),
    "a contrast": (
        "reviews", [("zh", [CHINESE])],
        [{"method": "input_x_gradient", "target": "negative", "contrast": "positive",
          "quantity": "contrast"}],
    ),
    "the second text of a pair": (
        "reviews", [("en", [ENGLISH, "the meal was lovely"])],
        [{"method": "occlusion", "part": "second", "quantity": "probability"}],
    ),
    "the start of an answer": (
        "reader", [("en", [QUESTION, ENGLISH])], [{"method": "occlusion", "edge": "start"}],
    ),
    "the tag of a word": ("tagger", [("en", [ENGLISH])], [{"method": "occlusion", "word": 3}]),
    "the next token": ("language", [("en", [ENGLISH])], [{"method": "occlusion"}]),
}  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("models")

    def saved(name: str, model: Model) -> str:
        model.hf.save_pretrained(place / name)
        model.tokenizer.save_pretrained(place / name)
        return str(place / name)

    return {
        "reviews": str(model_folder(place / "reviews")),
        "reader": saved("reader", reader()),
        "tagger": saved("tagger", tagger()),
        "language": saved("language", language_model()),
    }


@pytest.fixture(scope="module")
def client(folders: dict[str, str]) -> Iterator[TestClient]:
    app = make_app(Explorer(Service(load_models(list(folders.values())))))
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened


@pytest.mark.parametrize("name", EXPORTS)
def test_the_exported_study_gives_the_scores_of_the_page(
    client: TestClient, folders: dict[str, str], name: str, tmp_path: Path
) -> None:
    """Scores agree but for the last bits, because a study explains several texts in one batch."""
    model, texts, methods = EXPORTS[name]
    passages = [{"lang": lang, "texts": parts} for lang, parts in texts]
    export = {"models": [folders[model]], "methods": methods, "passages": passages}
    written = client.post("/api/export", json=export)
    assert written.status_code == 200, written.text
    store = tmp_path / "store"
    assert not run(parse_study(yaml.safe_load(written.text)), store).failed
    rows = read_attributions(open_store(store, create=False))
    stored = {(row.lang, row.method): row for row in rows}
    assert len(stored) == len(passages) * len(methods)
    for passage in passages:
        for method in methods:
            body = {"model": folders[model], **passage, **method}
            response = answer(client, "explain", **body)
            assert response.status_code == 200, response.text
            shown = response.json()["result"]
            row = stored[passage["lang"], method["method"]]
            assert list(row.words) == shown["words"]
            assert list(row.word_scores) == pytest.approx(shown["word_scores"], rel=1e-4, abs=1e-6)
            assert row.value == pytest.approx(shown["value"], rel=1e-4)
            assert (row.label, row.contrast) == (shown["label"], shown["contrast"])
