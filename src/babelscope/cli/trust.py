"""The command about single explanations: can this one be trusted?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from babelscope.cli.arguments import Json, ModelName, Options, Untrained, examples, pairs
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command


def trust(
    model: ModelName,
    text: Annotated[str | None, typer.Argument(help="Text whose explanation is checked.")] = None,
    pair: Annotated[
        str | None, typer.Option(help="Second text of a pair (hypothesis, context).")
    ] = None,
    lang: Annotated[
        str, typer.Option(help="Language of the text (BCP 47): decides its words.")
    ] = "und",
    method: Annotated[str, typer.Option(help="Attribution method.")] = "integrated_gradients",
    option: Options = None,
    input_: Annotated[
        Path | None,
        typer.Option("--input", help="File of texts instead of one text; each gets a panel."),
    ] = None,
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
