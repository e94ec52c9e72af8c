"""The command that measures explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import (
    Columns,
    Device,
    Json,
    ModelName,
    Options,
    Untrained,
    Verbalizer,
    chosen_methods,
    examples,
    refuse_unfit,
    share_options,
    verbalized,
)


def measure(
    model: ModelName,
    input_: Annotated[
        Path, typer.Option("--input", help="A .jsonl, .csv, .tsv or .parquet file of texts.")
    ],
    method: Annotated[
        str, typer.Option(help="Methods, separated by commas.")
    ] = "integrated_gradients,random",
    metric: Annotated[
        str, typer.Option(help="Metrics, separated by commas.")
    ] = "comprehensiveness,sufficiency",
    lang: Annotated[
        str, typer.Option(help="The language, where the file has no such column.")
    ] = "und",
    target: Annotated[
        str | None, typer.Option(help="A class, or 'gold'; default: the prediction.")
    ] = None,
    verbalizer: Verbalizer = None,
    option: Options = None,
    column: Columns = None,
    seed: Annotated[int, typer.Option(help="For methods that draw numbers.")] = 0,
    part: Annotated[
        str, typer.Option(help="Which text of a pair is explained and erased: all, first, second.")
    ] = "all",
    output: Annotated[
        Path | None, typer.Option(help="Write the values to a .jsonl or .parquet file.")
    ] = None,
    device: Device = None,
    allow_untrained_head: Untrained = False,
    json_: Json = False,
) -> None:
    """Can the explanations be trusted? Every method by every metric, per language, with
    intervals.
    """
    from babelscope.display.progress import bar
    from babelscope.display.results import Attributions, Measures
    from babelscope.methods.explain import explain as explain_them
    from babelscope.metrics import METRICS
    from babelscope.metrics.measure import measure as measure_them
    from babelscope.model.load import load
    from babelscope.options import choose

    printing.check_ending(output, (".jsonl", ".parquet"))
    rows = examples(None, None, lang, input_, column)
    chosen = chosen_methods(method)
    judges = [choose(METRICS, name.strip(), "metric") for name in metric.split(",")]
    settled = share_options([*chosen, *judges], option)
    words = verbalized(verbalizer)
    loaded = load(model, device=device, allow_untrained_head=allow_untrained_head, verbalizer=words)
    refuse_unfit(loaded, rows)
    found, values = Attributions(()), Measures(())
    with bar("explaining") as tell:
        for row in chosen:
            mine = settled[row.name]
            found += explain_them(
                loaded,
                rows,
                row.name,
                target=target,
                options=mine,
                seed=seed,
                part=part,
                progress=tell,
            )
    with bar("measuring") as tell, loaded.inference.caching():
        for judge in judges:
            values += measure_them(
                loaded, found, judge.name, options=settled[judge.name], progress=tell
            )
    printing.deliver_measures(values, output, json_)
