"""Options that several commands share, and how they are read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from babelscope.cli.settings import MeasureSettings
    from babelscope.methods.row import Method
    from babelscope.metrics.row import Metric
    from babelscope.model.load import Model
    from babelscope.types import Example

Json = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs instead of a table or text.")
]
ModelName = Annotated[
    str, typer.Argument(metavar="MODEL", help="Hub id or folder of a fine-tuned model.")
]
Text = Annotated[str | None, typer.Argument(help="Text to explain; for many texts, use --input.")]
Pair = Annotated[
    str | None, typer.Option(help="Second text of a pair: the hypothesis, or the context.")
]
TextLang = Annotated[
    str,
    typer.Option(help="Language of the texts (BCP 47 tag such as en); decides what a word is."),
]
Methods = Annotated[
    str,
    typer.Option(help="Attribution methods, separated by commas; babelscope methods lists them."),
]
Metrics = Annotated[
    str, typer.Option(help="Quality metrics, separated by commas; babelscope metrics lists them.")
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Class or answer to explain, or 'gold' for each text's label. "
        "Default: what the model predicts."
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="Option of a method or metric; repeatable."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="FIELD=NAME",
        help="Column of the file that holds a field, for example text=review; repeatable.",
    ),
]
SOURCES = "a file, CORPUS/LANG/SPLIT/COUNT, or hub:ORGANISATION/NAME/CONFIG/SPLIT/COUNT"
Source = Annotated[
    str,
    typer.Option("--input", metavar="SOURCE", help=f"Texts to read: {SOURCES}."),
]
Sources = Annotated[
    list[str],
    typer.Option(
        "--input",
        metavar="SOURCE",
        help=f"Texts to read: {SOURCES}; repeatable.",
    ),
]
FileLang = Annotated[
    str | None,
    typer.Option(help="Language of the texts, for a file that has no column for it."),
]
CorpusFolder = Annotated[
    Path | None,
    typer.Option("--folder", help="Folder of a public corpus, or the folder that contains it."),
]
Device = Annotated[
    str | None,
    typer.Option(help="Device to compute on: cpu, cuda, cuda:1 or mps. Default: cpu."),
]
Untrained = Annotated[
    bool,
    typer.Option(
        "--allow-untrained-head", help="Accept a model whose task head was never trained."
    ),
]


STRICT: ContextVar[bool] = ContextVar("strict", default=False)
"""Whether the command line says that a bad row is an error."""


def separated(names: str, flag: str) -> list[str]:
    """The names in a list separated by commas; none twice."""
    from babelscope.errors import InputError

    listed = [name.strip() for name in names.split(",") if name.strip()]
    if not listed or len(set(listed)) < len(listed):
        fault = "a name occurs twice" if listed else "no name was found"
        raise InputError(f"{flag} {names!r}: {fault}; list each once, separated by commas")
    return listed


LITERAL = ("answer",)
"""Values whose spaces at the edges count."""


def pairs(arguments: Sequence[str] | None, flag: str) -> dict[str, str]:
    """`NAME=VALUE` arguments as a mapping; anything else is refused."""
    from babelscope.errors import InputError

    values = {}
    for argument in arguments or ():
        name, equals, value = argument.partition("=")
        if not equals or not name.strip() or not value:
            raise InputError(f"{flag} {argument!r} is not of the form name=value")
        key = name.strip()
        values[key] = value if key in LITERAL else value.strip()
    return values


def examples(
    text: str | None, pair: str | None, lang: str, file: Path | None, column: list[str] | None
) -> list[Example]:
    """The text of the command line, which is checked before a model is loaded, or those of the
    file, of which bad ones are skipped later.
    """
    from babelscope.data.formats.in_memory import named_source
    from babelscope.data.languages import check_language
    from babelscope.data.texts import check_text
    from babelscope.errors import InputError
    from babelscope.types import Example

    check_language(lang)
    if file is None and column:
        raise InputError("--column has no effect without --input; leave it out")
    if file is not None and pair is not None:
        raise InputError("--pair has no effect with --input; name the column with --column pair=")
    if (text is None) == (file is None):
        both = "; found both" if text is not None else ""
        raise InputError(f"give either a text or --input FILE{both}")
    if file is not None:
        (rows,) = source_rows([str(file)], column, None, None if lang == "und" else lang)
        return rows
    if place := named_source(str(text)):
        raise InputError(f"{text!r} is {place} and would be read as a text; give --input {text}")
    row = Example("1", (str(text),) if pair is None else (str(text), pair), lang)
    check_text(row)
    return [row]


def source_rows(
    names: Sequence[str], column: list[str] | None, folder: Path | None, lang: str | None = None
) -> list[list[Example]]:
    """The examples of each file or corpus; an option that none of them reads is refused."""
    from babelscope.data import sources
    from babelscope.errors import InputError

    kinds = {sources.kind(name) for name in names}
    for flag, value, readers in (
        ("--column", column, {"file", "hub"}),
        ("--lang", lang, {"file", "hub"}),
        ("--folder", folder, {"public corpus"}),
    ):
        if value is not None and not readers & kinds:
            missing = "public corpus" if flag == "--folder" else "file"
            raise InputError(f"{flag} has no effect: there is no {missing} among the sources")
    columns = pairs(column, "--column")
    return [sources.rows(name, folder=folder, columns=columns, lang=lang) for name in names]


def chosen_methods(names: str) -> list[Method]:
    """The rows of METHODS of these names, separated by commas."""
    from babelscope.methods import METHODS
    from babelscope.options import choose

    return [choose(METHODS, name, "method") for name in separated(names, "--method")]


def chosen_metrics(names: str) -> list[Metric]:
    """The rows of METRICS of these names, separated by commas."""
    from babelscope.metrics import METRICS
    from babelscope.options import choose

    return [choose(METRICS, name, "metric") for name in separated(names, "--metric")]


def load_model(
    name: str, device: str | None, settings: MeasureSettings, rows: Sequence[Example]
) -> Model:
    """The model, once the rows are known to fit it: pairs for a single-text model, say, must not
    come up late.
    """
    from babelscope.data.skipping import check_skipped
    from babelscope.errors import BadRow
    from babelscope.model.encode import encode_readable
    from babelscope.model.load import load
    from babelscope.model.prompt_spec import read_prompt

    model = load(
        name,
        device=device,
        allow_untrained_head=settings.allow_untrained_head,
        verbalizer=settings.words,
        prompt=None if settings.prompt is None else read_prompt(settings.prompt),
        dtype=settings.dtype,
        device_map=settings.device_map,
        quantization=settings.quantization,
        adapter=settings.adapter,
    )
    if sys.stderr.isatty():
        print(f"{name}: {model.description}", file=sys.stderr)
    _, skipped = encode_readable(model, rows)
    if rows and len(skipped) == len(rows):
        raise BadRow(skipped[0])
    check_skipped(skipped, len(rows), strict=settings.refuses, most=settings.max_skipped)
    return model


def share_options(
    rows: Sequence[Method | Metric], arguments: list[str] | None
) -> dict[str, dict[str, Any]]:
    """The options of each row: it takes those that it knows; one that no row knows is refused."""
    from babelscope.errors import InputError
    from babelscope.options import defaults, resolve_options, suggestion

    options = pairs(arguments, "--option")
    known = {name for row in rows for name in defaults(row)}
    for name in options:
        if name not in known:
            hint = suggestion(name, sorted(known)) if known else "they take none"
            raise InputError(
                f"none of {', '.join(row.name for row in rows)} has an option {name!r}; {hint}"
            )
    return {
        row.name: resolve_options(row, {n: v for n, v in options.items() if n in defaults(row)})
        for row in rows
    }
