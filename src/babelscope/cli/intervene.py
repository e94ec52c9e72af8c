"""The command about pieces: what happens to explanations when words are cut otherwise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import Columns, CorpusFolder, Device, Json, ModelName, pairs
from babelscope.files import json_lines, write_text

if TYPE_CHECKING:
    from babelscope.analyses.tokenization.intervention import Dosed

OUTCOMES = "normalised_comprehensiveness,normalised_sufficiency,loo_correlation"


def intervene(
    model: ModelName,
    input_: Annotated[str, typer.Option("--input", metavar="SOURCE", help="FILE or CORPUS/LANG/SPLIT/COUNT.")],
    way: Annotated[str, typer.Option(help="Ways to cut words, separated by commas; see docs.")] = "characters,same,duplicate",
    rate: Annotated[str, typer.Option(help="Shares of the words that are cut anew.")] = "0,0.25,0.5,0.75,1",
    method: Annotated[str, typer.Option(help="Methods, separated by commas.")] = "integrated_gradients",
    metric: Annotated[str, typer.Option(help="Metrics, separated by commas; agreement is added.")] = OUTCOMES,
    pieces: Annotated[str | None, typer.Option(help="For `truncate`: how many pieces are left, e.g. 2000,500.")] = None,
    lang: Annotated[str | None, typer.Option(help="The language, where a file has no such column.")] = None,
    column: Columns = None,
    folder: CorpusFolder = None,
    seed: Annotated[int, typer.Option(help="Which words, and which pieces.")] = 0,
    output: Annotated[Path | None, typer.Option(help="Write every value to a .jsonl file.")] = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """Does cutting words into more pieces change explanations? Same model, same words, other pieces of its vocabulary."""
    from babelscope.data import sources
    from babelscope.display.progress import bar

    printing.check_ending(output, (".jsonl",))
    rows = sources.rows(input_, folder=folder, columns=pairs(column, "--column"), lang=lang)
    from babelscope.analyses.tokenization.intervention import AGREEMENT, graded
    from babelscope.analyses.tokenization.intervention import intervene as look
    from babelscope.model.encode import encode
    from babelscope.model.load import load

    loaded = load(model, device=device)
    left = [int(one) for one in _numbers(pieces, "--pieces")] if pieces else []
    known = encode(loaded, rows) if left else []
    cuts = graded(loaded, way.split(","), _numbers(rate, "--rate"), left, known, seed)
    with bar("cutting words") as tell:
        found = look(loaded, rows, cuts, method.split(","), [*metric.split(","), AGREEMENT], progress=tell)
    plain = [_plain(asdict(one)) for one in found]
    if output is not None:
        write_text(output, json_lines(plain))
    if json_:
        print(json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        _tables(found)


def _tables(found: Sequence[Dosed]) -> None:
    from babelscope.analyses.tokenization.intervention import flips, responses
    from babelscope.display.terminal import table

    doses = [(arm, lang, dose, mean, lost) for (arm, lang, dose), (mean, lost) in flips(found).items()]
    head = ("way", "language", "dose", "tokens per word", "left out")
    printing.show(table("what was done; texts are left out whose prediction changed", head, doses))
    rows = [
        (one.arm, one.lang, one.method, one.outcome, one.means[0][1].mean, one.means[-1][1].mean, one.by_fertility.mean,
         one.by_fertility.low, one.by_fertility.high, one.by_fertility.n)
        for one in responses(found)
    ]  # fmt: skip
    names = ("way", "language", "method", "outcome", "first dose", "last dose", "slope", "low", "high", "n")
    printing.show(table("slopes by tokens per word within texts, with 95 % intervals", names, rows))


def _numbers(given: str, flag: str) -> list[float]:
    from babelscope.errors import InputError

    try:
        return [float(one) for one in given.split(",")]
    except ValueError as error:
        raise InputError(f"{flag} {given!r} is not a list of numbers separated by commas") from error


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in row.items()}
