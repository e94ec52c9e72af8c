"""Names of predictions as the page shows them."""

from __future__ import annotations

import pytest

from babelscope.web.names import shown_name
from conftest import tiny
from explorer import chooser, language_model

TEXTS = ["where was it?", "in the old town", "खाना अच्छा था"]


def test_a_class_has_its_own_name() -> None:
    assert shown_name(tiny("bert"), TEXTS[:1], "neutral") == "neutral"
    assert shown_name(tiny("bert"), TEXTS[:1], "0") == "0"


def test_a_candidate_is_its_text() -> None:
    model = chooser()
    assert [shown_name(model, TEXTS, str(at)) for at in range(2)] == TEXTS[1:]


def test_a_token_is_what_it_writes() -> None:
    """A byte-level vocabulary spells every token in Latin letters; the page shows what is written,
    with a sign for the space before it, or says that it is a part of a character."""
    model = language_model()
    seen = set()
    for name in model.labels:
        text = model.tokenizer.decode([model.tokenizer.convert_tokens_to_ids(name)])
        shown = shown_name(model, ["a"], name)
        kind = "part" if "\ufffd" in text else "space" if text[:1].isspace() else "whole"
        seen.add(kind)
        if kind == "part":
            assert shown == f"part of a character ({name})"
        elif kind == "space":
            assert shown.startswith(("␣", "↵", "⇥")) or not text.isprintable()
            assert shown.endswith(text.strip())
        else:
            assert shown.rstrip("␣↵⇥") == text.strip() or not text
    assert seen == {"part", "space", "whole"}


@pytest.mark.parametrize("name", ["no such token", "<1234567>"])
def test_what_is_no_token_stays(name: str) -> None:
    assert shown_name(language_model(), ["a"], name) == name
