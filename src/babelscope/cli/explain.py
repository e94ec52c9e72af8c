"""The command that explains texts."""

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
from babelscope.display.numbers import items

if TYPE_CHECKING:
    from babelscope.cli.settings import ExplainSettings
    from babelscope.display.results import Attributions
    from babelscope.model.load import Model
    from babelscope.types import Aim, Example, SkippedRow

ENDINGS = (".jsonl", ".parquet", ".html", ".svg", ".png", ".pdf")
STREAMED = (".jsonl", ".parquet")
"""Formats that are written row by row."""
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a further field: quantity, contrast, word, edge, part, long, unit, seed, "
        "verbalizer, prompt, answer, generate, allow_untrained_head, dtype, "
        "device_map, quantization, adapter, strict or max_skipped; repeatable.",
    ),
]
InputFile = Annotated[
    Path | None,
    typer.Option("--input", metavar="SOURCE", help=f"Texts to explain: {SOURCES}."),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        help="File to write the explanations to: .jsonl, .parquet or .html; for SLALOM's plane "
        ".svg, .png or .pdf."
    ),
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
    if settings.answer is not None or settings.generate:
        _deliver_answers(loaded, rows, options, settings, output, json_)
        return
    if output is not None and output.suffix in STREAMED and not json_:
        count, skipped = _stream(loaded, rows, options, settings.aim(target), settings, output)
        printing.print_text(f"{output}: {items(count, 'explanation')}")
        printing.print_skipped(skipped, len(rows))
        return
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

    attributions = explained_by(model, rows, options, aim, settings)
    most = settings.max_skipped
    check_skipped(attributions.skipped, len(rows), strict=settings.refuses, most=most)
    return attributions


def explained_by(
    model: Model,
    rows: Sequence[Example],
    options: Mapping[str, dict[str, Any]],
    aim: Aim,
    settings: ExplainSettings,
) -> Attributions:
    """The same, whatever was skipped."""
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
    return attributions


def _stream(
    model: Model,
    rows: Sequence[Example],
    options: Mapping[str, dict[str, Any]],
    aim: Aim,
    settings: ExplainSettings,
    output: Path,
) -> tuple[int, Sequence[SkippedRow]]:
    """Writes the explanations while they are computed, some texts at a time: memory does not grow
    with the number of texts. How many they are, and what was skipped; too many bad rows are refused
    and leave no file.
    """
    from babelscope.data.skipping import check_skipped
    from babelscope.methods.explain import TOGETHER

    count = 0
    skipped: dict[SkippedRow, None] = {}
    with printing.stream(output, "attributions") as write:
        for name, values in options.items():
            for start in range(0, len(rows), TOGETHER):
                some = rows[start : start + TOGETHER]
                part = explained_by(model, some, {name: values}, aim, settings)
                write(part)
                count += len(part)
                skipped |= dict.fromkeys(part.skipped)
        listed = tuple(skipped)
        check_skipped(listed, len(rows), strict=settings.refuses, most=settings.max_skipped)
    return count, listed


def _deliver_answers(
    model: Model,
    rows: Sequence[Example],
    options: Mapping[str, dict[str, Any]],
    settings: ExplainSettings,
    output: Path | None,
    json_: bool,
) -> None:
    """Explains answers with each method; prints or writes their tokens by the words of the text."""
    from babelscope.display.answers import answer_lines, answer_page
    from babelscope.errors import InputError
    from babelscope.files import dumps, write_text
    from babelscope.methods.answers import explain_answers

    if output is not None and output.suffix != ".html":
        raise InputError(f"--output {output}: the explanation of an answer is written as .html")
    answers = None if settings.answer is None else [settings.answer] * len(rows)
    explained = [
        answer
        for name, values in options.items()
        for answer in explain_answers(
            model, list(rows), name, answers=answers, tokens=settings.generate, options=values,
            seed=settings.seed,
        )
    ]  # fmt: skip
    if output is not None:
        write_text(output, answer_page(explained))
        printing.print_text(f"{output}: {len(explained)} answers")
    elif json_:
        printing.print_text(dumps([
            {"id": each.whole.id, "method": each.whole.method, "tokens": each.tokens,
             "words": each.words, "values": [row.value for row in each.by_token],
             "value": each.whole.value, "scores": each.matrix, "whole": each.whole.word_scores}
            for each in explained
        ]))  # fmt: skip
    else:
        printing.print_text("\n".join(line for each in explained for line in answer_lines(each)))
