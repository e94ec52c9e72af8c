"""What the report promises: everything named, nothing loaded, nothing half written, no text turned
into markup.
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

import synthetic_study
from babelscope.analyses import ANALYSES
from babelscope.analyses.faithfulness.families import adjusted
from babelscope.analyses.faithfulness.settings import names_of, read_named
from babelscope.analyses.faithfulness.summary import FLOOR, Summary, labelled
from babelscope.analyses.faithfulness.tables import tables
from babelscope.display.highlight import explanations_html, page_html, shade, words_html
from babelscope.display.terminal import coloured, table
from babelscope.errors import FileError, StoreError
from babelscope.reporting.build import report
from babelscope.reporting.examples import choose
from babelscope.stats import estimate
from babelscope.stats.paired import sign_flip
from babelscope.store import Cell, key, open_store, put, read_study, write_study
from babelscope.types import Attribution, Estimate, Measure, ModelInput

TAG = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a synthetic store."""
    folder = tmp_path_factory.mktemp("report")
    synthetic_study.store(folder / "store", groups=16)
    return folder


@pytest.fixture(scope="module")
def made(stored: Path) -> Path:
    """The same folder, with the store's report."""
    report(stored / "store", stored / "out")
    return stored


@pytest.fixture(scope="module")
def shown(made: Path) -> str:
    return (made / "out" / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def summary(stored: Path) -> Summary:
    store = open_store(stored / "store", create=False)
    found = tables(store, read_study(store))
    assert found is not None
    return found.summary


def test_importing_the_report_leaves_torch_out() -> None:
    rooms = [
        f"babelscope.analyses.{name}.{part}"
        for name in ANALYSES
        for part in ("spec", "tables", "section")
    ]
    modules = ", ".join(["babelscope.reporting.build", "babelscope.study.config", *rooms])
    code = (
        f"import sys, {modules}; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_page_loads_nothing_from_elsewhere(shown: str) -> None:
    assert not re.findall(r"""(?:src|href|action|data)\s*=\s*["']?\s*(?:https?:)?//""", shown)
    assert not re.findall(r"@import|url\(|<link|<iframe|<img", shown)
    assert "default-src 'none'" in shown


def test_the_page_is_small_and_its_scripts_are_closed(shown: str) -> None:
    assert shown.count("</script") == shown.count("<script")
    data = shown[shown.index('id="example-data"') :].partition("</script>")[0]
    assert len(shown.encode()) - len(data.encode()) < 1_500_000


def test_text_never_becomes_markup(shown: str) -> None:
    assert synthetic_study.SCRIPT not in shown
    assert synthetic_study.SCRIPT.replace("<", "\\u003c") in shown, "in the list of examples"
    assert "<with sdpa>" not in shown


def test_everything_is_named(shown: str) -> None:
    for name in (*synthetic_study.MODELS, *synthetic_study.QUALITY, *synthetic_study.LANGUAGES):
        assert f">{name}<" in shown
        assert f'"{name}"' in shown, "in the list of examples"
    for name in synthetic_study.METRICS:
        assert name.replace("_", " ") in shown
    for name in ("summary", "run", "models", "examples", "problems", "reading"):
        assert f'id="{name}"' in shown
    assert shown.count('<figure class="chart"') == len(synthetic_study.METRICS)


def test_texts_say_language_and_direction(shown: str) -> None:
    for lang in synthetic_study.LANGUAGES:
        assert f'dir="auto" lang="{lang}"' in shown


def test_undefined_and_failed_are_counted(shown: str, summary: Summary) -> None:
    lost = summary.rows[summary.rows["value"].isna()]
    assert len(lost) > 0
    for metric, count in lost["metric"].value_counts().items():
        total = (summary.rows["metric"] == metric).sum()
        assert f"<td>{count:,} of {total:,}</td>" in shown
    assert re.search(r"n \d+ · \d+ undefined", shown)
    assert "erasing everything moves the probability by less than 0.001" in shown
    assert "returns no attentions &lt;with sdpa&gt;" in shown
    assert "completeness gap … at … nodes" in shown


def test_random_is_the_floor_and_never_the_best(shown: str, summary: Summary) -> None:
    assert re.search(r'class="floor"><th scope="row">random<small>control</small>', shown)
    assert "random scores (control)" in shown
    assert summary.methods[-1] == FLOOR
    assert all(
        summary.best(model, metric) != FLOOR
        for model in summary.models
        for metric in summary.metrics
    )


def test_numbers_are_those_of_stats(made: Path, summary: Summary) -> None:
    found = pd.read_csv(made / "out" / "summary.csv")
    assert list(found) == [
        "model",
        "lang",
        "method",
        "metric",
        "mean",
        "low",
        "high",
        "n",
        "undefined",
    ]
    rows = summary.rows.query(
        "model == 'multi' and lang == 'hi' and method == 'occlusion' and metric == 'sufficiency'"
    )
    expected = estimate(rows["value"].tolist(), rows["cluster"].tolist())
    (row,) = found.query(
        "model == 'multi' and lang == 'hi' and method == 'occlusion' and metric == 'sufficiency'"
    ).itertuples()
    assert (row.mean, row.low, row.high, row.n, row.undefined) == pytest.approx(
        (expected.mean, expected.low, expected.high, expected.n, expected.undefined)
    )
    assert len(pd.read_csv(made / "out" / "measures.csv")) == len(summary.rows)


def test_better_is_said_only_where_the_interval_excludes_zero(summary: Summary) -> None:
    up, down = "comprehensiveness", "sufficiency"
    assert summary.verdict(up, Estimate(0.2, 0.1, 0.3, 9, 0)) == "better"
    assert summary.verdict(down, Estimate(0.2, 0.1, 0.3, 9, 0)) == "worse"
    assert summary.verdict(down, Estimate(-0.2, -0.3, -0.1, 9, 0)) == "better"
    for doubtful in (
        Estimate(0.2, -0.1, 0.3, 9, 0),
        Estimate(0.2, 0.0, 0.3, 9, 0),
        Estimate(0.2, nan, nan, 1, 0),
    ):
        assert summary.verdict(up, doubtful) == "undecided"
    assert summary.verdict("unheard of", Estimate(0.2, 0.1, 0.3, 9, 0)) == "undecided"


def test_the_summary_says_what_was_built_in(shown: str) -> None:
    # QUALITY puts attention 0.02 over random before the loss of the language, far within the noise;
    # all others far over it.
    lead = TAG.sub("", shown[shown.index('<p class="lead">') : shown.index("Brackets are")])
    assert "integrated_gradients has the highest mean for multi over 5 languages" in lead
    assert re.search(r"Not shown to be better than random: .*attention", lead)


def test_the_same_store_gives_the_same_bytes(made: Path, tmp_path: Path) -> None:
    report(made / "store", tmp_path)
    for name in ("index.html", "summary.csv", "measures.csv"):
        assert (tmp_path / name).read_bytes() == (made / "out" / name).read_bytes()


def test_an_empty_store_is_refused(tmp_path: Path) -> None:
    write_study(open_store(tmp_path / "store"), {})
    with pytest.raises(StoreError, match="nothing to report"):
        report(tmp_path / "store", tmp_path / "out")
    with pytest.raises(StoreError, match="no store"):
        report(tmp_path / "nowhere", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_failure_leaves_nothing_behind(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="cannot be written: no space left on device"):
        report(made / "store", tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_study_that_says_nothing_is_still_reported(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store")
    analyses = {"faithfulness": {"metrics": [{}]}}
    write_study(
        store, {"models": None, "methods": ["random"], "analyses": analyses, "data": "somewhere"}
    )
    rows = [Measure("a", "a", "en", "m", "random", "odd", {}, 0.5)]
    put(store, [Cell({"only": 1}, "measures", rows, {"analysis": "faithfulness"})])
    found = report(tmp_path / "store", tmp_path / "out").read_text("utf-8")
    assert "no method is ranked" in found
    assert "[–, –]" in found  # one group has no interval


def test_settings_of_a_metric_are_kept_apart_and_seeds_together() -> None:
    options = ['{"seed":0,"unit":"word"}', '{"seed":1,"unit":"word"}', '{"seed":0,"unit":"token"}']
    named = labelled(pd.DataFrame({"metric": ["m"] * 3, "options": options}))["metric"].tolist()
    assert named == ["m[unit=word]", "m[unit=word]", "m[unit=token]"]


def test_examples_vary_labels_and_begin_with_a_disagreement() -> None:
    rows = [
        {
            "group": f"g{n}",
            "lang": lang,
            "gold": "ab"[n > 4],
            "label": "b" if (n, lang) == (3, "hi") else "ab"[n > 4],
            "length": 9,
        }
        for n in range(9)
        for lang in ("en", "hi")
        if (n, lang) != (0, "hi")
    ]
    assert choose(pd.DataFrame(rows)) == ["g3", "g1", "g5", "g2", "g6", "g4"]


texts = st.text(max_size=40)


@st.composite
def attributions(draw: st.DrawFn) -> Attribution:
    """Any texts, with spans and scores that nobody checked."""
    shown = tuple(draw(st.lists(texts, min_size=1, max_size=2)))
    count = draw(st.integers(0, 8))
    spans = tuple(
        draw(
            st.lists(
                st.tuples(st.integers(0, 45), st.integers(0, 45)), min_size=count, max_size=count
            )
        )
    )
    segment = tuple(draw(st.lists(st.integers(0, 1), min_size=count, max_size=count)))
    scores = tuple(draw(st.lists(st.floats(), min_size=count, max_size=count)))
    cut = ModelInput((), None, (), (), (), (), truncated_from=9) if draw(st.booleans()) else None
    one = synthetic_study.explanation(0, "en", "multi", "occlusion")
    return replace(
        one, texts=shown, words=("",) * count, word_offsets=spans, word_segment=segment,
        word_scores=scores, scores=scores, tokens=("",) * count, segment=segment, input=cut,
    )  # fmt: skip


@given(attributions())
def test_coloured_words_are_the_text_to_the_character(one: Attribution) -> None:
    for place, text in enumerate(one.texts):
        assert html.unescape(TAG.sub("", words_html(one, place))) == text


@given(attributions())
def test_terminal_keeps_the_text_but_for_control_characters(one: Attribution) -> None:
    plain = coloured(one, "word").plain
    for text in one.texts:
        assert re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", "�", text) in plain
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", plain)


def test_a_word_is_never_split() -> None:
    for number in range(len(synthetic_study.SENTENCES)):
        for lang in synthetic_study.LANGUAGES:
            one = synthetic_study.explanation(number, lang, "multi", "occlusion")
            for word in one.words:
                assert f">{html.escape(word)}</span>" in words_html(one)


def test_shades() -> None:
    assert [shade(score, 2.0) for score in (2.0, 1.0, 0.01, 0.0, -0.01, -2.0, nan)] == [
        10,
        5,
        1,
        0,
        -1,
        -10,
        0,
    ]
    assert shade(1.0, 0.0) == 0


def test_fragment_labels_pairs_and_marks_what_has_no_score() -> None:
    pair = synthetic_study.explanation(8, "en", "multi", "occlusion", pair=True)
    odd = replace(
        synthetic_study.explanation(5, "ar", "multi", "occlusion"),
        word_scores=(nan,) * 9,
        flags=("<b>flag</b>",),
    )
    found = explanations_html([pair, odd])
    assert "text 1</span>" in found
    assert "text 2</span>" in found
    assert 'class="bs-u"' in found
    assert "<b>flag</b>" not in found
    assert synthetic_study.SCRIPT not in found
    assert "<html" not in found
    assert page_html([pair]).lstrip().startswith("<!doctype html>")
    assert "No explanations" in explanations_html([])


@pytest.mark.parametrize("unit", ["word", "token"])
def test_terminal_says_what_is_explained(unit: str) -> None:
    one = synthetic_study.explanation(2, "en", "multi", "integrated_gradients")
    found = printed(coloured(one, unit))
    for part in (
        one.label,
        f"{one.probability:.3f}",
        one.method,
        one.target,
        "completeness gap",
        "supports",
        "opposes",
        *one.words,
    ):
        assert part in found


def test_terminal_table_shows_numbers_with_three_decimals_and_no_markup() -> None:
    found = printed(table("Methods", ["name", "mean"], [("[bold]x", 0.12345)]))
    assert "[bold]x" in found
    assert "0.123 " in found


def printed(what: Text | Table) -> str:
    """What a wide terminal without colours shows."""
    file = io.StringIO()
    Console(width=200, file=file).print(what)
    return file.getvalue()


def test_what_is_said_holds_among_all_comparisons_of_a_metric(summary: Summary) -> None:
    """Holm over the page's own comparisons, from sign flips of whole clusters, written out here a
    second time.
    """
    metric = summary.metrics[0]
    family = adjusted(summary, metric)
    raw = {}
    for pair in family:
        values = summary.differences(metric, pair)
        if len(values):
            raw[pair] = sign_flip(values.groupby(level="cluster").sum().tolist()).p
    order = sorted(raw, key=lambda pair: raw[pair])
    worst = 0.0
    for place, pair in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - place) * raw[pair]))
        assert family[pair] == pytest.approx(worst, abs=1e-12)
        said = summary.decided(metric, pair)
        assert said == (
            summary.verdict(metric, summary.between(metric, pair)) if worst < 0.05 else "undecided"
        )
    kinds = {pair.kind for pair in family}
    assert kinds == {"methods", "languages", "models"}
    assert any(family[pair] >= 0.05 > raw[pair] for pair in raw), (
        "some would have been said without the correction"
    )


@pytest.mark.slow
def test_noise_is_not_told_apart() -> None:
    """Values without any difference: in most pages nothing is said, where single intervals say
    something in many.
    """
    wrong = single = 0
    for seed in range(20):
        draw = np.random.default_rng(seed)
        rows = [
            (f"m{model}", lang, method, "comprehensiveness", f"g{group}", f"g{group}",
             f"{lang}{group}", draw.normal())
            for model in range(2) for lang in ("en", "hi") for method in ("a", "b", "c",
            "random") for group in range(12)
        ]  # fmt: skip
        frame = pd.DataFrame(
            rows, columns=["model", "lang", "method", "metric", "group", "cluster", "id", "value"]
        )
        found = Summary(
            frame, {"metrics": [{"name": "comprehensiveness", "higher_is_better": True}]}
        )
        pairs = list(adjusted(found, "comprehensiveness"))
        wrong += any(found.decided("comprehensiveness", pair) != "undecided" for pair in pairs)
        gaps = [found.between("comprehensiveness", pair) for pair in pairs]
        single += any(found.verdict("comprehensiveness", gap) != "undecided" for gap in gaps)
    assert wrong <= 4
    assert single >= 10


OPTIONS = st.dictionaries(st.sampled_from(["score", "samples", "seed"]), st.integers(0, 2))


@given(st.lists(st.tuples(st.sampled_from(["slalom", "lime"]), OPTIONS), min_size=1))
def test_two_settings_never_share_a_name(asked: list[tuple[str, dict[str, int]]]) -> None:
    """Unless they differ in their seed alone; and with one setting the name is as it was."""
    texts = [(name, json.dumps(options, sort_keys=True)) for name, options in asked]
    names = names_of(texts)
    for one, first in zip(texts, asked):
        alone = {
            json.dumps({k: v for k, v in options.items() if k != "seed"})
            for name, options in asked
            if name == one[0]
        }
        assert names[one].partition("[")[0] == one[0]
        if len(alone) == 1:
            assert names[one] == one[0]
        for two, second in zip(texts, asked):
            unseeded = [
                {k: v for k, v in options.items() if k != "seed"} for _, options in (first, second)
            ]
            assert (names[one] == names[two]) == (one[0] == two[0] and unseeded[0] == unseeded[1])


def test_a_method_with_two_settings_is_two_methods(tmp_path: Path) -> None:
    """Measures carry the method's name alone; what they were made from says with which options."""
    store = open_store(tmp_path)
    for score, value in (("value", 0.25), ("lin", 0.75)):
        identity = {"kind": "attributions", "method": "slalom", "options": {"score": score}}
        one = replace(
            synthetic_study.explanation(1, "en", "both", "random"),
            method="slalom",
            options={"score": score},
        )
        measure = Measure(
            one.id, one.group, one.lang, one.model, "slalom", "sufficiency", {}, value
        )
        put(store, [Cell(identity, "attributions", [one])])
        put(
            store,
            [
                Cell(
                    {"kind": "measures", "of": key(identity), "metric": "sufficiency"},
                    "measures",
                    [measure],
                )
            ],
        )
    found = read_named(store, "measures")
    assert dict(zip(found["method"].to_pylist(), found["value"].to_pylist())) == {
        "slalom[score=value]": 0.25,
        "slalom[score=lin]": 0.75,
    }
    assert set(read_named(store, "attributions")["method"].to_pylist()) == set(
        found["method"].to_pylist()
    )
