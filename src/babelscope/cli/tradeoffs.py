"""The command about trade-offs: what fine-tuning on one language cost the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from babelscope.cli.arguments import CorpusFolder, Json
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, Workers, run_command
from babelscope.data.limits import MOST

Models = Annotated[
    list[str],
    typer.Option(
        metavar="DIR",
        help="Folder of a fine-tuned model, also as LANG=DIR or LANG:SEED=DIR; repeatable.",
    ),
]
Task = Annotated[
    str, typer.Option(help="Name of the parallel corpus: xnli, sib200, sentiment, topic, nli ...")
]
TestLangs = Annotated[
    str, typer.Option(help="Languages to test the models in, separated by commas.")
]
Base = Annotated[
    str | None,
    typer.Option(help="Checkpoint that the models were fine-tuned from; the probe needs it."),
]
Count = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Number of test texts per language. Default: all of them (built-in corpora: 100).",
    ),
]


def tradeoffs(
    model: Models,
    task: Task,
    lang: TestLangs,
    base: Base = None,
    count: Count = None,
    folder: CorpusFolder = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    workers: Workers = 1,
    json_: Json = False,
) -> None:
    """What did fine-tuning on one language cost the others? Accuracy, states, attention, errors.

    Fields of the analysis are set with --set: train_examples and dev_examples (texts of the
    probes), poolings, language_model, seed (of sampled sign flips and nulls).
    """
    values = tradeoffs_study(model, task, lang, base=base, count=count, folder=folder)
    run_command(
        "tradeoffs", values, spec=spec, settings=settings, store=store, output=output,
        json_=json_, workers=workers,
    )  # fmt: skip


def tradeoffs_study(
    models: Sequence[str],
    task: str,
    languages: str,
    *,
    base: str | None = None,
    count: int | None = None,
    folder: Path | None = None,
) -> dict[str, Any]:
    """The study that the command runs: existing models, one corpus, one analysis."""
    from babelscope.analyses.tradeoffs.provenance import parse_model
    from babelscope.errors import InputError

    langs = list(dict.fromkeys(lang.strip() for lang in languages.split(",") if lang.strip()))
    if not langs:
        raise InputError(
            f"--lang {languages!r} names no language; write tags separated by commas: en,hi"
        )
    parsed = [parse_model(argument) for argument in models]
    names = [Path(source).name for source, _ in parsed]
    if len(set(names)) < len(names):
        names = list(models)
    stated = {name: origin.model_dump() for name, (_, origin) in zip(names, parsed)}
    return {
        "name": f"tradeoffs-{task}",
        "tasks": [{"name": task, "data": _data(task, langs, count, folder)}],
        "languages": langs,
        "models": [{"name": name, "source": source} for name, (source, _) in zip(names, parsed)],
        "tradeoffs": {"stated": stated} | ({"base": base} if base else {}),
    }


def _data(
    task: str, langs: Sequence[str], count: int | None, folder: Path | None
) -> dict[str, Any]:
    """The corpus in a study's terms; a name or a language that it does not have is refused."""
    from babelscope.data import builtin
    from babelscope.data.corpora import CORPORA
    from babelscope.data.sources import BUILTIN
    from babelscope.errors import InputError
    from babelscope.options import suggestion

    known = {
        **dict.fromkeys(builtin.CORPORA, builtin.LANGUAGES),
        **{name: row.languages for name, row in CORPORA.items()},
    }
    if task not in known:
        raise InputError(f"--task {task}: there is no such corpus; {suggestion(task, known)}")
    codes = CORPORA[task].codes.values() if task in CORPORA else ()
    unknown = next((lang for lang in langs if lang not in known[task] and lang not in codes), None)
    if unknown is not None:
        raise InputError(f"--lang: {task} has no {unknown!r}; it has {', '.join(known[task])}")
    if task in builtin.CORPORA:
        return {"builtin": task, "examples": count or BUILTIN}
    return {"corpus": task, "folder": None if folder is None else str(folder), "examples": count}
