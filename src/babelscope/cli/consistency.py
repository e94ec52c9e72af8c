"""The command about translations: do they get the same explanation?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Json, Methods, separated
from babelscope.cli.single import Settings, SpecFile, StoreFolder, Workers, run_command
from babelscope.data.limits import MOST

if TYPE_CHECKING:
    from babelscope.analyses.consistency.tables import Tables

NAME = "consistency"
Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODEL",
        help="Hub id or folder of a model, or LANG=MODEL for each of several models that were "
        "fine-tuned on one language each.",
    ),
]
ParallelCorpus = Annotated[
    str | None,
    typer.Option(
        help="Parallel corpus: a built-in one (topic), the folder of a public one "
        "(corpora/sib200), or files (texts.{lang}.jsonl)."
    ),
]
SourceLang = Annotated[
    str, typer.Option(help="Source language, which the others are compared with.")
]
OtherLangs = Annotated[
    str | None,
    typer.Option(help="Other languages, separated by commas. Default for --units: all of them."),
]
Count = Annotated[
    int | None, typer.Option(min=1, max=MOST, help="Number of texts per language. Default: 100.")
]
UnitFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="File of attributions by any tool (.jsonl) to compare instead of a model's; a second "
        "file holds those of the untrained model.",
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        help="File to write the results to: .html, .svg or .csv; with --units .html, or .jsonl "
        "for every pair of texts."
    ),
]


def consistency(
    model: Models = None,
    task: ParallelCorpus = None,
    source: SourceLang = "en",
    lang: OtherLangs = None,
    method: Methods = "integrated_gradients",
    count: Count = None,
    units: UnitFiles = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputFile = None,
    json_: Json = False,
    workers: Workers = 1,
) -> None:
    """Do translations get the same explanation? C with its nulls and its ceiling, per language.

    Words are compared by the model's own embeddings. Choose another space with --set: gold=true,
    vectors=en=A.vec,es=B.vec, subwords=FOLDER=TOKENIZER or encoder=NAME.
    """
    from babelscope.data.languages import check_language
    from babelscope.errors import InputError

    if bool(model) == bool(units):
        both = "; found both" if model else ""
        raise InputError(f"give either a MODEL or --units FILE.jsonl{both}")
    targets = separated(lang, "--lang") if lang else None
    for tag in (source, *(targets or ())):
        check_language(tag)
    if units:
        tables = _compare(units, source, targets, (spec, settings or []), workers)
        _deliver(tables, output, json_)
        return
    models = _models(model or (), source)
    if task is None or not (targets or len(models) > 1):
        raise InputError("MODEL needs a parallel corpus and languages: --task topic --lang es,hi")
    values = _study(models, _data(task, count), targets, separated(method, "--method"))
    run_command(
        NAME, values, spec=spec, settings=settings, store=store, output=output, json_=json_,
        workers=workers,
    )  # fmt: skip


def _study(
    models: dict[str, str], data: dict[str, Any], targets: list[str] | None, methods: Sequence[str]
) -> dict[str, Any]:
    """The study: each model in its source language and in the targets, which are by default the
    sources of the others."""
    alone = len(models) == 1
    others = targets or list(models)
    listed = []
    for lang, folder in models.items():
        name = folder if alone else lang
        langs = list(dict.fromkeys([lang, *others]))
        listed.append({"name": name, "source": folder, "trained_on": [lang], "languages": langs})
    return {
        "name": NAME,
        "tasks": [{"name": data.get("builtin") or data.get("corpus") or "texts", "data": data,
                   "target": "source"}],
        "languages": list(dict.fromkeys([*models, *others])),
        "models": listed,
        "methods": list(methods),
    }  # fmt: skip


def _models(names: Sequence[str], source: str) -> dict[str, str]:
    """The model of each source language."""
    from babelscope.errors import InputError

    matches = [re.fullmatch(r"([a-zA-Z]{2,3}(?:-\w+)*)=(.+)", name) for name in names]
    if len(names) == 1 and matches[0] is None:
        return {source: names[0]}
    models = {match[1]: match[2] for match in matches if match is not None}
    if len(models) < len(names):
        raise InputError(
            "several models are named with their languages, each once: LANG=MODEL ...; found: "
            f"{', '.join(names)}"
        )
    return models


def _data(task: str, count: int | None) -> dict[str, Any]:
    """Where the texts come from, as a study file says it."""
    from babelscope.data import builtin, corpora
    from babelscope.errors import InputError

    number = {} if count is None else {"examples": count}
    path = Path(task)
    if task in builtin.CORPORA:
        return {"builtin": task} | number
    if path.name in corpora.CORPORA:
        return {"corpus": path.name, "folder": str(path if path.is_dir() else path.parent)} | number
    if path.suffix:
        return {"file": task} | number
    known = ", ".join([*builtin.CORPORA, *corpora.CORPORA])
    raise InputError(f"--task {task}: neither a file nor one of the corpora {known}")


def _compare(
    files: Sequence[Path],
    source: str,
    targets: list[str] | None,
    changes: tuple[Path | None, list[str]],
    workers: int,
) -> Tables:
    from babelscope.analyses.consistency.spec import Spec
    from babelscope.analyses.consistency.units import compare_files
    from babelscope.errors import InputError
    from babelscope.study.single import single_spec

    if len(files) > 2:
        raise InputError(f"--units takes one or two files; found {len(files)}")
    untrained = files[1] if len(files) > 1 else None
    chosen = single_spec(NAME, {}, spec=changes[0], settings=changes[1])
    if not isinstance(chosen, Spec):
        raise TypeError(f"{type(chosen)} is not the block of consistency")
    return compare_files(
        files[0], source, chosen, targets=targets, untrained=untrained, workers=workers
    )


def _deliver(tables: Tables, output: Path | None, json_: bool) -> None:
    from babelscope.analyses.consistency.exports import pair_rows
    from babelscope.analyses.consistency.section import section
    from babelscope.cli.single import print_section
    from babelscope.files import json_lines, write_text
    from babelscope.reporting.build import section_page

    printing.check_ending(output, (".html", ".jsonl"))
    shown = section(tables)
    if output is not None and output.suffix == ".html":
        write_text(output, section_page(shown))
    elif output is not None:
        rows = [row for result in tables.results for row in pair_rows(result)]
        write_text(output, json_lines(rows))
    print_section(shown, output, json_)
