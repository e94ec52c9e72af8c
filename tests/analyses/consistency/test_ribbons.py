"""The picture of weight between two sentences: widths are weights, lines run as they are read, words are never markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from babelscope.analyses.consistency.ribbons import SCALE, _starts, breadth, rightward, svg
from babelscope.analyses.consistency.score import Consistency, consistency
from babelscope.analyses.consistency.section import heat, page
from babelscope.types import UnitScores

WORDS = {
    "en": ("The", "<b>food</b>", "&", "was", "good"),
    "ar": ("كان", "الطعام", "جيدا", "جدا"),
    "hi": ("खाना", "अच्छा", "था"),
    "zh": ("食物", "很", "好"),
}
SVG = "{http://www.w3.org/2000/svg}"


def sides(lang: str, seed: int = 0) -> tuple[UnitScores, UnitScores, Consistency, np.ndarray]:
    rng = np.random.default_rng(seed)
    one, two = (UnitScores("1", each, WORDS[each], tuple(rng.normal(size=len(WORDS[each])).tolist()), (0,) * len(WORDS[each]))
                for each in ("en", lang))  # fmt: skip
    similarity = rng.uniform(-0.5, 1, (len(one.units), len(two.units)))
    return one, two, consistency(np.array(one.scores), np.array(two.scores), similarity), similarity


def middles(picture: str, lang: str) -> list[float]:
    found = [each for each in ET.fromstring(picture).iter(f"{SVG}text") if each.get("lang") == lang]
    assert [each.text for each in found] == list(WORDS[lang])
    return [float(str(each.get("x"))) for each in found]


@pytest.mark.parametrize("lang", ["ar", "hi", "zh"])
def test_lines_run_as_they_are_read_arabic_from_the_right(lang: str) -> None:
    picture = str(svg(*sides(lang)))
    assert middles(picture, "en") == sorted(middles(picture, "en"))
    order = middles(picture, lang)
    assert order == sorted(order, reverse=lang == "ar")
    assert rightward(WORDS[lang]) == (lang == "ar")
    width = float(str(ET.fromstring(picture).get("width")))
    assert all(0 < place < width for place in order)


@pytest.mark.parametrize("seed", range(4))
def test_ribbons_fill_their_words_and_never_overlap(seed: int) -> None:
    """At every word the ribbons lie side by side within its weight, around its middle."""
    _, _, found, _ = sides("ar", seed)
    plan = found.plan
    assert plan is not None
    here, there = np.arange(len(plan)) * 400.0, np.arange(plan.shape[1]) * 300.0
    starts = _starts(plan, here.tolist(), there.tolist())
    for word, weights in enumerate(plan):
        spans = sorted((starts[word, j], starts[word, j] + SCALE * weights[j]) for j in np.flatnonzero(weights))
        assert spans[0][0] == pytest.approx(here[word] - SCALE * weights.sum() / 2)
        assert spans[-1][1] == pytest.approx(here[word] + SCALE * weights.sum() / 2)
        for before, after in pairwise(spans):
            assert before[1] == pytest.approx(after[0])


def test_only_flow_that_earns_is_drawn_and_the_caption_has_the_nulls() -> None:
    one, two, found, similarity = sides("hi", 3)
    assert found.plan is not None
    picture = ET.fromstring(str(svg(one, two, found, similarity)))
    assert len(list(picture.iter(f"{SVG}path"))) == int(((found.plan > 0.002) & (similarity > 0)).sum())
    told = str(picture.get("aria-label"))
    assert all(name in told for name in ("C ", "C_unif", "C_perm", "ceil", "lift"))
    with pytest.raises(ValueError, match="no plan"):
        svg(one, two, Consistency(reason="a text has no unit"), similarity)


def test_wide_signs_are_wider_and_marks_have_no_width() -> None:
    assert breadth("食物") > breadth("ab")
    assert breadth("خَ") == breadth("خ")


def line(lang: str, lift: float | None) -> dict[str, object]:
    one = {"mean": lift, "low": lift, "high": lift, "n": 3, "undefined": 0}
    return {"lang": lang, "p": 0.5, **dict.fromkeys(("c", "c_unif", "c_perm", "c_mis", "c_rand", "ceil", "lift", "kappa"), one)}


def test_the_map_has_a_cell_per_source_and_target_and_none_where_there_is_no_value() -> None:
    told = [
        {"source": "en", "languages": [line("es", 0.2), line("hi", None)]},
        {"source": "es", "languages": [line("en", -0.1)]},
    ]
    found = heat(told, "lift")["data"][0]
    assert (found["y"], found["x"]) == (["en", "es"], ["en", "es", "hi"]), "the diagonal is a diagonal"
    assert found["z"] == [[None, 0.2, None], [-0.1, None, None]]
    assert found["zmin"] == -found["zmax"], "0 must be the middle of the colours"


def test_names_are_never_markup() -> None:
    common = {"settings": {"norm": "abs"}, "space": "<i>", "centred": False, "languages": [line("<script>x", 0.1)]}
    told = [{"source": each, **common} for each in ("en", "<img>")]
    made = page(told, [("<u>", svg(*sides("zh")))])
    plain = re.sub(r"<script>.*?</script>", "", made, flags=re.S)
    for bad in ("<i>", "<img>", "<script>x", "<u>", "<b>food"):
        assert bad not in plain
