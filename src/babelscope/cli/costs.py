"""The command about costs: what does an explanation cost by each method?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from babelscope.cli.arguments import (
    Json,
    Methods,
    ModelName,
    Options,
    Pair,
    Text,
    TextLang,
    Untrained,
    chosen_methods,
    examples,
    share_options,
)
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command

TimedFile = Annotated[
    Path | None,
    typer.Option(
        "--input",
        help="File of texts, of which the first are explained: .jsonl, .csv, .tsv, .parquet.",
    ),
]


def costs(
    model: ModelName,
    text: Text = None,
    pair: Pair = None,
    lang: TextLang = "und",
    method: Methods = "gradient_norm,integrated_gradients,occlusion,slalom",
    option: Options = None,
    input_: TimedFile = None,
    allow_untrained_head: Untrained = False,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """What does an explanation cost? Seconds, tokens and queries by method, on the same texts.

    Seconds are measured on this machine, once: a second run on a store reads them from there. Set
    the number of texts with --set texts=5; list a method with several options in a --spec file.
    """
    from babelscope.data.formats.records import record

    rows = examples(text, pair, lang, input_, None)
    chosen = chosen_methods(method)
    shared = share_options(chosen, option)
    listed = [{"name": row.name, "options": shared[row.name]} for row in chosen]
    values: dict[str, Any] = {
        "name": f"costs of explanations of {model}",
        "languages": list(dict.fromkeys(row.lang for row in rows)),
        "models": [{"name": model, "source": model, "allow_untrained_head": allow_untrained_head}],
        "methods": listed,
        "tasks": [{"name": "texts", "data": {"rows": list(map(record, rows)), "examples": None}}],
    }
    run_command(
        "costs", values, spec=spec, settings=settings, store=store, output=output, json_=json_
    )
