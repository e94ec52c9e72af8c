"""The index of a store finds what a scan of its rows finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import synthetic_study
from babelscope.errors import InputError, StoreError
from babelscope.methods import METHODS
from babelscope.store import Cell, open_store, put, read_attributions
from babelscope.types import Attribution, StoredPanel
from babelscope.web.app import STATIC, Explorer, make_app
from babelscope.web.index import Index
from babelscope.web.indexing import read_index
from babelscope.web.search import Filter, matching, ordered
from babelscope.web.views import disagreements, influential_words, punctuation, untrusted


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("index") / "store"
    store = synthetic_study.store(place)
    first = next(row for row in read_attributions(store) if row.method == "occlusion")
    checks = [
        {"name": name, "value": 0.1, "low": None, "high": None, "verdict": verdict, "said": ""}
        for name, verdict in (("completeness", "holds"), ("sufficiency", "fails"))
    ]
    panel = StoredPanel(
        first.id, first.group, first.lang, first.model, first.method, {}, 0,
        {"checks": checks, "stages": [], "untrained": None},
    )  # fmt: skip
    put(store, [Cell({"kind": "panels"}, "panels", [panel])])
    return place


@pytest.fixture(scope="module")
def index(folder: Path) -> Index:
    return read_index(folder)


@pytest.fixture(scope="module")
def scanned(folder: Path) -> list[Attribution]:
    return read_attributions(open_store(folder, create=False))


Test = Callable[[Attribution], bool]
CASES: list[tuple[dict[str, Any], Test]] = [
    ({}, lambda row: True),
    ({"lang": "hi", "model": "multi"}, lambda row: row.lang == "hi" and row.model == "multi"),
    ({"method": "occlusion", "label": "positive"},
     lambda row: row.method == "occlusion" and row.label == "positive"),
    ({"right": "wrong"}, lambda row: row.label != row.gold),
    ({"right": "right"}, lambda row: row.label == row.gold),
    ({"right": "unknown"}, lambda row: row.gold is None),
    ({"flag": "any"}, lambda row: bool(row.flags)),
    ({"flag": "none"}, lambda row: not row.flags),
    ({"flag": "completeness gap … at … nodes"}, lambda row: bool(row.flags)),
    ({"text": "SCRIPT"}, lambda row: "script" in row.texts[0].lower()),
    ({"text": "रिसेप्शन"}, lambda row: "रिसेप्शन" in row.texts[0]),
    ({"lang": "nothing"}, lambda row: False),
]  # fmt: skip


@pytest.mark.parametrize(("chosen", "test"), CASES, ids=[str(chosen) for chosen, _ in CASES])
def test_a_filter_is_a_scan(
    index: Index, scanned: list[Attribution], chosen: dict[str, Any], test: Test
) -> None:
    rows = np.flatnonzero(matching(index, Filter(**chosen)))
    shown = index.rows(rows)
    found = sorted((row["id"], row["model"], row["method"]) for row in shown)
    assert found == sorted((row.id, row.model, row.method) for row in scanned if test(row))


def test_rows_are_shown_with_their_own_words_and_scores(
    index: Index, scanned: list[Attribution]
) -> None:
    by_name = {(row.id, row.model, row.method): row for row in scanned}
    for shown in index.rows(np.array([200, 0, 77])):
        row = by_name[shown["id"], shown["model"], shown["method"]]
        assert shown["words"] == list(row.words)
        np.testing.assert_equal(shown["word_scores"], list(row.word_scores))


def test_translations_with_different_labels_disagree(
    index: Index, scanned: list[Attribution]
) -> None:
    labels: dict[tuple[str, str], set[str]] = {}
    for row in scanned:
        labels.setdefault((row.model, row.group), set()).add(row.label)
    expected = {key for key, names in labels.items() if len(names) > 1}
    names = index.names
    found = {
        (names["model"].name(row), names["group"].name(row))
        for row in np.flatnonzero(index.disagrees).tolist()
    }
    assert found == expected != set()


@pytest.mark.parametrize("descending", [False, True])
def test_sorting_puts_undefined_values_last(index: Index, descending: bool) -> None:
    rows = ordered(index, np.ones(len(index), bool), "normalised_sufficiency", descending)
    values = index.numbers["normalised_sufficiency"][rows]
    known = values[~np.isnan(values)]
    assert 0 < len(known) < len(values)
    assert np.isnan(values[len(known) :]).all()
    assert (np.diff(known) <= 0 if descending else np.diff(known) >= 0).all()
    with pytest.raises(InputError, match="cannot be sorted by 'size'"):
        ordered(index, np.ones(len(index), bool), "size")


def test_translations_are_listed_together_in_the_order_of_the_study(index: Index) -> None:
    rows = ordered(index, np.ones(len(index), bool)).tolist()
    names = ("group", "lang", "model", "method")
    listed = [tuple(index.names[name].name(row) for name in names) for row in rows]
    groups = [key[0] for key in listed]
    assert groups == sorted(groups, key=str)
    first = [key for key in listed if key[0] == groups[0]]
    langs = list(dict.fromkeys(key[1] for key in first))
    assert langs == [lang for lang in synthetic_study.LANGUAGES if lang in langs] != sorted(langs)
    methods = [key[3] for key in first if key[1:3] == ("en", "multi")]
    assert methods == list(synthetic_study.QUALITY)
    assert index.about()["names"]["method"] == list(synthetic_study.QUALITY)


def test_metrics_are_those_of_the_store(index: Index, folder: Path) -> None:
    row = next(iter(index.rows(np.array([30]))))
    (explained,) = [
        each
        for each in read_attributions(open_store(folder, create=False))
        if (each.id, each.model, each.method) == (row["id"], row["model"], row["method"])
    ]
    expected = {each.metric: each.value for each in synthetic_study.measures(explained)}
    for name, value in expected.items():
        np.testing.assert_equal(row["numbers"][name], value)


def test_influential_words_are_sums_of_shares(index: Index, scanned: list[Attribution]) -> None:
    chosen = Filter(lang="en", model="multi", method="integrated_gradients")
    views = influential_words(index, matching(index, chosen), fewest=1)
    view = next(each for each in views if each["target"] == "negative")
    sums: dict[str, float] = {}
    for row in scanned:
        if (row.lang, row.model, row.method, row.target) == (
            "en", "multi", "integrated_gradients", "negative",
        ):  # fmt: skip
            most = max(abs(score) for score in row.word_scores)
            for word, score in zip(row.words, row.word_scores):
                sums[word.lower()] = sums.get(word.lower(), 0.0) + score / most
    best = max(sums, key=lambda word: sums[word])
    assert view["words"][0]["word"] == best
    assert view["words"][0]["influence"] == pytest.approx(sums[best], abs=1e-5)


def test_pairs_of_languages_are_counted_once_per_text(index: Index) -> None:
    view = disagreements(index, matching(index, Filter(model="multi")))
    assert {tuple(sorted(pair["langs"])) for pair in view["pairs"]} == {
        (a, b) for a in synthetic_study.LANGUAGES for b in synthetic_study.LANGUAGES if a < b
    }
    assert all(pair["texts"] == 8 for pair in view["pairs"])
    order = list(synthetic_study.LANGUAGES)  # of the study, in every view
    assert [pair["langs"] for pair in view["pairs"]] == [
        [a, b] for at, a in enumerate(order) for b in order[at + 1 :]
    ]
    assert all(list(group["labels"]) == order for group in view["groups"])
    for group in view["groups"]:  # known by its text in the first language
        (shown,) = index.rows(np.array([group["row"]]))
        assert (shown["lang"], shown["group"]) == (order[0], group["group"])
    words = influential_words(index, matching(index, Filter(model="multi")))
    assert list(dict.fromkeys(each["lang"] for each in words)) == order
    for group in view["groups"]:
        assert len(set(group["labels"].values())) == 2


def test_failed_checks_are_counted(index: Index) -> None:
    (view,) = untrusted(index, np.ones(len(index), bool))
    assert view["checks"]["sufficiency"] == {
        "holds": 0, "fails": 1, "undecided": 0, "undefined": 0, "not run": 0, "does not apply": 0,
    }  # fmt: skip
    assert matching(index, Filter(trust="fails")).sum() == 1
    assert matching(index, Filter(trust="not checked")).sum() == len(index) - 1


def test_gold_marks_and_empty_stores(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store")
    assert len(read_index(store.path)) == 0
    row = synthetic_study.explanation(0, "en", "multi", "occlusion")
    marks = tuple(word == "wonderful" for word in row.words)
    put(
        store, [Cell({"method": "occlusion"}, "attributions", [replace(row, rationale=marks), row])]
    )
    index = read_index(store.path)
    words = influential_words(index, np.ones(2, bool))[0]["words"]
    assert {each["word"]: each["gold"] for each in words}["wonderful"] == 1.0


def test_punctuation_is_counted_and_not_listed(tmp_path: Path) -> None:
    """It speaks most for the class here; an emoji is a word."""
    row = synthetic_study.explanation(0, "en", "multi", "occlusion")
    words = tuple(["!", "😀", "।", "a-b", "«»", "x", "y", "z"][: len(row.words)])
    assert len(words) >= 5
    scores = tuple([9.0, 1.0, 8.0, 2.0, 7.0, 0.5, 0.25, 0.125][: len(row.words)])
    changed = replace(row, words=words + row.words[8:], word_scores=scores + row.word_scores[8:])
    store = open_store(tmp_path / "store")
    put(store, [Cell({"method": "occlusion"}, "attributions", [changed, changed])])
    (view,) = influential_words(read_index(store.path), np.ones(2, bool))
    listed = [each["word"] for each in view["words"]]
    assert {"😀", "a-b"} <= set(listed)
    assert not {"!", "।", "«»"} & set(listed)
    assert not any(punctuation(word) for word in listed)
    rest = sum(punctuation(word) for word in changed.words)
    assert view["punctuation"] == 2 * rest >= 6
    shares = {each["word"]: each["mean"] for each in view["words"]}
    assert shares["a-b"] == pytest.approx(2.0 / 9.0), "scores stay shares of the largest of all"


def test_a_damaged_cell_is_left_out_and_named(tmp_path: Path) -> None:
    place = tmp_path / "store"
    store = synthetic_study.store(place, groups=1, models=("mono-en",))
    whole = len(read_index(place))
    file = sorted((store.path / "attributions").glob("*.parquet"))[0]
    file.write_bytes(file.read_bytes()[:-20])
    index = read_index(place)
    assert 0 < len(index) < whole
    assert "is left out" in index.damaged[0]
    with pytest.raises(StoreError, match="there is no store"):
        read_index(tmp_path / "nothing")


def test_the_addresses_of_a_store(index: Index) -> None:
    client = TestClient(make_app(Explorer(index=index)), base_url="http://127.0.0.1")
    page = client.get("/api/store/examples", params={"lang": "ar", "limit": 3, "offset": 2}).json()
    assert page["total"] > 5
    assert len(page["examples"]) == 3
    related = client.get(f"/api/store/related/{page['examples'][0]['row']}").json()["examples"]
    assert len({each["method"] for each in related}) > 1
    assert len({each["lang"] for each in related}) == 5
    assert client.get("/api/store/related/99999").status_code == 404
    assert client.post("/api/predict", json={}).status_code in (404, 405)
    for path in ("words", "disagreements", "untrusted"):
        assert client.get(f"/api/store/{path}").status_code == 200


def test_the_page_knows_which_methods_are_controls() -> None:
    script = (STATIC / "format.js").read_text("utf-8")
    (table,) = re.findall(r"const CONTROLS = \{(.*)\};", script)
    named = re.findall(r'(\w+): "[^"]*\(control\)"', table)
    assert named == [row.name for row in METHODS.values() if row.family == "control"]


def test_answers_to_questions_are_no_menu(tmp_path: Path) -> None:
    store = synthetic_study.store(tmp_path / "store", groups=1)
    row = read_attributions(store)[0]
    several = [replace(row, id=str(n), label=f"answer {n}", gold=f"answer {n}") for n in range(201)]
    path = tmp_path / "answers"
    put(open_store(path), [Cell({"method": "occlusion"}, "attributions", several[:200])])
    about = read_index(path).about()
    assert len(about["names"]["label"]) == len(about["names"]["gold"]) == 200
    put(open_store(path), [Cell({"method": "random"}, "attributions", several[200:])])
    about = read_index(path).about()
    assert about["names"]["label"] == about["names"]["gold"] == []
    assert about["judged"]
