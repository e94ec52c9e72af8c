"""The command that explains texts."""

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


def explain(
    model: ModelName,
    text: Annotated[str | None, typer.Argument(help="The text to explain.")] = None,
    pair: Annotated[
        str | None, typer.Option(help="The second text of a pair (hypothesis, context).")
    ] = None,
    lang: Annotated[
        str, typer.Option(help="The text's language (BCP 47): decides its words.")
    ] = "und",
    method: Annotated[
        str, typer.Option(help="Methods, separated by commas.")
    ] = "integrated_gradients",
    target: Annotated[
        str | None, typer.Option(help="A class (or answer), or 'gold'; default: the prediction.")
    ] = None,
    quantity: Annotated[
        str, typer.Option(help="logit, probability, log_odds or contrast.")
    ] = "logit",
    contrast: Annotated[
        str | None, typer.Option(help="The class to subtract; default: the best of the others.")
    ] = None,
    word: Annotated[
        int | None,
        typer.Option(min=0, help="The word whose tag is explained; default: the first not O."),
    ] = None,
    edge: Annotated[str, typer.Option(help="Of an answer: both, start or end.")] = "both",
    verbalizer: Verbalizer = None,
    unit: Annotated[str, typer.Option(help="Show words or tokens.")] = "word",
    input_: Annotated[
        Path | None, typer.Option("--input", help="A .jsonl, .csv, .tsv or .parquet file of texts.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write to a .jsonl, .parquet, .html, .svg or .png file.")
    ] = None,
    option: Options = None,
    column: Columns = None,
    seed: Annotated[int, typer.Option(help="For methods that draw numbers.")] = 0,
    part: Annotated[
        str, typer.Option(help="Which text of a pair is explained: all, first, second.")
    ] = "all",
    long: Annotated[
        str, typer.Option(help="Texts longer than the model: truncate or window.")
    ] = "truncate",
    device: Device = None,
    allow_untrained_head: Untrained = False,
    json_: Json = False,
) -> None:
    """Which words made the model say that?"""
    from babelscope.display.progress import bar
    from babelscope.display.results import Attributions
    from babelscope.errors import InputError
    from babelscope.types import Aim

    if unit not in ("word", "token"):
        raise InputError(f"unit {unit!r} is not one of: word, token")
    printing.check_ending(output, (".jsonl", ".parquet", ".html", ".svg", ".png"))
    rows = examples(text, pair, lang, input_, column)
    chosen = chosen_methods(method)
    settled = share_options([*chosen], option)
    from babelscope.methods.explain import explain as explain_them
    from babelscope.model.load import load

    words = verbalized(verbalizer)
    loaded = load(model, device=device, allow_untrained_head=allow_untrained_head, verbalizer=words)
    refuse_unfit(loaded, rows)
    aim = Aim(target, contrast, word, edge)
    found = Attributions(())
    with bar("explaining") as tell:
        for row in chosen:
            found += explain_them(
                loaded, rows, row.name, target=aim, quantity=quantity, options=settled[row.name],
                seed=seed, part=part, long=long, progress=tell,
            )  # fmt: skip
    printing.deliver(found, output, json_, unit)
