"""Language tags: those of every corpus are accepted, anything else is refused with a near one."""

from __future__ import annotations

import pytest

from babelscope.data.builtin import LANGUAGES
from babelscope.data.corpora import CORPORA
from babelscope.data.languages import NAMES, check_language, language_fault
from babelscope.errors import InputError


def test_all_languages_of_the_corpora_are_tags() -> None:
    tags = {tag for row in CORPORA.values() for tag in row.languages} | set(LANGUAGES)
    assert [tag for tag in sorted(tags) if language_fault(tag)] == []


@pytest.mark.parametrize(
    "tag", ["en", "und", "hin", "zh-Hans", "pt-BR", "sr-Latn-RS", "de-1996", "hi-x-roman", *NAMES]
)
def test_tags_are_accepted_as_they_are(tag: str) -> None:
    assert check_language(tag) == tag


@pytest.mark.parametrize(
    ("tag", "meant"),
    [
        ("english", "'en'"),
        ("Hindi", "'hi'"),
        ("germna", "'de'"),
        ("EN", "'en'"),
        ("zh_Hans", "'zh-Hans'"),
        ("eng_Latn", "'eng-Latn'"),
        ("pt-br", "'pt-BR'"),
        ("../en", "'en'"),
        ("en,", "'en'"),
        ("xx", "did you mean"),
        ("", "such as en"),
        ("e\x1b[31mn", "such as en"),
        ("\udc80", "such as en"),
        ("x" * 500, "such as en"),
    ],
)
def test_anything_else_is_refused_with_what_was_meant(tag: str, meant: str) -> None:
    with pytest.raises(InputError, match="there is no language") as caught:
        check_language(tag)
    assert meant in str(caught.value)
    assert len(str(caught.value)) < 200
