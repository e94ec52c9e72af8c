"""The command about single explanations: can this one be trusted?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from babelscope.cli.arguments import (
    Json,
    ModelName,
    Options,
    Pair,
    Text,
    TextLang,
    Untrained,
    examples,
    pairs,
)
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command

Method = Annotated[
    str, typer.Option(help="Attribution method to check; babelscope methods lists them.")
]
InputFile = Annotated[
    Path | None,
    typer.Option(
        "--input",
        help="File of texts whose explanations are checked: .jsonl, .csv, .tsv, .parquet.",
    ),
]


def trust(
    model: ModelName,
    text: Text = None,
    pair: Pair = None,
    lang: TextLang = "und",
    method: Method = "integrated_gradients",
    option: Options = None,
    input_: InputFile = None,
    allow_untrained_head: Untrained = False,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """Can this explanation be trusted? Eight checks, each beside its null distribution."""
    from babelscope.data.formats.records import record

    rows = examples(text, pair, lang, input_, None)
    values: dict[str, Any] = {
        "name": f"trust in {model}",
        "languages": list(dict.fromkeys(row.lang for row in rows)),
        "models": [{"name": model, "source": model, "allow_untrained_head": allow_untrained_head}],
        "methods": [{"name": method, "options": pairs(option, "--option")}],
        "tasks": [{"name": "texts", "data": {"rows": list(map(record, rows)), "examples": None}}],
        "trust": {"explanations": len(rows)},
    }
    run_command(
        "trust", values, spec=spec, settings=settings, store=store, output=output, json_=json_
    )
