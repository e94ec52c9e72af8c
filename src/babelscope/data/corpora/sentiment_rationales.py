"""SST-2 sentences in English, Danish and Italian with the words that people marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats import jsonl
from babelscope.data.formats.labelled import POLARITY
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.spans import locate
from babelscope.types import Example


def read(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """A sentence whose marked tokens are the rationale; one id is one sentence in every language.

    A token that is not in the sentence (four sentences have one) is no word.
    """
    return sound(_examples(file, lang, prefix))


def _examples(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    for item in jsonl.rows(file):
        if isinstance(item, Problem):
            yield item
            continue
        line, row = item
        fault = _fault(row)
        if fault:
            yield Problem(str(file), line, *fault)
            continue
        spans = locate(row["sentence"], row["tokens"])
        placed = list(zip(row["tokens"], spans, row["rationale"]))
        lost = [token for token, span, mark in placed if span is None and mark]
        if lost:
            reason = f"the marked token {lost[0]!r}"
            yield Problem(str(file), line, "tokens", reason, "tokens of the sentence")
            continue
        kept = [(span, bool(mark)) for _, span, mark in placed if span is not None]
        words, marks = tuple(span for span, _ in kept), tuple(mark for _, mark in kept)
        group = f"{prefix}-{row['id']}"
        label = POLARITY[str(row["sst2_label"])]
        yield Example(
            f"{group}-{lang}",
            (row["sentence"],),
            lang,
            group,
            label,
            words=(words,),
            rationale=(marks,),
        )


def _fault(row: dict[str, Any]) -> tuple[str, str, str] | None:
    """Field, found and expected of what is wrong with a row."""
    for name in ("id", "sentence", "sst2_label", "tokens", "rationale"):
        if name not in row:
            return name, f"the members {', '.join(row)}", f"a member {name}"
    if str(row["sst2_label"]) not in POLARITY:
        return "sst2_label", repr(row["sst2_label"]), f"one of {', '.join(POLARITY)}"
    tokens, marks = len(row["tokens"]), len(row["rationale"])
    if tokens != marks:
        return "rationale", f"{marks} marks", f"one for each of the {tokens} tokens"
    return None


ROW = Corpus(
    name="sentiment-rationales",
    task="sentiment",
    summary="SST-2 sentences and translations with the words that people marked",
    licence="not stated",
    source="https://github.com/oeberle/self_explanations_human_rationales",
    languages=("da", "en", "it"),
    splits=("test",),
    folder="multilingual-sentiment-rationales",
    files=("{lang}.jsonl",),
    read=read,
    labels=("negative", "positive"),
    notes="In two Danish and two Italian sentences a token is not as in the sentence: it is no "
    "word there.",
)
