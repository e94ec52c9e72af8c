"""What the explorer answers about a model is what the library computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from starlette.testclient import TestClient

from babelscope.analyses.trust.panel import trust
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.explain import explain, explain_encoded
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.erase import erase
from babelscope.model.load import Model
from babelscope.study.config import parse_study
from babelscope.types import Example
from babelscope.web.app import Explorer, make_app
from babelscope.web.erased import OPERATORS, erased_input
from babelscope.web.limits import Limits
from babelscope.web.models import load_demo, load_models
from babelscope.web.service import Service
from conftest import tiny
from explorer import answer, chooser, language_model, reader, tagger

TEXT = "the food was not good but the room was lovely"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    models = {
        "tiny": tiny("bert"), "decoder": tiny("gpt2"), "reader": reader(), "tagger": tagger(),
        "language": language_model(), "chooser": chooser(),
    }  # fmt: skip
    app = make_app(Explorer(Service(models), None, Limits(characters=400)))
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened


def result(client: TestClient, kind: str, **body: Any) -> dict[str, Any]:
    response = answer(client, kind, **body)
    assert response.status_code == 200, response.text
    values: dict[str, Any] = response.json()["result"]
    return values


def test_what_is_served_is_described(client: TestClient) -> None:
    about = client.get("/api/about").json()
    described = {model["name"]: model for model in about["live"]["models"]}
    assert described["tiny"]["labels"] == ["negative", "neutral", "positive"]
    assert described["reader"]["fields"] == ["Question", "Context"]
    assert described["reader"]["corpus"] == "reading"
    assert described["tagger"]["tags"]
    assert "rollout" in described["tiny"]["methods"]
    assert [row["name"] for row in about["live"]["methods"]] == list(METHODS)
    langs = {row["lang"] for row in about["live"]["texts"]["sentiment"]}
    assert {"en", "hi", "ar", "zh"} <= langs


def test_an_explanation_is_that_of_the_library(client: TestClient) -> None:
    (expected,) = explain(tiny("bert"), TEXT, "occlusion", target="neutral", lang="en")
    shown = result(client, "explain", model="tiny", texts=[TEXT], lang="en", method="occlusion",
                   target="neutral")  # fmt: skip
    assert shown["word_scores"] == list(expected.word_scores)
    assert (shown["target"], shown["label"]) == ("neutral", expected.label)
    assert shown["probability"] == expected.probability


def test_a_contrast_names_the_class_that_it_subtracts(client: TestClient) -> None:
    shown = result(client, "explain", model="tiny", texts=[TEXT], method="input_x_gradient",
                   target="positive", contrast="neutral", quantity="contrast")  # fmt: skip
    assert shown["contrast"] == "neutral"


def test_the_prediction_without_a_word_is_that_of_erase(client: TestClient) -> None:
    model = tiny("bert")
    (row,) = encode(model, [Example("text", (TEXT,), "en")])
    query = erase(model, row, row.word == 4, "mask")  # "good"
    assert query is not None
    (output,) = inference.outputs(model, [query])
    shown = result(client, "predict", model="tiny", texts=[TEXT], lang="en", erased=[4],
                   operator="mask")  # fmt: skip
    assert shown["words"][4] == "good"
    assert shown["erased"]["classes"] == [
        [model.labels[at], pytest.approx(float(output.softmax(0)[at]), abs=1e-12)]
        for at in output.argsort(descending=True).tolist()
    ]
    assert shown["erased"]["probability"] != shown["probability"]


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_model_reads_an_erased_input_as_erase_gives_it(operator: str) -> None:
    model = tiny("bert")
    (row,) = encode(model, [Example("text", (TEXT,), "en")])
    erased = erased_input(model, row, [0, 4], operator)
    query = erase(model, row, np.isin(row.word, [0, 4]), operator)
    assert query is not None
    assert inference.query(erased).digest() == query.digest()
    assert erased.words == tuple(w for at, w in enumerate(row.words) if at not in (0, 4))
    assert sorted(set(erased.word[erased.content])) == list(range(len(erased.words)))
    assert erased_input(model, row, [], operator) is row


@pytest.mark.parametrize("name", {row.module: name for name, row in METHODS.items()}.values())
def test_a_method_of_every_module_explains_an_erased_input(name: str) -> None:
    model = tiny("bert")
    (row,) = encode(model, [Example("text", ("the food was good",), "en")])
    for operator in ("mask", "delete"):
        erased = erased_input(model, row, [1], operator)
        (attribution,) = explain_encoded(model, [erased], name)
        assert len(attribution.word_scores) == 3


def test_explaining_encoded_inputs_is_explaining_the_texts(bert: Model) -> None:
    rows = encode(bert, [Example("text", (TEXT,), "en")])
    for name in ("occlusion", "lime", "integrated_gradients"):
        (expected,) = explain(bert, Example("text", (TEXT,), "en"), name)
        (attribution,) = explain_encoded(bert, rows, name)
        # `explain` reads the text in the model's own call: equal but for the last bits.
        for field in ("scores", "word_scores", "value", "reference_value", "probability"):
            both = [getattr(each, field) for each in (attribution, expected)]
            np.testing.assert_allclose(*(np.array(each, dtype=float) for each in both))
        rounded = {"scores": (), "word_scores": (), "value": 0.0, "reference_value": 0.0}
        rounded |= {"probability": 0.0, "details": {}}
        assert replace(attribution, **rounded) == replace(expected, **rounded)
        assert attribution.details.keys() == expected.details.keys()


def test_erasing_everything_or_nothing_known_is_refused() -> None:
    model = tiny("bert")
    (row,) = encode(model, [Example("text", ("no",), "en")])
    with pytest.raises(InputError, match="keep at least one"):
        erased_input(model, row, [0], "mask")
    with pytest.raises(InputError, match="there is no word 7"):
        erased_input(model, row, [7], "mask")


def test_the_trust_panel_is_that_of_the_library(client: TestClient) -> None:
    model = tiny("bert")
    (panel,) = trust(
        model, explain(model, Example("text", (TEXT,), "en"), "occlusion"), draws=1, seeds=1
    )
    shown = result(client, "trust", model="tiny", texts=[TEXT], lang="en", method="occlusion",
                   shuffles=1, seeds=1)  # fmt: skip
    assert [check["verdict"] for check in shown["checks"]] == [
        each.verdict for each in panel.checks
    ]
    assert shown["fading"]["csv"].count("\n") == 1 + len(panel.stages)
    assert shown["fading"]["svg"].startswith("<svg")
    assert set(shown["measures"]) == {"comprehensiveness", "sufficiency"}


def test_slalom_has_a_plane(client: TestClient) -> None:
    shown = result(client, "explain", model="tiny", texts=[TEXT], method="slalom")
    names = {line.split(",")[0] for line in shown["plane"]["csv"].splitlines()[1:]}
    assert {"food", "lovely"} <= names
    (chart,) = shown["plane"]["charts"]
    assert "<style" not in chart, "the page's policy allows no style inside of it"
    assert (
        result(client, "explain", model="tiny", texts=[TEXT], method="occlusion")["plane"] is None
    )


def test_ribbons_join_words_by_gold_links_or_embeddings(client: TestClient) -> None:
    texts = client.get("/api/about").json()["live"]["texts"]["sentiment"]
    group = texts[0]["group"]
    sides = {row["lang"]: row["texts"] for row in texts if row["group"] == group}
    source, translation = ({"lang": lang, "texts": sides[lang]} for lang in ("en", "zh"))
    shown = result(client, "ribbons", model="tiny", method="occlusion", source=source,
                   translation=translation)  # fmt: skip
    assert "gold links" in shown["about"]
    flow = [line.split(",") for line in shown["figure"]["csv"].splitlines()[1:]]
    assert {float(row[-1]) for row in flow} <= {0.0, 1.0}
    assert shown["c"] <= shown["ceil"] + 1e-9
    source = {"lang": "en", "texts": [TEXT]}
    shown = result(client, "ribbons", model="tiny", method="occlusion", source=source,
                   translation=source)  # fmt: skip
    assert "circular" in shown["about"]
    assert shown["c"] == pytest.approx(1.0)  # a text says the same as itself


def test_questions_tags_and_decoders(client: TestClient) -> None:
    asked = {"model": "reader", "texts": ["what was good?", TEXT]}
    answered = result(client, "predict", **asked)
    assert answered["label"] in TEXT
    assert result(client, "explain", **asked, method="occlusion", edge="start")["target"]
    tags = result(client, "predict", model="tagger", texts=[TEXT])
    assert len(tags["tags"]) == len(tags["words"])
    shown = result(client, "explain", model="tagger", texts=[TEXT], method="occlusion", word=4)
    assert shown["tagged_word"] == 4
    assert result(client, "predict", model="decoder", texts=[TEXT])["label"] in (
        "negative", "neutral", "positive",
    )  # fmt: skip


def test_next_tokens_and_candidates(client: TestClient) -> None:
    described = {each["name"]: each for each in client.get("/api/about").json()["live"]["models"]}
    assert described["language"]["labels"] == []  # every token of the vocabulary is one
    assert described["language"]["fields"] == ["Prompt"]
    shown = result(client, "predict", model="language", texts=[TEXT])
    assert len(shown["classes"]) == 5
    assert shown["classes"][0][0] == shown["label"]
    explained = result(client, "explain", model="language", texts=[TEXT], method="occlusion")
    assert explained["target"] == shown["label"]
    texts = ["the food was good", "nobody liked the meal", "the room was lovely"]
    chosen = result(client, "predict", model="chooser", texts=texts)
    # A candidate is named by its text (`shown_name`); the first text is the context of both.
    assert sorted(name for name, _ in chosen["classes"]) == sorted(texts[1:])
    explained = result(client, "explain", model="chooser", texts=texts, method="occlusion")
    assert set(explained["word_segment"]) >= {0, 1}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"texts": ["x" * 401]}, "401 were given"),
        ({"texts": ["a"] * 20}, "may have 12 texts"),
        ({"texts": [" "]}, "is empty or only white space"),
        ({"lang": "english"}, "did you mean 'en'?"),
        ({"model": "../secret"}, "is not served here"),
        ({"method": "nope"}, "there is no method"),
        ({"method": "lime", "options": {"samples": 10**9}}, "is more than"),
        ({"method": "occlusion", "options": {"operator": "sampled:/etc"}}, "cannot be changed"),
        ({"method": "inverse_frequency", "options": {"corpus": "words"}}, "cannot be changed"),
        ({"method": "masked_lrp", "options": {"heads": "file"}}, "cannot be changed"),
        ({"target": "nothing"}, "not one of the model's"),
        ({"nonsense": 1}, "Extra inputs"),
    ],
)
def test_bad_requests_are_one_line(client: TestClient, body: dict[str, Any], message: str) -> None:
    plain = {"model": "tiny", "texts": [TEXT], "method": "occlusion"}
    response = answer(client, "explain", **(plain | body))
    assert response.status_code in (400, 422)
    assert message in response.json()["error"]
    assert "\n" not in response.json()["error"]


def test_the_export_is_a_study(client: TestClient) -> None:
    passages = [{"lang": "en", "texts": [TEXT]}, {"lang": "es", "texts": ["la comida era buena"]}]
    method = {"method": "lime", "options": {"samples": 64}, "target": "positive"}
    response = client.post(
        "/api/export", json={"models": ["tiny"], "methods": [method], "passages": passages,
                             "trust": True},
    )  # fmt: skip
    assert "attachment" in response.headers["content-disposition"]
    study = parse_study(yaml.safe_load(response.text))
    assert study.languages == ["en", "es"]
    assert study.tasks[0].target == "positive"
    assert study.methods[0].options == {"samples": 64}
    assert set(study.analyses) == {"faithfulness", "trust"}
    wrong = {"models": ["tiny"], "methods": [method], "passages": [{"texts": ["a"] * 3}]}
    assert "one text or two" in client.post("/api/export", json=wrong).json()["error"]


def test_a_model_twice_and_a_missing_demo_are_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="named twice"):
        load_models(["a", "a"])
    monkeypatch.setattr("babelscope.web.models.DEMO", str(tmp_path / "nothing"))
    with pytest.raises(InputError, match="name a model: babelscope serve MODEL"):
        load_demo()
