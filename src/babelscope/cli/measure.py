"""The command that measures explanations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import (
    SOURCES,
    Columns,
    Device,
    Json,
    Methods,
    Metrics,
    ModelName,
    Options,
    Target,
    TextLang,
    chosen_methods,
    chosen_metrics,
    examples,
    load_model,
    share_options,
)
from babelscope.cli.explain import attributions_by

if TYPE_CHECKING:
    from babelscope.display.results import Attributions, Measures
    from babelscope.metrics.row import Metric
    from babelscope.model.load import Model

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a further field: part, unit, seed, verbalizer, prompt, "
        "allow_untrained_head, dtype, device_map, quantization, adapter, strict or max_skipped; "
        "repeatable.",
    ),
]
InputFile = Annotated[
    Path,
    typer.Option("--input", metavar="SOURCE", help=f"Texts to explain: {SOURCES}."),
]
OutputFile = Annotated[
    Path | None, typer.Option(help="File to write the values to: .jsonl or .parquet.")
]


def measure(
    model: ModelName,
    input_: InputFile,
    method: Methods = "integrated_gradients,random",
    metric: Metrics = "comprehensiveness,sufficiency",
    option: Options = None,
    lang: TextLang = "und",
    target: Target = None,
    column: Columns = None,
    set_: Settings = None,
    output: OutputFile = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """Can the explanations be trusted? Measure every method by every metric, per language."""
    from babelscope.cli.settings import ExplainSettings, MeasureSettings, read_settings

    settings = read_settings(MeasureSettings, set_)
    printing.check_ending(output, (".jsonl", ".parquet"))
    rows = examples(None, None, lang, input_, column)
    methods, metrics = chosen_methods(method), chosen_metrics(metric)
    options = share_options([*methods, *metrics], option)
    loaded = load_model(model, device, settings, rows)
    explained = ExplainSettings(**settings.model_dump())
    by_method = {row.name: options[row.name] for row in methods}
    attributions = attributions_by(loaded, rows, by_method, explained.aim(target), explained)
    compared = _paired(attributions)
    printing.deliver_measures(_measures(loaded, compared, metrics, options), output, json_)
    printing.print_skipped(attributions.skipped, len(rows))


def _paired(attributions: Attributions) -> Attributions:
    """Those whose translations were all explained: languages are compared on the same texts."""
    from babelscope.display.results import Attributions

    groups = {row.group for row in attributions.skipped}
    return Attributions(tuple(each for each in attributions if each.group not in groups))


def _measures(
    model: Model,
    attributions: Attributions,
    metrics: Sequence[Metric],
    options: Mapping[str, dict[str, Any]],
) -> Measures:
    """The values of each metric, with its options."""
    from babelscope.display.progress import bar
    from babelscope.display.results import Measures
    from babelscope.metrics.measure import measure as measure_attributions

    measures = Measures(())
    with bar("measuring") as update, model.inference.caching():
        for row in metrics:
            measures += measure_attributions(
                model, attributions, row.name, options=options[row.name], progress=update
            )
    return measures
