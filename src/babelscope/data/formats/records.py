"""An example as a record of plain values, and back: the columns of JSONL and Parquet files."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from babelscope.data.formats.answers import answer_span, answer_texts
from babelscope.data.formats.problems import Problem
from babelscope.data.languages import language_fault
from babelscope.data.units import named_units
from babelscope.errors import InputError
from babelscope.types import Example

COLUMNS = {
    "text": ("text", "sentence", "premise", "sentence1", "text_a", "question", "document"),
    "pair": ("pair", "text_pair", "hypothesis", "sentence2", "text_b", "context", "query"),
    "id": ("id", "annotation_id", "index", "index_id"),
    "label": ("label", "category", "gold"),
    "lang": ("lang", "language"),
    "group": ("group", "group_id"),
}
"""Each field of an example and the column names under which it is found; a column map names
others.
"""

FLAT = ("id", "lang", "group", "label", "text", "pair")
"""The columns of CSV and TSV files, which hold no gold."""

GOLD = {
    "words": "for each text, for each word, [start, end] in characters",
    "rationale": "for each text, for each word, true or false",
    "heads": "for each text, for each word, its head's number from 1, or 0",
    "relations": "for each text, for each word, a name",
    "concepts": "for each text, for each word, a list of names",
    "answer": "[start, end] in characters of the last text",
    "units": "for each name of units, for each text, the units: [start, end] or their own text",
}
"""The gold that JSONL and Parquet files carry under these names, and its shape."""

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON can write it, UTF-8 cannot."""

_SHAPES: dict[str, tuple[int, type]] = {
    "words": (2, tuple),
    "rationale": (2, bool),
    "heads": (2, int),
    "relations": (2, str),
    "concepts": (3, str),
    "answer": (0, tuple),
}
"""How deep each field's lists are nested, and the type of their items; a tuple is a span."""


def record(example: Example) -> dict[str, Any]:
    """The example as plain values; absent fields are left out."""
    values: dict[str, Any] = {"id": example.id, "lang": example.lang, "group": example.group}
    if example.label is not None:
        values["label"] = example.label
    values |= dict(zip(("text", "pair"), example.texts))
    if example.units:
        values["units"] = {name: _lists(spans) for name, spans in example.units}
    if example.answers:
        values["answers"] = [{"text": text} for text in example.answers]
    return values | {
        name: _lists(getattr(example, name))
        for name in _SHAPES
        if getattr(example, name) is not None
    }


def encoded(example: Example, text: str) -> bytes:
    """The text in UTF-8, for a file; a lone surrogate is refused with the name of its example."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the example {example.id!r} cannot be written: it holds a lone surrogate; read it as "
            "UTF-8"
        ) from error


def parse(
    file: Path | str,
    line: int,
    row: Mapping[str, Any],
    columns: Mapping[str, str],
    lang: str | None,
    gold: bool = True,
) -> Iterator[Example | Problem]:
    """The example of a row; before it, the problems of its fields. A row without a text yields
    problems only.
    """
    cells: dict[str, str | None] = {}
    for field, known in COLUMNS.items():
        if field in columns and columns[field] not in row:
            missing = f"there is no column {columns[field]!r}; found: {', '.join(map(str, row))}"
            yield Problem(str(file), line, field, missing, "the column that the map names")
            return
        name = columns.get(field) or next((each for each in known if each in row), None)
        value = None if name is None else _plain(row[name])
        if field in ("text", "pair") and value is not None and not isinstance(value, str):
            yield Problem(
                str(file), line, str(name), f"a value of type {type(value).__name__}", "a text"
            )
            return
        cells[field] = None if value is None or value == "" else str(value)
    for field, cell in cells.items():
        wrong = _cell_fault(field, cell or "")
        if wrong is not None:
            yield Problem(str(file), line, field, *wrong)
            return
    if cells["text"] is None:
        missing = f"no text; found the columns {', '.join(map(str, row))}"
        column = _likely_text(row, columns)
        expected = (
            f"a text: name its column (--column text={column}, in Python babelscope.read(data, "
            f"columns={{'text': {column!r}}}))"
        )
        yield Problem(
            str(file), line, "", missing, expected, _blank(line, row, columns, cells, lang)
        )
        return
    parts: dict[str, Any] = {}
    for field in _SHAPES if gold else ():
        if row.get(field) is not None:
            value = _tuples(row[field], *_SHAPES[field])
            if value is None:
                yield Problem(str(file), line, field, repr(row[field])[:80], GOLD[field])
            else:
                parts[field] = value
    if "answer" not in parts and cells["pair"] is not None:
        span = answer_span(cells["pair"], row.get("answers"))
        parts |= {} if span is None else {"answer": span}
    if "answer" in parts:
        parts |= {"answers": answer_texts(row.get("answers"))}
    name = cells["id"] or str(line)
    texts = (cells["text"],) if cells["pair"] is None else (cells["text"], cells["pair"])
    if gold and row.get("units") is not None:
        try:
            parts["units"] = named_units(texts, dict(row["units"]))
        except (InputError, TypeError, ValueError) as error:
            yield Problem(str(file), line, "units", str(error), GOLD["units"])
    example = Example(
        name, texts, cells["lang"] or lang or "und", cells["group"] or name, cells["label"], **parts
    )
    yield from (Problem(str(file), line, *fault) for fault in gold_faults(example))
    yield example


def _plain(value: Any) -> Any:
    """A cell without the marks of a table: pandas has NaN where a cell is empty, and then 1.0 for a
    class 1.
    """
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() else value


def _likely_text(row: Mapping[str, Any], columns: Mapping[str, str]) -> str:
    """The column that probably holds the text of a row, to be suggested: one with a name like a
    known one, or else the longest text; COLUMN if there is no text."""
    known = {name for names in COLUMNS.values() for name in names} | {*columns.values()}
    texts = {
        name: str(value)
        for name, value in row.items()
        if isinstance(name, str) and isinstance(value, str) and value and name not in known
    }
    for name in texts:
        if difflib.get_close_matches(name.casefold(), COLUMNS["text"], n=1, cutoff=0.7):
            return name
    return max(texts, key=lambda name: len(texts[name]), default="COLUMN")


def _blank(
    line: int,
    row: Mapping[str, Any],
    columns: Mapping[str, str],
    cells: Mapping[str, str | None],
    lang: str | None,
) -> Example | None:
    """The row, where it has the column of the text and nothing in it."""
    if not any(name in row for name in (columns.get("text"), *COLUMNS["text"])):
        return None
    name = cells["id"] or str(line)
    texts = ("",) if cells["pair"] is None else ("", cells["pair"])
    return Example(
        name, texts, cells["lang"] or lang or "und", cells["group"] or name, cells["label"]
    )


def _cell_fault(field: str, cell: str) -> tuple[str, str] | None:
    """What is wrong with a name or a language: what was found and what was expected. A text is
    judged with its example (`texts.fault`).
    """
    if field not in ("text", "pair") and not cell.isascii() and SURROGATE.search(cell):
        return "it holds a lone surrogate", "a name that was decoded as UTF-8"
    if field == "lang" and cell and language_fault(cell) is not None:
        return repr(cell[:40]), f"a language: {language_fault(cell)}"
    return None


def gold_faults(example: Example) -> Iterator[tuple[str, str, str]]:
    """What does not fit together in an example's gold: the field, what was found, what was
    expected.
    """
    if example.answer is not None and not 0 <= example.answer[0] < example.answer[1] <= len(
        example.texts[-1]
    ):
        yield (
            "answer",
            f"the span {list(example.answer)}",
            f"a span within the {len(example.texts[-1])} characters of the last text",
        )
    for name in ("words", "rationale", "heads", "relations", "concepts"):
        value = getattr(example, name)
        if value is None:
            continue
        if len(value) != len(example.texts):
            yield name, f"{len(value)} lists", f"one for each of the {len(example.texts)} texts"
        elif example.words is None or len(example.words) != len(example.texts):
            if name != "words":
                yield name, "no words", "the field words beside it"
        else:
            for text, (words, each) in enumerate(zip(example.words, value)):
                if len(each) != len(words):
                    yield (
                        name,
                        f"{len(each)} values for text {text + 1}",
                        f"one for each of its {len(words)} words",
                    )
                elif (
                    name == "words"
                    and (wrong := _misplaced(words, example.texts[text])) is not None
                ):
                    yield (
                        name,
                        f"the span {list(wrong)}",
                        "spans within the text, one after the other",
                    )
                elif name == "heads" and (fault := tree_fault(each)):
                    yield name, fault, "heads that form trees"


def tree_fault(heads: tuple[int, ...]) -> str:
    """Why these heads do not form trees; "" if they do."""
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= len(heads):
            return f"word {word} has the head {head} of {len(heads)} words"
    done: set[int] = {0}
    for start in range(1, len(heads) + 1):
        path: list[int] = []
        word = start
        while word not in done:
            if word in path:
                return f"word {word} is its own ancestor"
            path.append(word)
            word = heads[word - 1]
        done.update(path)
    return ""


def _misplaced(words: tuple[tuple[int, int], ...], text: str) -> tuple[int, int] | None:
    last = 0
    for start, end in words:
        if not last <= start < end <= len(text):
            return start, end
        last = end
    return None


def _lists(value: Any) -> Any:
    return [_lists(each) for each in value] if isinstance(value, tuple) else value


def _tuples(value: Any, depth: int, kind: type) -> Any:
    """Nested lists of that depth and kind as tuples; None if they are anything else."""
    if depth == 0 and kind is bool:
        return bool(value) if value in (0, 1) else None
    if depth == 0 and kind is not tuple:
        return value if type(value) is kind else None
    if not isinstance(value, (list, tuple)) or (depth == 0 and len(value) != 2):
        return None
    items = tuple(
        _tuples(each, depth - 1, kind) if depth else _tuples(each, 0, int) for each in value
    )
    return None if any(each is None for each in items) else items
