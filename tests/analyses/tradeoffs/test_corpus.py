"""Texts that all languages share: who is left out and why, and which are not independent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from babelscope.analyses.tradeoffs.corpus import REASONS, Corpus, parallel_corpus
from babelscope.analyses.tradeoffs.notes import corpus_notes
from babelscope.errors import InputError
from babelscope.types import Example
from tradeoff_models import texts


def notes(corpus: Corpus) -> list[str]:
    """From the stored rows, as the tables make them."""
    left_out = {}
    for split, lang in corpus.left_out:
        left_out[split, lang] = Counter(
            row.left_out for row in corpus.stored(split, lang) if row.left_out
        )
    return list(corpus_notes(left_out))


def test_languages_are_limited_to_what_they_share() -> None:
    some = texts()
    some["test"]["hi"] = some["test"]["hi"][3:]
    some["test"]["en"][-1] = replace(some["test"]["en"][-1], label=None)
    made = parallel_corpus(some)
    assert len(made.texts["test"]["en"]) == len(made.texts["test"]["hi"]) == 8
    assert [row.group for row in made.texts["test"]["en"]] == [
        row.group for row in made.texts["test"]["hi"]
    ]
    assert "en, test: 3 examples that other languages lack were left out" in notes(made)
    assert "en, test: 1 examples without a gold label were left out" in notes(made)
    broken = replace(some["test"]["hi"][0], texts=("a\bb",))
    limited = parallel_corpus(
        {"test": {"en": some["test"]["en"], "hi": [broken, *some["test"]["hi"][1:]]}}
    )
    assert "hi, test: 1 examples with an empty text or control characters were left out" in notes(
        limited
    )
    assert broken.group not in {
        row.group for rows in limited.texts["test"].values() for row in rows
    }
    without = {
        "test": {
            "en": some["test"]["en"],
            "hi": [replace(row, label=None) for row in some["test"]["hi"]],
        }
    }
    with pytest.raises(InputError, match="test examples in hi have no gold label"):
        parallel_corpus(without)


def test_every_text_is_read_or_left_out_for_one_reason() -> None:
    rows = [Example(str(at), (f"text {at}",), "en", label="a") for at in range(8)]
    rows[1] = replace(rows[1], label=None, texts=("",))
    rows[2] = replace(rows[2], texts=("\ud800",))
    rows[3] = replace(rows[3], texts=("NS",))
    rows[5] = replace(rows[5], group="4")
    other = [replace(row, lang="hi") for row in rows if row.id in ("0", "4", "6")]
    corpus = parallel_corpus({"test": {"en": rows, "hi": other}})
    stored = corpus.stored("test", "en")
    assert sorted(row.id for row in stored) == [row.id for row in rows]
    reasons = {row.id: row.left_out for row in stored}
    expected = {
        "1": "unlabelled",
        "2": "unreadable",
        "3": "untranslated",
        "4": "repeated",
        "7": "unmatched",
    }
    assert {name: reason for name, reason in reasons.items() if reason} == expected
    assert set(expected.values()) == set(REASONS)
    assert [row.id for row in stored if not row.left_out] == ["0", "5", "6"], (
        "of one group the last is kept"
    )


def test_rows_of_one_premise_are_one_cluster() -> None:
    rows = [
        Example(f"p{at}", (f"premise {at // 3}", f"hypothesis {at}"), "en", label="a")
        for at in range(9)
    ]
    assert len(set(parallel_corpus({"test": {"en": rows}}).clusters.values())) == 3
    alone = [Example(f"p{at}", ("the same text",), "en", label="a") for at in range(9)]
    # One text nine times is one observation, whether or not it is a premise: the rule is that of
    # data/independence.
    assert len(set(parallel_corpus({"test": {"en": alone}}).clusters.values())) == 1
    # In Hindi rows 0 and 3 have the same hypothesis: the clusters of their two premises become one.
    hindi = [
        replace(row, lang="hi", texts=(f"h{row.texts[0]}", f"{at % 3 if at in (0, 3) else at}"))
        for at, row in enumerate(rows)
    ]
    assert len(set(parallel_corpus({"test": {"en": rows, "hi": hindi}}).clusters.values())) == 2
    # Rows of another split have no part in it: the premises of test stay three.
    train = [
        Example(f"t{at}", ("premise 0", f"hypothesis {at}"), "en", label="a") for at in range(9)
    ]
    kept = parallel_corpus({"test": {"en": rows}, "train": {"en": train}}).clusters
    assert len({kept[row.group] for row in rows}) == 3
    assert len({kept[row.group] for row in train}) == 1
