"""What changed between two stores, the model card, and figures as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

import synthetic_study
from answer_checks import check_answer
from babelscope.display.chart import Chart, Figure, figure_svg
from babelscope.display.section import Section
from babelscope.errors import FileError, StoreError
from babelscope.reporting.against import changes, changes_section
from babelscope.reporting.build import report
from babelscope.reporting.card import card
from babelscope.reporting.figures import figure_files


def rows(shift: float, model: str = "m") -> pd.DataFrame:
    """Thirty texts in two languages whose values are all larger by `shift`."""
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        [
            (model, lang, "", "accuracy", f"{lang}{at}", f"g{at}", draw.uniform() + shift)
            for lang in ("en", "hi")
            for at in range(30)
        ],
        columns=["model", "lang", "method", "metric", "id", "cluster", "value"],
    )


def test_a_store_has_not_changed_against_itself() -> None:
    found = changes(rows(0.0), rows(0.0))
    assert [each.difference.mean for each in found] == [0.0, 0.0]
    assert not any(each.sure for each in found)
    answer = check_answer(changes_section(found, "b"))
    assert (answer.verdict, answer.label) == ("no", "Nothing changed")
    assert answer.sentence == "All 2 quantities are as before."


def test_a_change_that_is_not_sure_is_open() -> None:
    wavering = rows(0.0)
    wavering["value"] += np.random.default_rng(1).normal(0, 0.2, len(wavering))
    answer = check_answer(changes_section(changes(wavering, rows(0.0)), "b"))
    assert answer.verdict == "undecided"
    assert "None of 2 quantities changed significantly" in answer.sentence


def test_a_change_is_found_with_its_sign() -> None:
    up, down = changes(rows(0.25), rows(0.0)), changes(rows(0.0), rows(0.25))
    assert [each.difference.mean for each in up] == pytest.approx([0.25, 0.25])
    assert [each.difference.mean for each in down] == pytest.approx([-0.25, -0.25])
    assert all(each.sure for each in (*up, *down))
    answer = check_answer(changes_section(up, "<b>"))
    assert answer.verdict == "yes"
    assert "2 of 2 quantities changed" in answer.sentence


def test_one_model_each_is_compared_whatever_its_name() -> None:
    assert len(changes(rows(0.1, "v2"), rows(0.0, "v1"))) == 2
    other = rows(0.0).assign(id="x")
    with pytest.raises(StoreError, match="no text"):
        changes(rows(0.0), other)


@pytest.mark.slow
def test_the_card_is_markdown_with_every_answer(tmp_path: Path) -> None:
    synthetic_study.store(tmp_path, groups=8)
    text = card(tmp_path)
    assert text.startswith("## Explanations")
    assert "| accuracy: model | English |" in text
    assert "Not measured" in text
    assert card(tmp_path) == text


def test_every_figure_is_a_file() -> None:
    chart = Chart("t", Markup("<text>x</text>"), 100, 50)
    figure = Figure("a/b", "<i>", (chart,), ("one",), "random", ({"x": 1},))
    section = Section("s", "S", "?", Markup(""), Markup(""), charts=(figure,))
    files = figure_files([section])
    assert list(files) == ["s-1-a-b"]
    assert "<i>" not in figure_svg(figure)
    assert "&lt;i&gt;" in files["s-1-a-b"]


@pytest.mark.slow
def test_figures_that_cannot_be_written_leave_no_page(tmp_path: Path) -> None:
    synthetic_study.store(tmp_path / "store", groups=4)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="file cannot be written: file exists"):
        report(tmp_path / "store", tmp_path / "page", figures=tmp_path / "file")
    assert not (tmp_path / "page").exists()
