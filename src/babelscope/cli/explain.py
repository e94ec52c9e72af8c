"""The command that explains texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import (
    Columns,
    Device,
    Json,
    Methods,
    ModelName,
    Options,
    Pair,
    Target,
    Text,
    TextLang,
    chosen_methods,
    examples,
    load_model,
    share_options,
)

if TYPE_CHECKING:
    from babelscope.cli.settings import ExplainSettings
    from babelscope.display.results import Attributions
    from babelscope.model.load import Model
    from babelscope.types import Aim, Example

ENDINGS = (".jsonl", ".parquet", ".html", ".svg", ".png")
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a further field: quantity, contrast, word, edge, part, long, unit, seed, "
        "verbalizer, allow_untrained_head, dtype, quantization, adapter, strict or max_skipped; "
        "repeatable.",
    ),
]
InputFile = Annotated[
    Path | None,
    typer.Option("--input", help="File of texts to explain: .jsonl, .csv, .tsv or .parquet."),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(help="File to write the explanations to: .jsonl, .parquet, .html, .svg or .png."),
]


def explain(
    model: ModelName,
    text: Text = None,
    pair: Pair = None,
    lang: TextLang = "und",
    method: Methods = "integrated_gradients",
    option: Options = None,
    target: Target = None,
    input_: InputFile = None,
    column: Columns = None,
    set_: Settings = None,
    output: OutputFile = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """Which words made the model say that? Score every word of a text."""
    from babelscope.cli.settings import ExplainSettings, read_settings

    settings = read_settings(ExplainSettings, set_)
    printing.check_ending(output, ENDINGS)
    rows = examples(text, pair, lang, input_, column)
    options = share_options(chosen_methods(method), option)
    loaded = load_model(model, device, settings, rows)
    attributions = attributions_by(loaded, rows, options, settings.aim(target), settings)
    printing.deliver(attributions, output, json_, settings.unit or "word")
    printing.print_skipped(attributions.skipped, len(rows))


def attributions_by(
    model: Model,
    rows: Sequence[Example],
    options: Mapping[str, dict[str, Any]],
    aim: Aim,
    settings: ExplainSettings,
) -> Attributions:
    """The explanations by each method, with its options; too many bad rows are refused."""
    from babelscope.data.skipping import check_skipped
    from babelscope.data.units import TOKEN
    from babelscope.display.progress import bar
    from babelscope.display.results import Attributions
    from babelscope.methods.explain import explain_readable

    attributions = Attributions(())
    with bar("explaining") as update:
        for name, values in options.items():
            attributions += explain_readable(
                model, rows, name, target=aim, quantity=settings.quantity, options=values,
                seed=settings.seed, part=settings.part, long=settings.long,
                unit=settings.unit or TOKEN, progress=update,
            )  # fmt: skip
    most = settings.max_skipped
    check_skipped(attributions.skipped, len(rows), strict=settings.refuses, most=most)
    return attributions
