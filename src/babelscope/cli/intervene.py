"""The command about re-segmentation: what happens to explanations when words are split
differently.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from babelscope.cli.arguments import (
    Columns,
    CorpusFolder,
    FileLang,
    Json,
    Methods,
    Metrics,
    ModelName,
    Source,
    separated,
)
from babelscope.cli.single import OutputPage, Settings, SpecFile, StoreFolder, run_command
from babelscope.cli.tokenization import source_task

METRICS = "normalised_comprehensiveness,normalised_sufficiency,loo_correlation"
Ways = Annotated[
    str,
    typer.Option(
        help="Ways to re-segment words, separated by commas: characters, same, duplicate, filler "
        "or truncate."
    ),
]


def intervene(
    model: ModelName,
    input_: Source,
    way: Ways = "characters,same,duplicate",
    method: Methods = "integrated_gradients",
    metric: Metrics = METRICS,
    lang: FileLang = None,
    column: Columns = None,
    folder: CorpusFolder = None,
    spec: SpecFile = None,
    settings: Settings = None,
    store: StoreFolder = None,
    output: OutputPage = None,
    json_: Json = False,
) -> None:
    """Does splitting words into more tokens change explanations? Same model, same words.

    Further fields are set with --set: interventions.rates=[0,0.5,1] (shares of the words that are
    re-segmented) and, for the way truncate, interventions.pieces=[2000,500] (vocabulary sizes).
    """
    task, languages = source_task([input_], lang, column, folder)
    interventions: dict[str, Any] = {
        "ways": separated(way, "--way"),
        "methods": separated(method, "--method"),
        "metrics": separated(metric, "--metric"),
    }
    values = {
        "name": f"re-segmentation of {model}", "languages": languages, "tasks": [task],
        "models": [{"name": model, "source": model}],
        "tokenization": {"interventions": interventions},
    }  # fmt: skip
    run_command(
        "tokenization", values, spec=spec, settings=settings, store=store, output=output,
        json_=json_,
    )  # fmt: skip
