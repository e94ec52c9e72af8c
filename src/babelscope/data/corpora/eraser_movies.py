"""ERASER's movie reviews with their evidence (DeYoung et al., ACL 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats import jsonl
from babelscope.data.formats.lines import beside
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.spans import whitespace
from babelscope.types import Example, Span

CLASSES = {"NEG": "negative", "POS": "positive"}


def read(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """A review's document, its whitespace tokens as words, and those in any evidence as the
    rationale.

    The documents are a file of their own beside the splits; they are read first and kept.
    """
    return sound(_examples(file, lang, prefix))


def _examples(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    documents: dict[str, str] = {}
    for line, row in sound(jsonl.rows(beside(file, "docs.jsonl"))):
        if not isinstance(row.get("docid"), str) or not isinstance(row.get("text"), str):
            members = f"the members {', '.join(row)}"
            yield Problem(str(file.parent / "docs.jsonl"), line, "", members, "docid and text")
            return
        documents[row["docid"]] = row["text"]
    for item in jsonl.rows(file):
        if isinstance(item, Problem):
            yield item
        else:
            yield _example(file, item, documents, lang, prefix)


def _example(
    file: Path, item: tuple[int, dict[str, Any]], documents: dict[str, str], lang: str, prefix: str
) -> Example | Problem:
    line, row = item
    text = documents.get(row.get("annotation_id", ""))
    if text is None or row.get("classification") not in CLASSES:
        reason = f"{row.get('annotation_id')!r} is {row.get('classification')!r}"
        expected = "a document that exists, as POS or NEG"
        return Problem(str(file), line, "annotation_id", reason, expected)
    words = whitespace(text)
    try:
        marked = _marked(row, text, words)
    except (KeyError, TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, ValueError) else f"not as in ERASER ({error})"
        expected = "lists of start_token, end_token and the text between them"
        return Problem(str(file), line, "evidences", reason, expected)
    group = f"{prefix}-{row['annotation_id']}"
    marks = tuple(place in marked for place in range(len(words)))
    label = CLASSES[row["classification"]]
    return Example(
        f"{group}-{lang}", (text,), lang, group, label, words=(words,), rationale=(marks,)
    )


def _marked(row: dict[str, Any], text: str, words: tuple[Span, ...]) -> set[int]:
    """The words in any evidence; a quotation that is not at its place is a ValueError."""
    marked: set[int] = set()
    for part in (part for parts in row["evidences"] for part in parts):
        start, end, quoted = part["start_token"], part["end_token"], part["text"]
        if " ".join(text[a:b] for a, b in words[start:end]) != quoted:
            raise ValueError(f"the tokens {start} to {end} are not {quoted[:40]!r}")
        marked.update(range(start, end))
    return marked


ROW = Corpus(
    name="eraser-movies",
    task="sentiment",
    summary="Long film reviews with their evidence",
    licence="not stated",
    source="https://www.eraserbenchmark.com",
    languages=("en",),
    splits=("train", "val", "test"),
    folder="eraser-movies",
    files=("{split}.jsonl",),
    read=read,
    labels=("negative", "positive"),
    notes="The authors' train split repeats the val rows.",
)
