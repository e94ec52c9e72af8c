"""The command about re-segmentation: what happens to explanations when words are split
differently.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from babelscope.cli.arguments import Columns, CorpusFolder, Json, ModelName
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command
from babelscope.cli.tokenization import source_task

METRICS = "normalised_comprehensiveness,normalised_sufficiency,loo_correlation"


def intervene(
    model: ModelName,
    input_: Annotated[
        str, typer.Option("--input", metavar="SOURCE", help="FILE or CORPUS/LANG/SPLIT/COUNT.")
    ],
    way: Annotated[
        str, typer.Option(help="Ways to re-segment words, separated by commas.")
    ] = "characters,same,duplicate",
    rate: Annotated[
        str, typer.Option(help="Shares of the words that are re-segmented, separated by commas.")
    ] = "0,0.25,0.5,0.75,1",
    method: Annotated[
        str, typer.Option(help="Attribution methods, separated by commas.")
    ] = "integrated_gradients",
    metric: Annotated[
        str, typer.Option(help="Metrics, separated by commas; agreement is added.")
    ] = METRICS,
    pieces: Annotated[
        str | None,
        typer.Option(help="For the way truncate: vocabulary sizes that are left, e.g. 2000,500."),
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="Language of the texts, where a file has no such column.")
    ] = None,
    column: Columns = None,
    folder: CorpusFolder = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """Does splitting words into more tokens change explanations? Same model, same words."""
    task, languages = source_task([input_], lang, column, folder)
    interventions = {
        "ways": way.split(","),
        "rates": _numbers(rate, "--rate"),
        "pieces": [int(size) for size in _numbers(pieces, "--pieces")] if pieces else [],
        "methods": method.split(","),
        "metrics": metric.split(","),
    }
    values: dict[str, Any] = {
        "name": f"re-segmentation of {model}",
        "languages": languages,
        "models": [{"name": model, "source": model}],
        "tasks": [task],
        "tokenization": {"interventions": interventions},
    }
    run_command(
        "tokenization",
        values,
        spec=spec,
        settings=settings,
        store=store,
        output=output,
        json_=json_,
    )


def _numbers(text: str, flag: str) -> list[float]:
    from babelscope.errors import InputError

    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(f"{flag} {text!r} is not a list of numbers separated by commas") from error
