"""Content of the pages that is generated from the code: each marker below occurs in a page and is
replaced when the page is built.

A table generated from METHODS, a help text printed by the command line and a default read from a
signature cannot disagree with the code.
"""

from __future__ import annotations

import ast
import csv
import inspect
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "src" / "babelscope"
WIDTH = "80"
"""Columns of a help text."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """mkdocs calls this for every page before it becomes HTML."""
    for marker, generate in MARKERS.items():
        if marker in markdown:
            markdown = markdown.replace(marker, generate())
    return markdown


PAPERS = Path(__file__).parent / "papers.csv"
"""The elements of the papers: paper, id, element, state, what delivers it, note."""


def paper_elements() -> str:
    """How many elements of each paper are in which state, then all of them."""
    with PAPERS.open(encoding="utf-8", newline="") as stream:
        elements = list(csv.DictReader(stream))
    papers = list(dict.fromkeys(row["paper"] for row in elements))
    counts = [
        [name, *(str(_in_state(elements, name, state)) for state in "abc")] for name in papers
    ]
    total = ["all", *(str(_in_state(elements, "", state)) for state in "abc")]
    parts = [table(("paper", "a", "b", "c"), [*counts, total])]
    for name in papers:
        rows = [
            [row["id"], row["element"], row["state"], _delivers(row["how"]), row["note"]]
            for row in elements
            if row["paper"] == name
        ]
        parts.append(f"### {name}\n\n{table(('id', 'element', 'state', 'by', 'note'), rows)}")
    return "\n\n".join(parts)


def _in_state(elements: Sequence[dict[str, str]], paper: str, state: str) -> int:
    return sum(row["state"] == state and row["paper"].startswith(paper) for row in elements)


def _delivers(how: str) -> str:
    """`study:NAME` and the like in words."""
    kind, _, name = how.partition(":")
    shown = {
        "study": f"`studies/{name}.yaml`",
        "experiment": f"`python -m experiments {name}`",
        "command": f"`babelscope {name}`",
        "file": f"`{name}`",
        "paper": f"`babelscope paper`: {name.partition('/')[2]}",
    }
    return shown.get(kind, f"{kind} `{name}`" if name else "")


def registries_table() -> str:
    """The four tables that say what exists, each with its number of rows."""
    from babelscope.analyses import ANALYSES
    from babelscope.methods import METHODS
    from babelscope.metrics import METRICS
    from babelscope.model.tasks import TASKS

    rows = [
        ["`METHODS`", "attribution methods", str(len(METHODS)), "`babelscope.methods`"],
        ["`METRICS`", "quality metrics", str(len(METRICS)), "`babelscope.metrics`"],
        ["`TASKS`", "tasks of models", str(len(TASKS)), "`babelscope.model.tasks`"],
        ["`ANALYSES`", "research questions", str(len(ANALYSES)), "`babelscope.analyses`"],
    ]
    return table(("table", "rows are", "number", "in"), rows)


def input_kinds_table() -> str:
    """What each kind of input does with each function, as the test of all of them found it."""
    found = json.loads((Path(__file__).parent / "input_kinds.json").read_text("utf-8"))
    notes: dict[str, int] = {}
    parts = []
    for heading, kinds in found.items():
        rows = [
            [kind, *(_input_cell(cell, notes) for cell in cells.values())]
            for kind, cells in kinds.items()
        ]
        columns = next(iter(kinds.values()))
        parts.append(table((heading, *(f"`{name}`" for name in columns)), rows))
    lines = [f"{number}. {note}" for note, number in notes.items()]
    return "\n\n".join([*parts, "\n".join(lines)])


def _input_cell(cell: str, notes: dict[str, int]) -> str:
    """works, or the number of the line that refuses it."""
    if cell in ("works", ""):
        return cell
    return f"refused ({notes.setdefault(cell, len(notes) + 1)})"


LAYERS = (
    ("errors", "types", "files", "random", "options", "workers", "hub"),
    ("data", "corpus", "stats", "store", "display"),
    ("model", "propagation", "training"),
    ("methods", "metrics"),
    ("analyses",),
    ("study", "reporting"),
    ("cli", "web"),
)
"""The layers of the package, lowest first; a test compares them with those it enforces."""


def packages_table() -> str:
    """Every package or module of the first level, with the first sentence of its docstring."""
    rows = []
    for number, names in enumerate(LAYERS, 1):
        for name in names:
            folder = SOURCE / name / "__init__.py"
            file = folder if folder.exists() else SOURCE / f"{name}.py"
            if file.exists():
                shown = f"`{name}/`" if file == folder else f"`{file.name}`"
                rows.append([str(number), shown, _first_sentence(file)])
    return table(("layer", "package", "what it holds"), rows)


def _first_sentence(file: Path) -> str:
    """The first paragraph of a module's docstring, read without importing the module."""
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


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
    return table(("field", "read from the first of these columns"), rows)


def gold_table() -> str:
    from babelscope.data.formats.records import GOLD

    return table(("column", "content"), [[f"`{name}`", shape] for name, shape in GOLD.items()])


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
        [[f"`{field.name}`", f"`{field.default!r}`"] for field in fields(Recipe)],
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

    environment = {
        "COLUMNS": WIDTH,
        "TERMINAL_WIDTH": WIDTH,
        "NO_COLOR": "1",
        "FORCE_COLOR": None,
        "GITHUB_ACTIONS": None,
    }
    result = CliRunner(env=environment).invoke(app, [*words, "--help"], prog_name="babelscope")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", result.output)
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
                f"`{field.name}`",
                f"`{field.type}`",
                "" if field.default is MISSING else f"`{field.default!r}`",
            ]
            for field in fields(kind)
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
    from babelscope.model.prompt_spec import PromptSpec
    from babelscope.options import Choice
    from babelscope.study.config import Study
    from babelscope.training.spec import ModelSpec, StageSpec, TrainSpec

    kinds = (("Study", Study), ("TaskSpec", TaskSpec), ("DataSpec", DataSpec), ("ModelSpec",
    ModelSpec),
             ("PromptSpec", PromptSpec), ("TrainSpec", TrainSpec), ("StageSpec", StageSpec),
             ("Choice", Choice))  # fmt: skip
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


def packaged_models() -> str:
    """How well the models of the package do on held-out reviews, from their manifest."""
    import json

    manifest = json.loads((SOURCE / "packaged" / "manifest.json").read_text("utf-8"))
    columns = ("accuracy", "calibration_error", "rationale_erased", "other_words_erased")
    rows = [
        [f"`{name}`", lang, *(f"{scores[column]:.3f}" for column in columns)]
        for name, model in manifest.items()
        for lang, scores in model.get("test", {}).items()
    ]
    header = ("accuracy", "calibration error", "rationale erased", "as many other words erased")
    return table(("model", "language", *header), rows)


def large_models() -> str:
    """Memory and time of explanations of large models, as benchmarks/large.py measured them."""
    rows = json.loads((Path(__file__).parent / "large.json").read_text("utf-8"))
    cells = [
        [row["model"], row["step"], f"{row['seconds']:.1f}", f"{row['peak']:.2f}",
         row.get("note", "")]
        for row in rows
    ]  # fmt: skip
    return table(("model", "step", "CPU seconds", "peak memory, GB", "value, flags"), cells)


def reading_models() -> str:
    """F1 and exact match of answers, as benchmarks/reading.py measured them."""
    file = Path(__file__).parent / "reading.json"
    if not file.exists():
        return "This benchmark has not been run to its end yet."
    parts = []
    header = ("language", "trained on", "contexts", "questions", "F1", "exact match",
              "F1 of random spans", "of overlapping spans", "F1 above the latter")  # fmt: skip
    for name, values in json.loads(file.read_text("utf-8")).items():
        rows = [
            [lang, "yes" if lang in values["trained"] else "no", size, *_answer_cells(row)]
            for size, by_lang in (("XQuAD", values["short"]), ("1,500 tokens", values["long"]))
            for lang, row in by_lang.items()
        ]
        long = values["explained"]
        words = (
            f"AttnLRP in {long['n']} contexts of 1,500 tokens: the answer comes from a window with "
            f"the gold answer in {long['window_with_gold']}; of the five highest words "
            f"{long['highest_near']:.0%} are in the question or within 80 characters of the "
            f"answer, of all words {long['all_near']:.0%}."
        )
        parts.append(f"**{name}**\n\n{table(header, rows)}\n\n{words}")
    return "\n\n".join(parts)


def _answer_cells(row: dict[str, Any]) -> list[str]:
    def bounded(name: str) -> str:
        mean, low, high = row[name]
        return f"{mean:.3f} ({low:.3f} to {high:.3f})"

    return [str(row["n"]), bounded("f1"), bounded("exact_match"), f"{row['random']:.3f}",
            f"{row['overlap']:.3f}", bounded("above_overlap")]  # fmt: skip


def corpus_tasks() -> str:
    """Every task with its question and the same two examples in every language; the rationale is
    bold, the answer underlined.
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
                example = read(task.name, lang, "test", place + 1)[place]
                texts = (_marked(example, text) for text in range(len(example.texts)))
                rows.append([lang, *texts])
            title = f" ({example.label})" if example.label else ""
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
        example = read("paraphrase", lang, "test", place + 1)[place]
        forms = [example.texts[0][start:end] for start, end in (example.words or ())[0]]
        others = [english.texts[0][start:end] for start, end in (english.words or ())[0]]
        links = alignment(example, english)[0]
        rows = [
            [
                str(at + 1),
                form,
                relation,
                forms[head - 1] if head else "",
                ", ".join(others[b] for a, b in sorted(links) if a == at),
            ]
            for at, (form, head, relation) in enumerate(
                zip(forms, (example.heads or ())[0], (example.relations or ())[0])
            )
        ]
        parts.append(
            f"**{lang}**: {example.texts[0]}\n\n"
            + table(("", "word", "relation", "head", "English"), rows)
        )
    return "\n\n".join(parts)


def pretraining() -> str:
    from babelscope.training.pretrain import Pretraining, pretrain

    rows = [[f"`{each.name}`", f"`{each.default!r}`"] for each in fields(Pretraining)]
    return f"{docstring(pretrain)}\n\n{table(('field', 'default'), rows)}"


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
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        empty = parameter.default is inspect.Parameter.empty
        default = "" if empty else f" = {parameter.default!r}"
        shown = " = ..." if " object at " in default or "function" in default else default
        parts.append(f"{parameter.name}: {parameter.annotation}{shown}")
    returned = inspect.signature(thing).return_annotation
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {returned}"


def _marked(example: Any, text: int = 0) -> str:
    """A text with its rationale in bold and, in the last text, the answer underlined."""
    source, shown, last = example.texts[text], "", 0
    answer = example.answer if example.answer and text == len(example.texts) - 1 else (-1, -1)
    for (start, end), decides in zip(example.words[text], example.rationale[text]):
        inside = answer[0] <= start and end <= answer[1]
        word = f"<b>{source[start:end]}</b>" if decides else source[start:end]
        shown += source[last:start] + (f"<u>{word}</u>" if inside else word)
        last = end
    direction = ' dir="rtl"' if example.lang == "ar" else ""
    return f'<span lang="{example.lang}"{direction}>{shown}{source[last:]}</span>'


def _link(name: str) -> str:
    return f"[`{name}`](#{name})"


def _true(row: Any, facts: Sequence[str]) -> str:
    return ", ".join(fact.replace("_", " ") for fact in facts if getattr(row, fact)) or "none"


MARKERS = {
    "<!-- paper elements -->": paper_elements,
    "<!-- registries table -->": registries_table,
    "<!-- packages table -->": packages_table,
    "<!-- methods table -->": methods_table,
    "<!-- methods texts -->": methods_texts,
    "<!-- metrics table -->": metrics_table,
    "<!-- metrics notation -->": metrics_notation,
    "<!-- metrics texts -->": metrics_texts,
    "<!-- operators table -->": operators_table,
    "<!-- tasks table -->": tasks_table,
    "<!-- columns table -->": columns_table,
    "<!-- gold table -->": gold_table,
    "<!-- input kinds -->": input_kinds_table,
    "<!-- large models -->": large_models,
    "<!-- reading -->": reading_models,
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
    "<!-- packaged models -->": packaged_models,
    "<!-- corpus tasks -->": corpus_tasks,
    "<!-- corpus trees -->": corpus_trees,
}
"""The markers in the pages, and the function that generates what replaces each."""
