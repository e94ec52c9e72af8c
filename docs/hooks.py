"""What the pages take from the code: each marker below stands in a page and is replaced when the
page is built.

A table that is written from METHODS, a help text that is asked of the command line and a default
that is read off a signature cannot disagree with the code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from typing import Any

WIDTH = "80"
"""Columns of a help text."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """mkdocs calls this for every page before it becomes HTML."""
    for marker, written in MARKERS.items():
        if marker in markdown:
            markdown = markdown.replace(marker, written())
    return markdown


def methods_table() -> str:
    from babelscope.methods import METHODS

    facts = ("complete", "signed", "gradients", "attentions", "seeded", "precise")
    rows = [
        [_link(row.name), row.summary, row.family, _true(row, facts), row.words]
        for row in METHODS.values()
    ]
    return table(("method", "what it is", "family", "properties", "words"), rows)


def metrics_table() -> str:
    from babelscope.metrics import METRICS

    rows = []
    for row in METRICS.values():
        better = "higher" if row.higher_is_better else "lower"
        bounds = f"{row.bounds[0]:g} to {row.bounds[1]:g}"
        rows.append(
            [
                _link(row.name),
                row.summary,
                row.family,
                better,
                bounds,
                _true(row, ("order_only", "may_be_undefined")),
            ]
        )
    return table(("metric", "what it is", "family", "better", "bounds", "properties"), rows)


def methods_texts() -> str:
    from babelscope.methods import METHODS

    return "\n\n".join(_described(row) for row in METHODS.values())


def metrics_texts() -> str:
    from babelscope.metrics import METRICS

    return "\n\n".join(_described(row) for row in METRICS.values())


def metrics_notation() -> str:
    from babelscope.metrics import hard

    return docstring(hard)


def operators_table() -> str:
    from babelscope.model.erase import OPERATORS

    return table(
        ("operator", "what happens to an erased token"),
        [[f"`{name}`", text] for name, text in OPERATORS.items()],
    )


def tasks_table() -> str:
    from babelscope.model.tasks import TASKS

    return table(
        ("task", "an input is", "a target is"),
        [[f"`{row.name}`", row.inputs, row.target] for row in TASKS.values()],
    )


def columns_table() -> str:
    from babelscope.data.formats.records import (
        COLUMNS,
    )

    rows = [
        [f"`{name}`", ", ".join(f"`{column}`" for column in known)]
        for name, known in COLUMNS.items()
    ]
    return table(("field", "found under the first of these columns"), rows)


def gold_table() -> str:
    from babelscope.data.formats.records import GOLD

    return table(
        ("column", "what stands in it"), [[f"`{name}`", shape] for name, shape in GOLD.items()]
    )


def check_table() -> str:
    from babelscope.data.check import TASKS

    rows = [
        [f"`{name}`", " and ".join(row.texts), ", ".join(row.labels) or "any"]
        for name, row in TASKS.items()
    ]
    return table(("task", "an input is", "labels"), rows)


def corpora_table() -> str:
    from babelscope.data.corpora import CORPORA

    rows = []
    for row in CORPORA.values():
        langs = (
            " ".join(row.languages)
            if len(row.languages) <= 20
            else f"{len(row.languages)} languages"
        )
        name = f"[`{row.name}`]({row.source})"
        rows.append([name, row.task, row.summary, langs, " ".join(row.splits), row.licence])
    return table(("name", "task", "what it is", "languages", "splits", "licence"), rows)


def corpora_places() -> str:
    from babelscope.data.corpora import CORPORA

    rows = []
    for row in CORPORA.values():
        rows.append(
            [
                f"`{row.name}`",
                f"`{row.folder}`",
                " or ".join(f"`{each}`" for each in row.files),
                row.notes,
            ]
        )
    return table(("name", "folder", "files in it, also with .gz", "known faults"), rows)


def recipe_table() -> str:
    from babelscope.training.finetune import Recipe

    return table(
        ("field of `Recipe`", "default"),
        [[f"`{one.name}`", f"`{one.default!r}`"] for one in fields(Recipe)],
    )


def commands() -> str:
    """The help text of every command, as the command line prints it."""
    parts = []
    for words in command_names():
        parts.append(
            f"## babelscope {' '.join(words)}".rstrip() + f"\n\n```text\n{help_text(words)}\n```"
        )
    return "\n\n".join(parts)


def command_names() -> list[tuple[str, ...]]:
    """All commands, groups included, in the order of the help text; the empty name is babelscope
    itself.
    """
    from typer.main import get_command

    from babelscope.cli import app

    def walk(command: Any, name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield name
        for part, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, (*name, part))

    return list(walk(get_command(app), ()))


def help_text(words: Sequence[str]) -> str:
    from typer.testing import CliRunner

    from babelscope.cli import app

    asked = {
        "COLUMNS": WIDTH,
        "TERMINAL_WIDTH": WIDTH,
        "NO_COLOR": "1",
        "FORCE_COLOR": None,
        "GITHUB_ACTIONS": None,
    }
    answer = CliRunner(env=asked).invoke(app, [*words, "--help"], prog_name="babelscope")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", answer.output)
    return "\n".join(line.rstrip() for line in plain.strip("\n").splitlines())


def public_names() -> str:
    import babelscope

    rows = []
    for name in babelscope.__all__:
        thing = getattr(babelscope, name)
        kind = (
            "table"
            if isinstance(thing, dict)
            else "class"
            if inspect.isclass(thing)
            else "function"
        )
        rows.append([f"`{name}`", kind, _first_line(name, thing)])
    return table(("name", "kind", "what it is"), rows)


def public_functions() -> str:
    import babelscope

    parts = []
    for name in babelscope.__all__:
        thing = getattr(babelscope, name)
        if inspect.isfunction(thing):
            parts.append(
                f"### {name}\n\n```python\n{_signature(name, thing)}\n```\n\n{docstring(thing)}"
            )
    return "\n\n".join(parts)


def explanation_fields() -> str:
    """The fields of the values that functions return."""
    from babelscope.types import Attribution, Estimate, Example, Measure

    parts = []
    for kind in (Example, Attribution, Measure, Estimate):
        rows = [
            [
                f"`{one.name}`",
                f"`{one.type}`",
                "" if one.default is MISSING else f"`{one.default!r}`",
            ]
            for one in fields(kind)
        ]
        parts.append(
            "### "
            f"{kind.__name__}\n\n{docstring(kind)}\n\n{table(('field', 'type', 'default'), rows)}"
        )
    return "\n\n".join(parts)


def study_fields() -> str:
    """Every field of a study file: of the study, its tasks, data and models, then of each
    analysis.
    """
    from babelscope.analyses import ANALYSES
    from babelscope.analyses.faithfulness.spec import PairingSpec
    from babelscope.data.spec import DataSpec, TaskSpec
    from babelscope.options import Choice
    from babelscope.study.config import Study
    from babelscope.training.spec import ModelSpec, TrainSpec

    kinds = (("Study", Study), ("TaskSpec", TaskSpec), ("DataSpec", DataSpec), ("ModelSpec",
    ModelSpec),
             ("TrainSpec", TrainSpec), ("Choice", Choice))  # fmt: skip
    parts = [_spec_fields(f"### {name}", kind) for name, kind in kinds]
    for name, row in ANALYSES.items():
        parts.append(_spec_fields(f"### `{name}`: {row.question}", row.spec))
        if name == "faithfulness":
            parts.append(_spec_fields("### PairingSpec", PairingSpec))
    return "\n\n".join(parts)


def _spec_fields(heading: str, kind: Any) -> str:
    from pydantic_core import PydanticUndefined

    rows = []
    for name, field in kind.model_fields.items():
        default = field.get_default(call_default_factory=True)
        shown = "*required*" if default is PydanticUndefined else f"`{_plain_default(default)}`"
        rows.append([f"`{name}`", shown, " ".join((field.description or "").split())])
    return f"{heading}\n\n{docstring(kind)}\n\n{table(('field', 'default', 'meaning'), rows)}"


def _plain_default(value: Any) -> str:
    """A default as it is written in a study file."""
    if isinstance(value, list):
        return f"[{', '.join(getattr(part, 'name', None) or str(part) for part in value)}]"
    return (
        "null"
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else str(value) or '""'
    )


def error_tree() -> str:
    from babelscope import errors

    lead, _, tree = (errors.__doc__ or "").partition("\n\n")
    return f"{lead}\n\n```text\n{tree.strip()}\n```"


def store_layout() -> str:
    from babelscope import store

    return docstring(store)


def corpus_tasks() -> str:
    """Every task: what it asks, and the same two examples in every language, deciding words in
    bold, answers underlined.
    """
    from babelscope.data.builtin import CORPORA, LANGUAGES, read

    parts = []
    for task in CORPORA.values():
        labels = (
            f"Labels: {', '.join(task.labels)}."
            if task.labels
            else "The answer is a span of the story."
        )
        parts.append(f"## {task.name.capitalize()}\n\n{task.summary}\n\n{labels} {task.notes}")
        for place in (SAMPLES[task.name], SAMPLES[task.name] + 3):
            rows = []
            for lang in LANGUAGES:
                one = read(task.name, lang, "test", place + 1)[place]
                rows.append([lang, *(_marked(one, text) for text in range(len(one.texts)))])
            title = f" ({one.label})" if one.label else ""
            parts.append(table(("language", *(f"{name}{title}" for name in task.texts)), rows))
    return "\n\n".join(parts)


SAMPLES = {"sentiment": 0, "topic": 2, "nli": 1, "paraphrase": 2, "reading": 1}
"""Where the samples of each task start."""


def corpus_trees() -> str:
    """One sentence in every language as a tree, and aligned with English."""
    from babelscope.data.builtin import LANGUAGES, read
    from babelscope.data.formats.alignments import alignment

    parts, place = [], 6
    english = read("paraphrase", "en", "test", place + 1)[place]
    for lang in LANGUAGES:
        one = read("paraphrase", lang, "test", place + 1)[place]
        forms = [one.texts[0][start:end] for start, end in (one.words or ())[0]]
        others = [english.texts[0][start:end] for start, end in (english.words or ())[0]]
        links = alignment(one, english)[0]
        rows = [
            [
                str(at + 1),
                form,
                relation,
                forms[head - 1] if head else "",
                ", ".join(others[b] for a, b in sorted(links) if a == at),
            ]
            for at, (form, head, relation) in enumerate(
                zip(forms, (one.heads or ())[0], (one.relations or ())[0])
            )
        ]
        parts.append(
            f"**{lang}**: {one.texts[0]}\n\n"
            + table(("", "word", "relation", "head", "English"), rows)
        )
    return "\n\n".join(parts)


def pretraining() -> str:
    from babelscope.training.pretrain import Pretraining, pretrain

    rows = [[f"`{each.name}`", f"`{each.default!r}`"] for each in fields(Pretraining)]
    return f"{docstring(pretrain)}\n\n{table(('what decides it', 'default'), rows)}"


def docstring(thing: Any) -> str:
    """A docstring as Markdown: indented formulas become code blocks; *Laws*, *Left open* and the
    source their own lines.
    """
    text = inspect.getdoc(thing) or ""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        if all(line.startswith("    ") for line in lines):
            parts.append("```text\n" + inspect.cleandoc("\n" + block) + "\n```")
        else:
            parts.append(
                re.sub(r"\n(?=\*(?:Laws|Left open by the paper)\*|Source: )", "\n\n", block)
            )
    return "\n\n".join(parts).replace("\nSource: ", "\n*Source*: ")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _described(row: Any) -> str:
    from babelscope.options import defaults

    options = ", ".join(f"`{name}={value}`" for name, value in defaults(row).items()) or "none"
    return f"## {row.name}\n\n{docstring(row.function)}\n\n*Options*: {options}."


def _first_line(name: str, thing: Any) -> str:
    if name in ("METHODS", "METRICS"):
        return (
            f"the {'attribution methods' if name == 'METHODS' else 'quality metrics'} by name, "
            "in reading order"
        )
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")


def _signature(name: str, thing: Any) -> str:
    parts = []
    starred = False
    for one in inspect.signature(thing).parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
        shown = " = ..." if " object at " in default or "function" in default else default
        parts.append(f"{one.name}: {one.annotation}{shown}")
    found = inspect.signature(thing).return_annotation
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {found}"


def _marked(one: Any, text: int = 0) -> str:
    """A text with its deciding words in bold and, in the last text, the answer underlined."""
    written, shown, last = one.texts[text], "", 0
    answer = one.answer if one.answer and text == len(one.texts) - 1 else (-1, -1)
    for (start, end), decides in zip(one.words[text], one.rationale[text]):
        inside = answer[0] <= start and end <= answer[1]
        word = f"<b>{written[start:end]}</b>" if decides else written[start:end]
        shown += written[last:start] + (f"<u>{word}</u>" if inside else word)
        last = end
    direction = ' dir="rtl"' if one.lang == "ar" else ""
    return f'<span lang="{one.lang}"{direction}>{shown}{written[last:]}</span>'


def _link(name: str) -> str:
    return f"[`{name}`](#{name})"


def _true(row: Any, facts: Sequence[str]) -> str:
    return ", ".join(fact.replace("_", " ") for fact in facts if getattr(row, fact)) or "none"


MARKERS = {
    "<!-- methods table -->": methods_table,
    "<!-- methods texts -->": methods_texts,
    "<!-- metrics table -->": metrics_table,
    "<!-- metrics notation -->": metrics_notation,
    "<!-- metrics texts -->": metrics_texts,
    "<!-- operators table -->": operators_table,
    "<!-- tasks table -->": tasks_table,
    "<!-- columns table -->": columns_table,
    "<!-- gold table -->": gold_table,
    "<!-- check table -->": check_table,
    "<!-- corpora table -->": corpora_table,
    "<!-- corpora places -->": corpora_places,
    "<!-- recipe table -->": recipe_table,
    "<!-- commands -->": commands,
    "<!-- public names -->": public_names,
    "<!-- public functions -->": public_functions,
    "<!-- values -->": explanation_fields,
    "<!-- study fields -->": study_fields,
    "<!-- error tree -->": error_tree,
    "<!-- store layout -->": store_layout,
    "<!-- pretraining -->": pretraining,
    "<!-- corpus tasks -->": corpus_tasks,
    "<!-- corpus trees -->": corpus_trees,
}
"""What stands in a page, and what is written in its place."""
