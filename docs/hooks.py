"""What the pages take from the code: each marker below stands in a page and is replaced when the page is built.

A table that is written from METHODS, a help text that is asked of the command line and a default that is read off a
signature cannot disagree with the code.
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

    facts = ("complete", "signed", "gradients", "attentions", "seeded")
    rows = [[_link(row.name), row.summary, row.family, _true(row, facts), row.words] for row in METHODS.values()]
    return table(("method", "what it is", "family", "properties", "words"), rows)


def metrics_table() -> str:
    from babelscope.metrics import METRICS

    rows = []
    for row in METRICS.values():
        better = "higher" if row.higher_is_better else "lower"
        bounds = f"{row.bounds[0]:g} to {row.bounds[1]:g}"
        rows.append([_link(row.name), row.summary, row.family, better, bounds, _true(row, ("order_only", "may_be_undefined"))])
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

    return table(("operator", "what happens to an erased token"), [[f"`{name}`", text] for name, text in OPERATORS.items()])


def tasks_table() -> str:
    from babelscope.model.load import TASKS

    return table(
        ("task", "an input is", "a target is"), [[f"`{name}`", texts, kind] for name, (_, texts, kind) in TASKS.items()]
    )


def columns_table() -> str:
    from babelscope.data.files import COLUMNS

    rows = [[f"`{name}`", ", ".join(f"`{column}`" for column in known)] for name, known in COLUMNS.items()]
    return table(("field", "found under the first of these columns"), rows)


def recipe_table() -> str:
    from babelscope import Recipe

    return table(("field of `Recipe`", "default"), [[f"`{one.name}`", f"`{one.default!r}`"] for one in fields(Recipe)])


def commands() -> str:
    """The help text of every command, as the command line prints it."""
    parts = []
    for words in command_names():
        parts.append(f"## babelscope {' '.join(words)}".rstrip() + f"\n\n```text\n{help_text(words)}\n```")
    return "\n\n".join(parts)


def command_names() -> list[tuple[str, ...]]:
    """All commands, groups included, in the order of the help text; the empty name is babelscope itself."""
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

    asked = {"COLUMNS": WIDTH, "TERMINAL_WIDTH": WIDTH, "NO_COLOR": "1", "FORCE_COLOR": None, "GITHUB_ACTIONS": None}
    answer = CliRunner(env=asked).invoke(app, [*words, "--help"], prog_name="babelscope")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", answer.output)
    return "\n".join(line.rstrip() for line in plain.strip("\n").splitlines())


def public_names() -> str:
    import babelscope

    rows = []
    for name in babelscope.__all__:
        thing = getattr(babelscope, name)
        kind = "table" if isinstance(thing, dict) else "class" if inspect.isclass(thing) else "function"
        rows.append([f"`{name}`", kind, _first_line(name, thing)])
    return table(("name", "kind", "what it is"), rows)


def public_functions() -> str:
    import babelscope

    parts = []
    for name in babelscope.__all__:
        thing = getattr(babelscope, name)
        if inspect.isfunction(thing):
            parts.append(f"### {name}\n\n```python\n{_signature(name, thing)}\n```\n\n{docstring(thing)}")
    return "\n\n".join(parts)


def explanation_fields() -> str:
    """The fields of the values that functions return."""
    from babelscope import Attribution, Estimate, Example, Measure

    parts = []
    for kind in (Example, Attribution, Measure, Estimate):
        rows = [
            [f"`{one.name}`", f"`{one.type}`", "" if one.default is MISSING else f"`{one.default!r}`"] for one in fields(kind)
        ]
        parts.append(f"### {kind.__name__}\n\n{docstring(kind)}\n\n{table(('field', 'type', 'default'), rows)}")
    return "\n\n".join(parts)


def error_tree() -> str:
    from babelscope import errors

    lead, _, tree = (errors.__doc__ or "").partition("\n\n")
    return f"{lead}\n\n```text\n{tree.strip()}\n```"


def store_layout() -> str:
    from babelscope import store

    return docstring(store)


def corpus_samples() -> str:
    """The same three reviews in every language, their deciding words in bold."""
    from babelscope.data.builtin import LANGUAGES, sentiment

    parts = []
    for place in range(3):
        rows = []
        for lang in LANGUAGES:
            one = sentiment(lang, "test", place + 1)[place]
            rows.append([lang, str(one.label), _marked(one)])
        parts.append(table(("language", "label", "text"), rows))
    return "\n\n".join(parts)


def corpus_task() -> str:
    from babelscope.data.builtin import sentiment

    return docstring(sentiment)


def docstring(thing: Any) -> str:
    """A docstring as Markdown: indented formulas become code blocks; *Laws*, *Left open* and the source their own lines."""
    text = inspect.getdoc(thing) or ""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        if all(line.startswith("    ") for line in lines):
            parts.append("```text\n" + inspect.cleandoc("\n" + block) + "\n```")
        else:
            parts.append(re.sub(r"\n(?=\*(?:Laws|Left open by the paper)\*|Source: )", "\n\n", block))
    return "\n\n".join(parts).replace("\nSource: ", "\n*Source*: ")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _described(row: Any) -> str:
    from babelscope.study.options import defaults

    options = ", ".join(f"`{name}={value}`" for name, value in defaults(row).items()) or "none"
    return f"## {row.name}\n\n{docstring(row.function)}\n\n*Options*: {options}."


def _first_line(name: str, thing: Any) -> str:
    if name in ("METHODS", "METRICS"):
        return f"the {'attribution methods' if name == 'METHODS' else 'quality metrics'} by name, in reading order"
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


def _marked(one: Any) -> str:
    text, shown, last = one.texts[0], "", 0
    for (start, end), decides in zip(one.words[0], one.rationale[0]):
        if decides:
            shown += f"{text[last:start]}<b>{text[start:end]}</b>"
            last = end
    direction = ' dir="rtl"' if one.lang == "ar" else ""
    return f'<span lang="{one.lang}"{direction}>{shown}{text[last:]}</span>'


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
    "<!-- recipe table -->": recipe_table,
    "<!-- commands -->": commands,
    "<!-- public names -->": public_names,
    "<!-- public functions -->": public_functions,
    "<!-- values -->": explanation_fields,
    "<!-- error tree -->": error_tree,
    "<!-- store layout -->": store_layout,
    "<!-- corpus task -->": corpus_task,
    "<!-- corpus samples -->": corpus_samples,
}
"""What stands in a page, and what is written in its place."""
