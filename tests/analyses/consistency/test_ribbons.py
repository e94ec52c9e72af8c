"""The picture of weight between two sentences: widths are weights, lines run as they are read,
words are never markup.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from math import isnan, nan

import numpy as np
import pytest

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.matrix import grid
from babelscope.analyses.consistency.pairs import Flow, Pair, Settings
from babelscope.analyses.consistency.ribbons import (
    SCALE,
    Ribbon,
    make_ribbon,
    ribbon_chart,
    ribbon_figure,
    ribbon_starts,
    right_to_left,
    text_width,
)
from babelscope.analyses.consistency.score import Consistency, consistency
from babelscope.analyses.consistency.section import section
from babelscope.analyses.consistency.stored_pairs import Origin
from babelscope.analyses.consistency.summary import summarise
from babelscope.analyses.consistency.tables import Tables, build_tables
from babelscope.reporting.build import section_page
from babelscope.types import UnitScores

WORDS = {
    "en": ("The", "<b>food</b>", "&", "was", "good"),
    "ar": ("كان", "الطعام", "جيدا", "جدا"),
    "hi": ("खाना", "अच्छा", "था"),
    "zh": ("食物", "很", "好"),
}
SVG = "{http://www.w3.org/2000/svg}"


def sides(lang: str, seed: int = 0) -> Ribbon:
    rng = np.random.default_rng(seed)
    one, two = (UnitScores("1", each, WORDS[each],
                           tuple(rng.normal(size=len(WORDS[each])).tolist()),
                           (0,) * len(WORDS[each]))
                for each in ("en", lang))  # fmt: skip
    similarity = rng.uniform(-0.5, 1, (len(one.units), len(two.units)))
    return Ribbon(
        one, two, consistency(np.array(one.scores), np.array(two.scores), similarity), similarity
    )


def middles(picture: str, lang: str) -> list[float]:
    found = [each for each in ET.fromstring(picture).iter(f"{SVG}text") if each.get("lang") == lang]
    assert [each.text for each in found] == list(WORDS[lang])
    return [float(str(each.get("x"))) for each in found]


@pytest.mark.parametrize("lang", ["ar", "hi", "zh"])
def test_lines_run_as_they_are_read_arabic_from_the_right(lang: str) -> None:
    picture = str(ribbon_chart(sides(lang)).svg)
    assert middles(picture, "en") == sorted(middles(picture, "en"))
    order = middles(picture, lang)
    assert order == sorted(order, reverse=lang == "ar")
    assert right_to_left(WORDS[lang]) == (lang == "ar")
    width = float(str(ET.fromstring(picture).get("width")))
    assert all(0 < place < width for place in order)


@pytest.mark.parametrize("seed", range(4))
def test_ribbons_fill_their_words_and_never_overlap(seed: int) -> None:
    """At every word the ribbons lie side by side within its weight, around its middle."""
    plan = sides("ar", seed).score.plan
    assert plan is not None
    here, there = np.arange(len(plan)) * 400.0, np.arange(plan.shape[1]) * 300.0
    starts = ribbon_starts(plan, here.tolist(), there.tolist())
    for word, weights in enumerate(plan):
        spans = sorted(
            (starts[word, j], starts[word, j] + SCALE * weights[j]) for j in np.flatnonzero(weights)
        )
        assert spans[0][0] == pytest.approx(here[word] - SCALE * weights.sum() / 2)
        assert spans[-1][1] == pytest.approx(here[word] + SCALE * weights.sum() / 2)
        for before, after in pairwise(spans):
            assert before[1] == pytest.approx(after[0])


def test_only_flow_that_earns_is_drawn_and_the_caption_has_the_nulls() -> None:
    ribbon = sides("hi", 3)
    plan = ribbon.score.plan
    assert plan is not None
    picture = ET.fromstring(str(ribbon_chart(ribbon).svg))
    assert len(list(picture.iter(f"{SVG}path"))) == int(
        ((plan > 0.002) & (ribbon.similarity > 0)).sum()
    )
    told = str(picture.get("aria-label"))
    assert all(name in told for name in ("C ", "C_unif", "C_perm", "ceil", "lift"))
    figure = ribbon_figure(ribbon)
    assert {(row["source"], row["target"]) for row in figure.rows} == {
        (ribbon.source.units[i], ribbon.target.units[j]) for i, j in np.argwhere(plan > 0.002)
    }
    assert figure.note.startswith("C ")
    with pytest.raises(ValueError, match="no plan"):
        ribbon_chart(replace(ribbon, score=Consistency(reason="a text has no unit")))


def test_a_ribbon_is_redrawn_from_its_flow_without_the_words_that_were_left_out() -> None:
    ribbon = sides("zh", 1)
    plan = ribbon.score.plan
    assert plan is not None
    rows, columns = np.nonzero(plan)
    flow = Flow(rows, columns, plan[rows, columns], ribbon.similarity[rows, columns])
    everything = np.ones(len(ribbon.source.units), bool), np.ones(len(ribbon.target.units), bool)
    again = make_ribbon(ribbon.source, ribbon.target, ribbon.score, flow, everything)
    assert ribbon_chart(again) == ribbon_chart(ribbon), (
        "the similarity of words that no weight joins is not drawn"
    )
    some = everything[0].copy()
    some[1] = False
    fewer = make_ribbon(ribbon.source, ribbon.target, ribbon.score, flow, (some, everything[1]))
    assert WORDS["en"][1] not in fewer.source.units
    assert fewer.score.plan is not None
    np.testing.assert_allclose(fewer.score.plan, np.delete(plan, 1, axis=0))


def test_wide_signs_are_wider_and_marks_have_no_width() -> None:
    assert text_width("食物") > text_width("ab")
    assert text_width("خَ") == text_width("خ")


def comparison(source: str, lifts: dict[str, float], space: str = "s") -> tuple[Origin, Comparison]:
    """Three pairs of each language with the same lift; NaN for none."""
    pairs = []
    for lang, lift in lifts.items():
        score = Consistency(
            c=lift,
            c_perm=0.0,
            c_unif=0.5,
            ceil_s=1.0,
            ceil_t=1.0,
            reason="none" if isnan(lift) else "",
        )
        said = {"prediction_s": "x", "prediction_t": "x", "gold_t": "x"}
        pairs += [Pair(str(k), lang, score, cluster=str(k), **said) for k in range(3)]
    return Origin(f"tuned in {source}", "t", "m", {}, 0), Comparison(
        source, space, Settings(), pairs, summarise(pairs)
    )


def test_the_matrix_has_a_cell_per_source_and_target_and_none_where_there_is_no_value() -> None:
    tables = build_tables(
        [comparison("en", {"es": 0.2, "hi": nan}), comparison("es", {"en": -0.1})]
    )
    (matrix,) = tables.matrices
    lift = grid(matrix, "lift")
    assert (lift.sources, lift.targets) == (("en", "es"), ("en", "es", "hi")), (
        "the diagonal is a diagonal"
    )
    values = [[cell.text for cell in row] for row in lift.cells]
    assert values == [["–", "0.20", "–"], ["−0.10", "–", "–"]]
    shares = [[cell.share for cell in row] for row in lift.cells]
    assert shares == [[0, 1, 0], [pytest.approx(-0.5), 0, 0]], (
        "0 has no shade, the largest has the full one"
    )
    assert grid(matrix, "accuracy").cells[0][1].value == 1


def test_names_are_never_markup() -> None:
    listed = [comparison(each, {"<script>x": 0.1}, "<i>") for each in ("en", "<img>")]
    ribbon = sides("zh")
    named = replace(ribbon, source=replace(ribbon.source, id="<u>"))
    tables: Tables = build_tables(listed, [named])
    made = section_page(section(tables))
    plain = re.sub(r"<script>.*?</script>", "", made, flags=re.S)
    for bad in ("<i>", "<img>", "<script>x", "<u>", "<b>food"):
        assert bad not in plain
