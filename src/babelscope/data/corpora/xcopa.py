"""XCOPA: a premise and two alternatives, one of which is its cause or its effect, in eleven
languages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelscope.data.corpora.row import Corpus, tags
from babelscope.data.formats import jsonl
from babelscope.data.formats.problems import Problem, sound
from babelscope.types import Example

QUESTIONS = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}
"""COPA's own questions; XCOPA names them in English in every language, and so are they asked here.
"""


def read(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """The premise with its question, and then the two alternatives; the label is the number of the
    right one, from 0.

    One `idx` is one item in every language of a split."""
    return sound(_examples(file, lang, prefix))


def _examples(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    for item in jsonl.rows(file):
        if isinstance(item, Problem):
            yield item
            continue
        line, row = item
        fault = _fault(row)
        if fault is not None:
            yield Problem(str(file), line, *fault)
            continue
        group = f"{prefix}-{row['idx']}"
        context = f"{row['premise'].strip()} {QUESTIONS[row['question']]}"
        texts = (context, row["choice1"].strip(), row["choice2"].strip())
        yield Example(f"{group}-{lang}", texts, lang, group, str(row["label"]))


def _fault(row: dict[str, Any]) -> tuple[str, str, str] | None:
    """Field, found and expected of what is wrong with a row."""
    for name in ("premise", "choice1", "choice2", "question", "label", "idx"):
        if name not in row:
            return name, f"the members {', '.join(row)}", f"a member {name}"
    for name in ("premise", "choice1", "choice2"):
        if not isinstance(row[name], str) or not row[name].strip():
            return name, repr(row[name]), "a text"
    if row["question"] not in QUESTIONS:
        return "question", repr(row["question"]), f"one of {', '.join(QUESTIONS)}"
    if row["label"] not in (0, 1):
        return "label", repr(row["label"]), "0 for choice1 or 1 for choice2"
    return None


ROW = Corpus(
    name="xcopa",
    task="multiple-choice",
    summary="Which of two alternatives is the cause or the effect of a premise?",
    licence="CC BY 4.0",
    source="https://github.com/cambridgeltl/xcopa",
    languages=tags("et ht id it qu sw ta th tr vi zh"),
    splits=("val", "test"),
    folder="xcopa",
    files=(
        "{lang}/{split}.{lang}.jsonl",
        "data/{lang}/{split}.{lang}.jsonl",
        "{split}.{lang}.jsonl",
    ),
    read=read,
    labels=("0", "1"),
    notes="The questions are in English in every language.",
)
