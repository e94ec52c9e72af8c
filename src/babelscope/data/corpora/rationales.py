"""Human rationales: ERASER's movie reviews, and the parallel SST-2 sentences in English, Danish and Italian."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelscope.data.corpora.tables import POLARITY
from babelscope.data.formats.lines import beside, json_lines
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.spans import locate, whitespace
from babelscope.types import Example

CLASSES = {"NEG": "negative", "POS": "positive"}


def eraser(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """A review's document, its whitespace tokens as words, and those in any evidence as the rationale.

    The documents are a file of their own beside the splits; they are read first and kept.
    """
    return sound(_eraser(file, lang, prefix))


def parallel(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """A sentence whose marked tokens are the rationale; the same id is the same sentence in every language.

    A token that is not in the sentence (four sentences have one) is no word.
    """
    return sound(_parallel(file, lang, prefix))


def _eraser(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    documents: dict[str, str] = {}
    for line, row in sound(json_lines(beside(file, "docs.jsonl"))):
        if not isinstance(row.get("docid"), str) or not isinstance(row.get("text"), str):
            yield Problem(str(file.parent / "docs.jsonl"), line, "", f"the members {', '.join(row)}", "docid and text")
            return
        documents[row["docid"]] = row["text"]
    for one in json_lines(file):
        if isinstance(one, Problem):
            yield one
            continue
        line, row = one
        text = documents.get(row.get("annotation_id", ""))
        if text is None or row.get("classification") not in CLASSES:
            found = f"{row.get('annotation_id')!r} is {row.get('classification')!r}"
            yield Problem(str(file), line, "annotation_id", found, "a document that exists, as POS or NEG")
            continue
        words = whitespace(text)
        marked: set[int] = set()
        try:
            for start, end, quoted in _evidence(row):
                if " ".join(text[a:b] for a, b in words[start:end]) != quoted:
                    raise ValueError(f"the tokens {start} to {end} are not {quoted[:40]!r}")
                marked.update(range(start, end))
        except (KeyError, TypeError, ValueError) as error:
            found = str(error) if isinstance(error, ValueError) else f"not as in ERASER ({error})"
            yield Problem(str(file), line, "evidences", found, "lists of start_token, end_token and the text between them")
            continue
        group = f"{prefix}-{row['annotation_id']}"
        marks = tuple(place in marked for place in range(len(words)))
        yield Example(f"{group}-{lang}", (text,), lang, group, CLASSES[row["classification"]], (words,), (marks,))


def _evidence(row: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    for part in (part for parts in row["evidences"] for part in parts):
        yield part["start_token"], part["end_token"], part["text"]


def _parallel(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    for one in json_lines(file):
        if isinstance(one, Problem):
            yield one
            continue
        line, row = one
        wrong = _misfit(row)
        if wrong:
            yield Problem(str(file), line, *wrong)
            continue
        spans = locate(row["sentence"], row["tokens"])
        lost = [token for token, span, mark in zip(row["tokens"], spans, row["rationale"]) if span is None and mark]
        if lost:
            yield Problem(str(file), line, "tokens", f"the marked token {lost[0]!r}", "tokens of the sentence")
            continue
        kept = [(span, bool(mark)) for span, mark in zip(spans, row["rationale"]) if span is not None]
        words, marks = tuple(span for span, _ in kept), tuple(mark for _, mark in kept)
        group = f"{prefix}-{row['id']}"
        label = POLARITY[str(row["sst2_label"])]
        yield Example(f"{group}-{lang}", (row["sentence"],), lang, group, label, (words,), (marks,))


def _misfit(row: dict[str, Any]) -> tuple[str, str, str] | None:
    """Field, found and expected of what is wrong with a row."""
    for name in ("id", "sentence", "sst2_label", "tokens", "rationale"):
        if name not in row:
            return name, f"the members {', '.join(row)}", f"a member {name}"
    if str(row["sst2_label"]) not in POLARITY:
        return "sst2_label", repr(row["sst2_label"]), f"one of {', '.join(POLARITY)}"
    if len(row["tokens"]) != len(row["rationale"]):
        return "rationale", f"{len(row['rationale'])} marks", f"one for each of the {len(row['tokens'])} tokens"
    return None
