"""The command that measures explanations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from babelscope.cli.explain import explained_by

if TYPE_CHECKING:
    from babelscope.cli.settings import ExplainSettings
    from babelscope.display.results import Attributions, Measures
    from babelscope.metrics.row import Metric
    from babelscope.model.load import Model
    from babelscope.types import Aim, Example, SkippedRow

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
    measures, skipped = _measured(
        loaded, rows, by_method, explained.aim(target), explained, metrics, options
    )
    printing.deliver_measures(measures, output, json_)
    printing.print_skipped(skipped, len(rows))


def _measured(
    model: Model, rows: Sequence[Example], by_method: Mapping[str, dict[str, Any]], aim: Aim,
    settings: ExplainSettings, metrics: Sequence[Metric], options: Mapping[str, dict[str, Any]],
) -> tuple[Measures, Sequence[SkippedRow]]:  # fmt: skip
    """The values of all metrics, metric by metric and method by method, and what was skipped.

    Some texts are explained and measured at a time, and only the values are kept: memory hardly
    grows with their number.
    """
    from babelscope.data.skipping import check_skipped
    from babelscope.display.results import Measures

    measures = Measures(())
    skipped: dict[SkippedRow, None] = {}
    for some in whole_groups(rows):
        attributions = explained_by(model, some, by_method, aim, settings)
        skipped |= dict.fromkeys(attributions.skipped)
        most = settings.max_skipped
        check_skipped(tuple(skipped), len(rows), strict=settings.refuses, most=most)
        if attributions or len(some) == len(rows):
            measures += _measures(model, _paired(attributions), metrics, options)
    order = {name: at for at, name in enumerate([*(row.name for row in metrics), *by_method])}
    ordered = sorted(measures.items, key=lambda row: (order[row.metric], order[row.method]))
    return Measures(tuple(ordered), measures.texts), tuple(skipped)


def whole_groups(rows: Sequence[Example], size: int | None = None) -> Iterator[list[Example]]:
    """The rows in parts of at least `size` (by default as many as are explained together), in which
    translations of a text are together, in the order of their first.
    """
    from babelscope.methods.explain import TOGETHER

    least = size or TOGETHER
    groups: dict[str, list[Example]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    if len(rows) <= least:
        yield list(rows)
        return
    part: list[Example] = []
    for group in groups.values():
        part += group
        if len(part) >= least:
            yield part
            part = []
    if part:
        yield part


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
