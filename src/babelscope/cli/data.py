"""The commands about data: which there are, what they hold, whether a file is sound, and how to get it as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing

if TYPE_CHECKING:
    from babelscope.types import Example

data_app = typer.Typer(help="List, look at, check and export corpora and files.", no_args_is_help=True)

FORMATS = ("jsonl", "parquet", "csv", "tsv")
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A corpus (see data list) or a file.")]
Lang = Annotated[str | None, typer.Option(help="The language; may be left out where there is only one.")]
Split = Annotated[str | None, typer.Option(help="Default: test, or all splits where there is no test.")]
Folder = Annotated[Path, typer.Option(help="Where a public corpus lies: its folder, or the one that holds it.")]


@data_app.command("list")
def list_(json_: Json = False) -> None:
    """The built-in corpora and the public ones that can be read."""
    from babelscope import corpus
    from babelscope.corpus.splits import SHARES
    from babelscope.data.corpora import CORPORA

    facts = ("task", "summary", "languages", "splits", "labels", "licence", "source", "notes")
    rows: list[dict[str, Any]] = []
    for name, task in corpus.CORPORA.items():
        mine = {"task": name, "summary": "generated, with words, trees, rationales and alignment", "source": "built in"}
        told = (name, *mine.values(), corpus.LANGUAGES, tuple(SHARES), task.labels, "Apache-2.0", "")
        rows.append(dict(zip(("name", *mine, "languages", "splits", "labels", "licence", "notes"), told)))
    rows += [{"name": row.name} | {fact: getattr(row, fact) for fact in facts} for row in CORPORA.values()]
    if json_:
        print(json.dumps(rows, indent=1))
        return
    from babelscope.display.terminal import table

    columns = ("name", "task", "languages", "splits", "licence", "source")
    printing.show(table("corpora", columns, [tuple(_brief(row[name]) for name in columns) for row in rows]))


@data_app.command("show")
def show_(
    name: Name,
    lang: Lang = None,
    n: Annotated[int, typer.Option("--n", min=1, help="How many examples.")] = 5,
    split: Split = None,
    folder: Folder = Path(),
    tree: Annotated[bool, typer.Option("--tree", help="Each word with its relation and head.")] = False,
    json_: Json = False,
) -> None:
    """The first examples: label, rationale words tinted, answer underlined."""
    from babelscope.data.corpora import CORPORA
    from babelscope.data.formats import jsonl
    from babelscope.display.gold import gold

    kind = CORPORA[name].yields if name in CORPORA else "examples"
    if kind != "examples":
        _show_pairs(name, kind, lang, n, split, folder, json_)
        return
    rows = list(islice(_examples(name, lang, split, folder, n), n))
    if json_:
        print("[" + ",\n ".join(jsonl.line(one) for one in rows) + "]")
        return
    for one in rows:
        printing.show(gold(one, tree))


@data_app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A .jsonl, .csv, .tsv, .parquet, .conllu or SQuAD .json file, also with .gz.")],
    task: Annotated[str, typer.Option(help="sentiment, topic, nli, paraphrase, reading or syntax.")],
    json_: Json = False,
) -> None:
    """Everything that is wrong with a file, one problem per line; exit status 2 if there is any."""
    from dataclasses import asdict

    from babelscope.data.check import examine

    count, problems = examine(file, task)
    if json_:
        print(json.dumps([asdict(one) for one in problems], indent=1))
    else:
        for one in problems:
            print(" ".join(str(one).split()).encode("utf-8", "backslashreplace").decode())
        if not problems:
            print(f"{file}: {count} rows, no problem")
    if problems:
        raise typer.Exit(2)


@data_app.command()
def export(
    name: Name,
    lang: Lang = None,
    split: Split = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="How many; default: all (built-in corpora: 100).")] = None,
    format_: Annotated[str | None, typer.Option("--format", help="jsonl, parquet, csv or tsv; default: the ending.")] = None,
    output: Annotated[Path | None, typer.Option(help="The file; JSONL goes to standard output without it.")] = None,
    folder: Folder = Path(),
) -> None:
    """Write a corpus to a file; JSONL and Parquet hold all gold, CSV and TSV ids, labels and texts."""
    from babelscope.data.formats import jsonl
    from babelscope.data.formats.export import (
        writable,
        write,
    )
    from babelscope.data.formats.lines import (
        ending,
    )
    from babelscope.errors import InputError

    wanted = format_ or (ending(output).removeprefix(".") if output else "jsonl")
    if wanted not in FORMATS:
        raise InputError(f"there is no format {wanted!r}; there are: {', '.join(FORMATS)}")
    if output is None and wanted != "jsonl":
        raise InputError(f"give --output FILE.{wanted}: only jsonl goes to standard output")
    if output is not None and ending(output) != f".{wanted}":
        raise InputError(f"--output {output}: the ending is not that of --format {wanted}")
    rows = islice(_examples(name, lang, split, folder, n), n)
    if output is not None:
        print(f"{output}: {write(rows, output)} examples")
        return
    for line in [jsonl.line(one) for one in writable(rows)]:  # all before the first: a fault must leave nothing half-written
        print(line)


def _examples(name: str, lang: str | None, split: str | None, folder: Path, n: int | None) -> Iterator[Example]:
    """The examples of a built-in corpus, of a public one, or of a file."""
    from babelscope import corpus
    from babelscope.data.corpora import CORPORA, read
    from babelscope.data.formats import conllu, squad
    from babelscope.data.formats.lines import (
        ending,
    )
    from babelscope.data.formats.tables import (
        stream,
    )
    from babelscope.data.sources import BUILTIN
    from babelscope.errors import InputError

    if name in corpus.CORPORA:
        return iter(corpus.read(name, lang or "en", split or "test", n or BUILTIN))
    if name in CORPORA:
        return read(name, folder, lang=lang, split=split)
    file = Path(name)
    if not file.is_file():
        known = ", ".join((*corpus.CORPORA, *CORPORA))
        raise InputError(f"{name} is neither a file nor a corpus; there are: {known}")
    if split is not None:
        raise InputError(f"--split {split}: a file has no splits")
    if ending(file) in (".conllu", ".json"):
        return (conllu.read if ending(file) == ".conllu" else squad.read)(file, lang or "und", file.name.split(".")[0])
    return (one for one in stream(file, lang=lang) if lang is None or one.lang == lang)


def _show_pairs(name: str, kind: str, lang: str | None, n: int, split: str | None, folder: Path, json_: bool) -> None:
    """Word alignments and dictionaries."""
    from rich.text import Text

    from babelscope.data import corpora
    from babelscope.data.formats.records import record
    from babelscope.display.gold import gold
    from babelscope.display.terminal import plain, table

    tag = corpora.language(corpora.choose(name), lang)
    if kind == "pairs":
        pairs = list(islice(corpora.dictionary(name, folder, lang=tag, split=split), n))
        if json_:
            print(json.dumps(pairs, ensure_ascii=False, indent=1))
        else:
            printing.show(table(f"{name} · en to {tag}", ("en", tag), pairs))
        return
    rows = list(islice(corpora.aligned(name, folder, lang=tag), n))
    if json_:
        listed = [{"source": record(row.source), "target": record(row.target), "links": sorted(row.links)} for row in rows]
        print(json.dumps(listed, ensure_ascii=False, indent=1))
        return
    for row in rows:
        links = [f"{_word(row.source, start)} = {_word(row.target, end)}" for start, end in sorted(row.links)]
        printing.show(gold(row.source))
        printing.show(gold(row.target))
        printing.show(Text(plain(", ".join(links)), "dim"))


def _word(one: Example, place: int) -> str:
    assert one.words is not None
    return one.texts[0][slice(*one.words[0][place])]


def _brief(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value).removeprefix("https://")
    return " ".join(value) if len(value) <= 20 else f"{len(value)} languages"
