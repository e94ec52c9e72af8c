"""Swaps of a study: tables from what the store holds, and what the report says of them."""

from __future__ import annotations

from math import nan

import pandas as pd
import pytest

from babelscope.analyses.faithfulness.pairings import MeasuredTexts
from babelscope.analyses.faithfulness.spec import Spec
from babelscope.analyses.faithfulness.swaps_section import swap_chapter
from babelscope.analyses.faithfulness.tokenizer_swaps import (
    cell_table,
    effect_table,
    study_swaps,
)
from babelscope.errors import InputError
from babelscope.options import Choice
from babelscope.study.config import parse_study

NAMES = {
    "multilingual": "MM", "multilingual_swapped": "Mm", "monolingual": "mm",
    "monolingual_swapped": "mM",
}  # fmt: skip
SWAPS = study_swaps({"swaps": [NAMES]})
UNITS = [(task, lang) for task in ("nli", "topic", "paws", "qa") for lang in ("en", "hi")]


def measured(value: dict[str, float], right: bool = True) -> MeasuredTexts:
    """Eight units of four texts; a model's value is the given one above random scores. Tokens per
    word are 2 with the multilingual tokenizer, 1 with the other."""
    rows, readings = [], []
    for task, lang in UNITS:
        for text, model in ((text, model) for text in range(4) for model in value):
            place = {"model": model, "seed": 0, "task": task, "lang": lang, "id": f"{lang}{text}"}
            tokens = 4 if model[1] == "M" else 2
            readings.append(
                place | {"right": right, "tokens": tokens, "words": 2, "split": tokens // 2 - 1}
            )
            place |= {"cluster": f"{task}{lang}{text}", "metric": "nc"}
            for method, above in (("random", 0.0), ("ig", value[model] + 0.001 * text)):
                rows.append(place | {"method": method, "value": 0.1 + above})
    return MeasuredTexts(pd.DataFrame(rows), pd.DataFrame(readings), {"nc": "nc"}, ())


def test_tables_hold_the_effects_and_what_they_are_made_of() -> None:
    """The tokenizer takes .2 from either body, the body gives .1: a gap of -.1."""
    contents = measured({"MM": 0.4, "Mm": 0.6, "mM": 0.3, "mm": 0.5})
    table = effect_table(contents, SWAPS)
    whole = table[(table["lang"] == "all") & (table["texts"] == "all right")]
    values = whole.set_index("effect")["value"]
    assert values.to_dict() == pytest.approx(
        {"gap": -0.1, "tokenizer": -0.2, "body": 0.1, "interaction": 0.0}, abs=1e-12
    )
    assert set(table["lang"]) == {"all", "en", "hi"}
    fertility = table[table["metric"] == "fertility"].set_index("effect")["value"]
    assert fertility.to_dict() == {"gap": 1, "tokenizer": 1, "body": 0, "interaction": 0}
    cells = cell_table(contents, SWAPS).set_index("model")
    assert cells.loc["Mm", "fertility"] == 1
    assert cells.loc["mM", "above_random"] == pytest.approx(0.3 + 0.0015)
    assert cells["n"].tolist() == [32] * 4


def test_the_report_says_which_part_is_shown() -> None:
    chapter = swap_chapter(effect_table(measured({"MM": 0.4, "Mm": 0.6, "mM": 0.3, "mm": 0.5}),
                                        SWAPS))  # fmt: skip
    assert chapter is not None
    said = chapter.sentences[0].striptags()
    assert "both parts differ from 0, over 8 tasks and languages" in said
    assert "accuracy is 0.000 higher" in chapter.sentences[-1].striptags()
    assert [line[2] for line in chapter.lines] == ["all", "en", "hi"]
    alone = effect_table(measured({"MM": 0.4, "Mm": 0.6, "mM": 0.4, "mm": 0.6}), SWAPS)
    only = swap_chapter(alone)
    assert only is not None
    assert "only the part of the tokenizer is shown" in only.sentences[0].striptags()


def test_without_texts_that_all_predict_rightly_or_values_nothing_is_said() -> None:
    wrong = measured({"MM": 0.4, "Mm": 0.6, "mM": 0.3, "mm": 0.5}, right=False)
    table = effect_table(wrong, SWAPS)
    assert set(table["texts"]) == {"all"}
    assert swap_chapter(table) is None
    undefined = swap_chapter(
        effect_table(measured({"MM": nan, "Mm": 0.6, "mM": 0.3, "mm": 0.5}), SWAPS)
    )
    assert undefined is not None
    assert "nothing follows" in undefined.sentences[0]
    assert undefined.lines[0][3] == ["–"] * 4


def test_a_study_without_swaps_has_an_empty_table() -> None:
    assert effect_table(measured({"MM": 0.4, "mm": 0.5}), ()).empty
    assert study_swaps({}) == ()


def test_unknown_models_are_refused() -> None:
    block = {"swaps": [NAMES]}
    assert Spec(metrics=[Choice(name="comprehensiveness")], **block).swaps[0].multilingual == "MM"
    models = [
        {"name": name, "train": {"languages": ["en"]}} for name in ("MM", "Mm", "mm", "other")
    ]
    with pytest.raises(InputError, match="a swap names the model 'mM'"):
        parse_study(
            {
                "name": "s", "languages": ["en"], "models": models, "methods": ["random"],
                "tasks": [{"name": "t", "data": {"builtin": "topic"}}], "faithfulness": block,
            }
        )  # fmt: skip
