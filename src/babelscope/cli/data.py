"""The commands about data: list corpora, show examples, check a file, export to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import CorpusFolder, Json
from babelscope.data.limits import MOST

if TYPE_CHECKING:
    from babelscope.types import Example

data_app = typer.Typer(help="List, show, check and export corpora and files.", no_args_is_help=True)

FORMATS = ("jsonl", "parquet", "csv", "tsv")
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name of a corpus (babelscope data list), or path of a file."
    ),
]
Lang = Annotated[
    str | None,
    typer.Option(help="Language of the examples; may be left out where there is only one."),
]
Split = Annotated[
    str | None,
    typer.Option(help="Split of the corpus. Default: test, or all splits where there is no test."),
]
CheckedFile = Annotated[
    Path,
    typer.Argument(
        help="File to check: .jsonl, .csv, .tsv, .parquet, .conllu or SQuAD .json, also "
        "compressed (.gz)."
    ),
]
FileTask = Annotated[
    str,
    typer.Option(help="Task of the file: sentiment, topic, nli, paraphrase, reading or syntax."),
]
ExportCount = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Number of examples to write. Default: all of them (built-in corpora: 100).",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of the file: jsonl, parquet, csv or tsv. Default: that of its ending.",
    ),
]
ExportFile = Annotated[
    Path | None, typer.Option(help="File to write. Without it, JSONL is printed.")
]


@data_app.command("list")
def list_(json_: Json = False) -> None:
    """List the built-in corpora and the public ones that can be read."""
    rows = _corpora()
    if json_:
        printing.print_text(json.dumps(rows, indent=1))
        return
    from babelscope.display.terminal import table

    columns = ("name", "task", "languages", "splits", "licence", "source")
    cells = [tuple(_brief(row[name]) for name in columns) for row in rows]
    printing.show(table("corpora", columns, cells))


def _corpora() -> list[dict[str, Any]]:
    """What is known of each corpus, the built-in ones first."""
    from babelscope.data import builtin
    from babelscope.data.corpora import CORPORA

    facts = ("task", "summary", "languages", "splits", "labels", "licence", "source", "notes")
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "task": name,
            "summary": "generated, with words, trees, rationales and alignment",
            "source": "built in",
            "languages": builtin.LANGUAGES,
            "splits": builtin.SPLITS,
            "labels": task.labels,
            "licence": "Apache-2.0",
            "notes": "",
        }
        for name, task in builtin.CORPORA.items()
    ]
    public = [{fact: getattr(row, fact) for fact in ("name", *facts)} for row in CORPORA.values()]
    return rows + public


@data_app.command("show")
def show_(
    name: Name,
    lang: Lang = None,
    count: Annotated[int, typer.Option(min=1, max=MOST, help="Number of examples to show.")] = 5,
    split: Split = None,
    folder: CorpusFolder = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Show each word with its syntactic relation and head.")
    ] = False,
    json_: Json = False,
) -> None:
    """Show the first examples: label, rationale words highlighted, answer underlined."""
    from babelscope.data.corpora import CORPORA
    from babelscope.data.formats import jsonl
    from babelscope.display.gold import gold

    kind = CORPORA[name].yields if name in CORPORA else "examples"
    if kind == "pairs":
        _show_dictionary(name, lang, count, split, folder, json_)
    elif kind == "alignments":
        _show_alignments(name, lang, count, folder, json_)
    else:
        rows = list(islice(_examples(name, lang, split, folder, count), count))
        if json_:
            printing.print_text("[" + ",\n ".join(jsonl.line(row) for row in rows) + "]")
            return
        for row in rows:
            printing.show(gold(row, tree))


@data_app.command()
def check(
    file: CheckedFile,
    task: FileTask,
    json_: Json = False,
) -> None:
    """Report every problem of a file, one per line; the exit status is 2 if there is any."""
    from dataclasses import asdict, replace

    from babelscope.data.check import examine

    count, problems = examine(file, task)
    if json_:
        listed = [asdict(replace(problem, row=None)) for problem in problems]
        for each in listed:
            del each["row"]
        printing.print_text(json.dumps(listed, indent=1))
    else:
        for problem in problems:
            printing.print_text(" ".join(str(problem).split()))
        if not problems:
            printing.print_text(f"{file}: {count} rows, no problem")
    if problems:
        raise typer.Exit(2)


@data_app.command()
def export(
    name: Name,
    lang: Lang = None,
    split: Split = None,
    count: ExportCount = None,
    format_: Format = None,
    output: ExportFile = None,
    folder: CorpusFolder = None,
) -> None:
    """Write a corpus to a file.

    JSONL and Parquet hold all gold annotations; CSV and TSV hold ids, labels and texts.
    """
    from babelscope.data.formats import jsonl
    from babelscope.data.formats.export import writable, write

    _check_format(format_, output)
    rows = islice(_examples(name, lang, split, folder, count), count)
    if output is not None:
        printing.print_text(f"{output}: {write(rows, output)} examples")
        return
    # All lines before the first is printed: a fault must not leave half of them.
    for line in [jsonl.line(row) for row in writable(rows)]:
        printing.print_text(line)


def _check_format(format_: str | None, output: Path | None) -> None:
    """Refuses a format that does not exist, or that is not the file's."""
    from babelscope.data.formats.lines import ending
    from babelscope.errors import InputError

    format_ = format_ or (ending(output).removeprefix(".") if output else "jsonl")
    if format_ not in FORMATS:
        raise InputError(f"there is no format {format_!r}; choose from: {', '.join(FORMATS)}")
    if output is None and format_ != "jsonl":
        raise InputError(f"give --output FILE.{format_}: only jsonl goes to standard output")
    if output is not None and ending(output) != f".{format_}":
        raise InputError(f"--output {output}: the ending is not that of --format {format_}")


def _examples(
    name: str, lang: str | None, split: str | None, folder: Path | None, count: int | None
) -> Iterator[Example]:
    """The examples of a built-in corpus, of a public one, or of a file."""
    from babelscope.data import builtin
    from babelscope.data.corpora import CORPORA, read
    from babelscope.data.formats import conllu, squad
    from babelscope.data.formats.lines import ending
    from babelscope.data.formats.tables import stream
    from babelscope.data.languages import UNKNOWN, check_language
    from babelscope.data.sources import BUILTIN
    from babelscope.errors import InputError

    if name in CORPORA:
        return read(name, folder or ".", lang=lang, split=split)
    if folder is not None:
        raise InputError(f"--folder {folder}: {name} is not a public corpus; leave it out")
    if name in builtin.CORPORA:
        return iter(builtin.read(name, lang or "en", split or "test", count or BUILTIN))
    file = Path(name)
    if not file.is_file():
        known = ", ".join((*builtin.CORPORA, *CORPORA))
        raise InputError(f"{name} is neither a file nor a corpus; choose from: {known}")
    if split is not None:
        raise InputError(f"--split {split}: a file has no splits; leave it out")
    if ending(file) in (".conllu", ".json"):
        check_language(lang or UNKNOWN)
        function = conllu.read if ending(file) == ".conllu" else squad.read
        return function(file, lang or UNKNOWN, file.name.split(".")[0])
    return (row for row in stream(file, lang=lang) if lang is None or row.lang == lang)


def _show_dictionary(
    name: str, lang: str | None, count: int, split: str | None, folder: Path | None, json_: bool
) -> None:
    from babelscope.data import corpora
    from babelscope.display.terminal import table

    tag = corpora.language(corpora.choose(name), lang)
    pairs = list(islice(corpora.dictionary(name, folder or ".", lang=tag, split=split), count))
    if json_:
        printing.print_text(json.dumps(pairs, ensure_ascii=False, indent=1))
    else:
        printing.show(table(f"{name} · en to {tag}", ("en", tag), pairs))


def _show_alignments(
    name: str, lang: str | None, count: int, folder: Path | None, json_: bool
) -> None:
    from rich.text import Text

    from babelscope.data import corpora
    from babelscope.data.formats.records import record
    from babelscope.display.gold import gold
    from babelscope.display.terminal import plain

    tag = corpora.language(corpora.choose(name), lang)
    rows = list(islice(corpora.aligned(name, folder or ".", lang=tag), count))
    if json_:
        texts = [{"source": record(row.source), "target": record(row.target)} for row in rows]
        listed = [text | {"links": sorted(row.links)} for text, row in zip(texts, rows)]
        printing.print_text(json.dumps(listed, ensure_ascii=False, indent=1))
        return
    for row in rows:
        words = [
            (_word(row.source, start), _word(row.target, end)) for start, end in sorted(row.links)
        ]
        printing.show(gold(row.source))
        printing.show(gold(row.target))
        printing.show(Text(plain(", ".join(f"{start} = {end}" for start, end in words)), "dim"))


def _word(example: Example, place: int) -> str:
    assert example.words is not None
    return example.texts[0][slice(*example.words[0][place])]


def _brief(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value).removeprefix("https://")
    return " ".join(value) if len(value) <= 20 else f"{len(value)} languages"
