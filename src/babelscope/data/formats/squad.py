"""Reading comprehension in the JSON of SQuAD 1.1 and 2.0."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelscope.data.formats.answers import answer_texts
from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem, sound
from babelscope.types import Example


def read(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """Question and context; the answer is the first of those given, `answers` are all of them. An
    unanswerable question (2.0) has none.

    One JSON value is the whole file, so it is read at once. Translations keep the question's id: it
    is the group.
    """
    return sound(examples(file, lang, prefix))


def examples(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    """The examples, and the problems between them; the field says where in the JSON."""
    text = []
    for item in lines(file):
        if isinstance(item, Problem):
            yield item
        else:
            text.append(item[1])
    try:
        articles = json.loads("".join(text))["data"]
    except json.JSONDecodeError as error:
        yield Problem(
            str(file),
            error.lineno,
            "",
            f"broken JSON at column {error.colno}: {error.msg}",
            "the JSON of SQuAD",
        )
        return
    except (ValueError, RecursionError):
        reason = "JSON that is nested too deeply or has a number of too many digits"
        yield Problem(str(file), 0, "", reason, "the JSON of SQuAD")
        return
    except (KeyError, TypeError):
        expected = "the JSON of SQuAD: data, paragraphs, qas (rows are .jsonl, an object per line)"
        yield Problem(str(file), 0, "data", "no such member", expected)
        return
    if not isinstance(articles, list):
        yield Problem(str(file), 0, "data", f"a {type(articles).__name__}", "a list of articles")
        return
    for place, context, question in _questions(articles):
        if question is None or not isinstance(context, str):
            yield Problem(
                str(file),
                0,
                place,
                "not as in SQuAD",
                "a context, and qas with id, question and answers",
            )
        else:
            yield from _example(str(file), place, context, question, lang, prefix)


def _questions(articles: Any) -> Iterator[tuple[str, Any, Any]]:
    for a, article in enumerate(articles):
        for p, paragraph in enumerate(
            article.get("paragraphs", ()) if isinstance(article, dict) else ()
        ):
            place = f"data[{a}].paragraphs[{p}]"
            if not isinstance(paragraph, dict) or not isinstance(paragraph.get("qas"), list):
                yield place, None, None
                continue
            for q, question in enumerate(paragraph["qas"]):
                yield (
                    f"{place}.qas[{q}]",
                    paragraph.get("context"),
                    question if _whole(question) else None,
                )


def _whole(question: Any) -> bool:
    if (
        not isinstance(question, dict)
        or not isinstance(question.get("question"), str)
        or "id" not in question
    ):
        return False
    answers = question.get("answers")
    return isinstance(answers, list) and all(
        isinstance(each, dict)
        and isinstance(each.get("text"), str)
        and isinstance(each.get("answer_start"), int)
        for each in answers
    )


def _example(
    file: str, place: str, context: str, question: Any, lang: str, prefix: str
) -> Iterator[Example | Problem]:
    span = None
    for number, answer in enumerate(question["answers"]):
        start, text = answer["answer_start"], answer["text"]
        if not text or context[start : start + len(text)] != text:
            reason = f"the context has {context[start : start + len(text)]!r} at character {start}"
            yield Problem(
                file, 0, f"{place}.answers[{number}]", reason, f"the answer {text!r} in the context"
            )
        elif span is None:
            span = (start, start + len(text))
    if not question["answers"] and not question.get("is_impossible"):
        yield Problem(file, 0, f"{place}.answers", "no answer", "one, or is_impossible")
    group = f"{prefix}-{question['id']}"
    yield Example(
        f"{group}-{lang}", (question["question"], context), lang, group, answer=span,
        answers=answer_texts(question["answers"]),
    )  # fmt: skip
