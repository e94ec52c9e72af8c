"""Everything that is wrong with a file of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from babelscope.data.formats import conllu, squad, tables
from babelscope.data.formats.lines import ending
from babelscope.data.formats.problems import Problem
from babelscope.data.texts import fault
from babelscope.errors import InputError
from babelscope.types import Example


class Shape(NamedTuple):
    """What an input of a task is: its texts, and the names its labels may have (any, if none is
    listed).
    """

    texts: tuple[str, ...]
    labels: tuple[str, ...] = ()


TASKS = {
    "sentiment": Shape(("text",), ("negative", "positive")),
    "topic": Shape(("text",)),
    "nli": Shape(("premise", "hypothesis"), ("entailment", "neutral", "contradiction")),
    "paraphrase": Shape(("first sentence", "second sentence"), ("different", "paraphrase")),
    "reading": Shape(("question", "context")),
    "syntax": Shape(("text",)),
}
"""The tasks whose files can be checked."""

ENDINGS = (*tables.READERS, ".conllu", ".json")

Items = Iterator[tuple[int, Example] | Problem]


def check(path: str | Path, task: str) -> list[Problem]:
    """All problems of a .jsonl, .csv, .tsv, .parquet, .conllu or SQuAD .json file (or these with
    .gz), by line.

    A label is not required, but if some rows have one, all must. If translations share groups,
    every group must have all the languages of the file.
    """
    return examine(path, task)[1]


def examine(path: str | Path, task: str) -> tuple[int, list[Problem]]:
    """The number of rows that could be read, and all problems."""
    if task not in TASKS:
        raise InputError(f"there is no task {task!r}; there are: {', '.join(TASKS)}")
    file = Path(path)
    if ending(file) not in ENDINGS:
        raise InputError(
            f"{file}: the ending {ending(file)!r} is not one of {', '.join(ENDINGS)} (or these "
            "with .gz)"
        )
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    problems: list[Problem] = []
    rows: list[tuple[int, str, str, bool]] = []
    for item in _examples(file):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        line, example = item
        problems += _problems(str(file), line, example, TASKS[task])
        rows.append((line, example.group, example.lang, example.label is not None))
    if not rows and not problems:
        problems.append(Problem(str(file), 0, "", "no row", "at least one"))
    problems += _unlabelled(str(file), rows)
    problems += _unparallel(str(file), rows)
    return len(rows), sorted(problems, key=lambda problem: problem.line)


def _examples(file: Path) -> Items:
    """The examples of any format with their lines, and the problems between them."""
    if ending(file) == ".conllu":
        return _named_once(str(file), _trees(file))
    if ending(file) == ".json":
        items = squad.examples(file, "und", file.name)
        return _named_once(
            str(file), (item if isinstance(item, Problem) else (0, item) for item in items)
        )
    return tables.examples(file, {}, None)


def _trees(file: Path) -> Items:
    for item in conllu.sentences(file):
        yield (
            item
            if isinstance(item, Problem)
            else (item.line, conllu.example(item, "und", file.name))
        )


def _named_once(file: str, items: Iterable[tuple[int, Example] | Problem]) -> Items:
    seen: set[str] = set()
    for item in items:
        if not isinstance(item, Problem):
            line, example = item
            if example.id in seen:
                yield Problem(
                    file, line, "id", f"the id {example.id!r} occurs twice", "ids that are unique"
                )
            seen.add(example.id)
        yield item


def _problems(file: str, line: int, example: Example, shape: Shape) -> Iterator[Problem]:
    """What is wrong with one example in the light of the task; its gold was checked when it was
    read.
    """
    for name, text in zip(("text", "pair"), example.texts):
        wrong = fault(text)
        if wrong is not None:
            yield Problem(file, line, name, wrong[0], f"a clean text: {wrong[1]}")
    if len(example.texts) != len(shape.texts):
        reason = "one text, the pair is missing" if len(example.texts) == 1 else "two texts"
        yield Problem(file, line, "pair", reason, " and ".join(shape.texts))
    if example.label is not None and shape.labels and example.label not in shape.labels:
        yield Problem(file, line, "label", repr(example.label), f"one of {', '.join(shape.labels)}")


def _unlabelled(file: str, rows: list[tuple[int, str, str, bool]]) -> Iterator[Problem]:
    if any(labelled for *_, labelled in rows):
        for line, _, _, labelled in rows:
            if not labelled:
                yield Problem(file, line, "label", "nothing", "a label, since other rows have one")


def _unparallel(file: str, rows: list[tuple[int, str, str, bool]]) -> Iterator[Problem]:
    """Groups that lack a language, where groups are shared at all."""
    groups: dict[str, tuple[int, set[str]]] = {}
    for line, group, lang, _ in rows:
        groups.setdefault(group, (line, set()))[1].add(lang)
    if not any(len(langs) > 1 for _, langs in groups.values()):
        return
    every = {lang for _, langs in groups.values() for lang in langs}
    for group, (line, langs) in groups.items():
        if langs != every:
            reason = f"group {group!r} in {', '.join(sorted(langs))} only"
            yield Problem(
                file, line, "group", reason, f"it in {', '.join(sorted(every - langs))} too"
            )
