"""Sentences, paragraphs, texts, and units that data name: parts of the text, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelscope.data.formats import conllu
from babelscope.data.formats.export import write
from babelscope.data.formats.in_memory import as_examples
from babelscope.data.formats.tables import read
from babelscope.data.morphemes import read_morphemes, with_morphemes
from babelscope.data.units import RULES, unit_spans
from babelscope.errors import InputError
from babelscope.types import Example
from conftest import TEXTS

LONG = {
    "en": "It rained. Mr. Smith stayed!\n\nWhy? Nobody knows.\n",
    "hi": "खाना अच्छा था। कमरा छोटा था? हाँ।",
    "ar": "الطعام لذيذ. هل الغرفة صغيرة؟ نعم.",
    "zh": "房间很干净。早餐不好吃！\n下次不来了。",
    "th": "อาหารอร่อย ห้องเล็ก\nแต่สะอาด",
}


@pytest.mark.parametrize("unit", RULES)
@pytest.mark.parametrize("lang", LONG)
def test_units_by_rules_cover_the_text_once(lang: str, unit: str) -> None:
    for text in (LONG[lang], *TEXTS):
        (spans,) = unit_spans(Example("1", (text,), lang), unit)
        covered = [at for start, end in spans for at in range(start, end)]
        assert covered == sorted(set(covered))
        assert all(text[at].isspace() for at in set(range(len(text))) - set(covered))
        assert all(text[start:end].strip() == text[start:end] for start, end in spans)


def parts(lang: str, unit: str) -> list[str]:
    text = LONG[lang]
    (spans,) = unit_spans(Example("1", (text,), lang), unit)
    return [text[start:end] for start, end in spans]


def test_sentences_end_where_their_languages_end_them() -> None:
    assert parts("en", "sentence") == ["It rained.", "Mr. Smith stayed!", "Why?", "Nobody knows."]
    assert parts("hi", "sentence") == ["खाना अच्छा था।", "कमरा छोटा था?", "हाँ।"]
    assert parts("ar", "sentence") == ["الطعام لذيذ.", "هل الغرفة صغيرة؟", "نعم."]
    assert parts("zh", "sentence") == ["房间很干净。", "早餐不好吃！", "下次不来了。"]
    assert parts("th", "sentence") == ["อาหารอร่อย ห้องเล็ก", "แต่สะอาด"]


def test_paragraphs_are_between_blank_lines_or_between_line_breaks() -> None:
    assert parts("en", "paragraph") == ["It rained. Mr. Smith stayed!", "Why? Nobody knows."]
    assert parts("zh", "paragraph") == ["房间很干净。早餐不好吃！", "下次不来了。"]
    assert parts("hi", "text") == [LONG["hi"]]


def test_rows_name_units_by_spans_or_by_their_text() -> None:
    row = {"text": "unhappy people", "units": {"morpheme": [["un", "happy", "people"]]}}
    (example,) = as_examples(row)
    assert example.units == (("morpheme", (((0, 2), (2, 7), (8, 14)),)),)
    row = {"text": "unhappy people", "units": {"morpheme": [[[0, 2], [2, 7], [8, 14]]]}}
    assert as_examples(row) == [example]


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"morpheme": [["un", "sad"]]}, "'sad' is not in the text after character 2"),
        ({"morpheme": [[[0, 2], [1, 7]]]}, "[1, 7] is not in the text after character 2"),
        ({"morpheme": [["un"], ["x"]]}, "one list for each of the 1 texts"),
        ({"token": [["un"]]}, "units cannot be called 'token'"),
        ({"morpheme": [[3]]}, "3 is neither a text nor [start, end]"),
        (["un"], "expected for each name of units"),
    ],
)
def test_units_that_are_no_parts_of_the_text_are_refused_in_one_line(
    units: object, message: str
) -> None:
    with pytest.raises(InputError) as refused:
        as_examples({"text": "unhappy people", "units": units})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_units_and_answers_survive_files(tmp_path: Path, ending: str) -> None:
    named = Example("1", ("unhappy people",), "en", units=(("morpheme", (((0, 2), (2, 7)),)),))
    answered = Example("2", ("who?", "the people"), "en", answer=(4, 10),
                       answers=("people", "the people"))  # fmt: skip
    write([named, answered], tmp_path / f"rows{ending}")
    assert read(tmp_path / f"rows{ending}") == [named, answered]


def test_morphemes_come_from_a_list_of_segmented_words(tmp_path: Path) -> None:
    file = tmp_path / "en.tsv"
    file.write_text("unhappy\tun-happy\npeople\tpeople\ndogs\tdog s\n")
    (example,) = with_morphemes([Example("1", ("Unhappy dogs bark",), "en")], read_morphemes(file))
    ((name, (spans,)),) = example.units
    assert name == "morpheme"
    assert [example.texts[0][start:end] for start, end in spans] == [
        "Un", "happy", "dog", "s", "bark",
    ]  # fmt: skip
    file.write_text("unhappy\tun-sad\n")
    with pytest.raises(InputError, match=r"line 1: .*the morphemes must spell the word"):
        read_morphemes(file)
    file.write_text("\n")
    with pytest.raises(InputError, match="holds no segmented word"):
        read_morphemes(file)


def test_morphemes_come_from_a_treebank(tmp_path: Path) -> None:
    rows = [
        "1\tdogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\tMSeg=dog-s",
        "2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_",
    ]
    file = tmp_path / "en.conllu"
    file.write_text("# text = dogs bark\n" + "\n".join(rows) + "\n\n")
    (example,) = conllu.read(file, "en", "ud")
    assert example.units == (("morpheme", (((0, 3), (3, 4), (5, 9)),)),)
    file.write_text("# text = dogs bark\n" + "\n".join(rows).replace("MSeg=dog-s", "_") + "\n\n")
    (example,) = conllu.read(file, "en", "ud")
    assert example.units == ()
