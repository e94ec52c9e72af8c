"""The command about attention heads: what they point at, and which to keep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import CorpusFolder, Device, Json, ModelName
from babelscope.files import write_text

if TYPE_CHECKING:
    from babelscope.model.head_masks import HeadMask
    from babelscope.model.head_statistics import HeadStatistics
    from babelscope.types import Example

Found = dict[str, tuple["HeadStatistics", "HeadMask"]]
"""Statistics and mask by language."""


def heads(
    model: ModelName,
    treebank: Annotated[
        list[str] | None, typer.Option(metavar="SOURCE", help="FILE.conllu or CORPUS/LANG,LANG/SPLIT/COUNT; repeat it.")
    ] = None,
    text: Annotated[Path | None, typer.Option(help="A text file, to be parsed by Stanza (extra: parse).")] = None,
    lang: Annotated[str | None, typer.Option(help="Of the text; of a treebank whose name does not say.")] = None,
    relations: Annotated[str, typer.Option(help="UD relations, separated by commas.")] = "nsubj,obj,amod,advmod",
    direction: Annotated[str, typer.Option(help="dep->head, head->dep or either.")] = "dep->head",
    subtypes: Annotated[str, typer.Option(help="strip (nsubj:pass is nsubj) or exact.")] = "strip",
    margin: Annotated[float, typer.Option(help="By how much accuracy must exceed the commonest distance's share.")] = 0.05,
    positional: Annotated[float, typer.Option(help="Which share of tokens one offset must exceed.")] = 0.8,
    kind: Annotated[str, typer.Option(help="synt, pos, synt_pos, random, corrupted or all.")] = "synt_pos",
    rate: Annotated[float, typer.Option(help="Which share of the other heads a corrupted mask adds.")] = 0.5,
    seed: Annotated[int, typer.Option(help="For random and corrupted masks.")] = 0,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the mask; with several languages: m-{lang}.json")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="Write the picture: .svg or .html.")] = None,
    folder: CorpusFolder = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """Which attention heads find syntactic relations or look at a fixed offset? Statistics, a mask, a picture."""
    by_lang = _sentences(treebank, text, lang, folder)
    _check_files(out, figure, list(by_lang))
    from babelscope.display.progress import bar
    from babelscope.model.head_masks import check_mask, head_mask, write_mask
    from babelscope.model.head_statistics import settled
    from babelscope.model.heads import head_statistics
    from babelscope.model.load import load

    wanted = settled(tuple(name.strip() for name in relations.split(",") if name.strip()), direction, subtypes)
    check_mask(kind, margin, positional, rate)
    loaded = load(model, device=device, allow_untrained_head=True)
    found: Found = {}
    for tag, rows in by_lang.items():
        with bar(f"reading {tag}") as tell:
            counted = head_statistics(
                loaded, rows, relations=wanted, direction=direction, subtypes=subtypes, progress=tell
            )  # fmt: skip
        found[tag] = counted, head_mask(counted, kind, margin=margin, positional=positional, seed=seed, rate=rate)
    if out is not None:
        for tag, (_, mask) in found.items():
            write_mask(mask, out.replace("{lang}", tag))
    if figure is not None:
        _draw(found, figure)
    _deliver(found, json_)


def _sentences(given: list[str] | None, text: Path | None, lang: str | None, folder: Path | None) -> dict[str, list[Example]]:
    from babelscope.data.treebanks import parsed, treebank
    from babelscope.errors import InputError

    if bool(given) == (text is not None):
        raise InputError("give either --treebank SOURCE or --text FILE" + ("; both were given" if given else ""))
    if text is not None and lang is None:
        raise InputError(f"--text {text}: name its language with --lang, so that it can be parsed")
    rows = (
        parsed(text, str(lang)) if text else [row for each in given or () for row in treebank(each, folder=folder, lang=lang)]
    )
    found: dict[str, list[Example]] = {}
    for row in rows:
        found.setdefault(row.lang, []).append(row)
    return found


def _check_files(out: str | None, figure: Path | None, langs: Sequence[str]) -> None:
    """Everything that would fail at the end is refused at the beginning."""
    from babelscope.errors import InputError

    if out is not None and len(langs) > 1 and "{lang}" not in out:
        raise InputError(f"--out {out}: one mask per language ({', '.join(langs)}); put {{lang}} into the name")
    for name, file, endings in (("--out", Path(out) if out else None, (".json",)), ("--figure", figure, (".svg", ".html"))):
        if file is not None and file.suffix not in endings:
            raise InputError(f"{name} {file}: the ending must be one of {', '.join(endings)}")
        if file is not None and not file.parent.is_dir():
            raise InputError(f"{name} {file}: there is no folder {file.parent}")


def _draw(found: Found, file: Path) -> None:
    from babelscope.analyses.heads import figure

    drawn = figure.svg if file.suffix == ".svg" else figure.page
    write_text(file, str(drawn(list(found.values()))))


def _deliver(found: Found, json_: bool) -> None:
    from itertools import combinations

    from babelscope.analyses.heads import section as pages
    from babelscope.analyses.heads.agreement import likeness, sensitivity, transfer
    from babelscope.model.head_masks import to_json
    from babelscope.model.head_statistics import defined, numbers

    agreed = transfer({tag: mask for tag, (_, mask) in found.items()})
    alike = [likeness(one, two) for (one, _), (two, _) in combinations(found.values(), 2)]
    if json_:
        listed: list[dict[str, Any]] = []
        for counted, mask in found.values():
            curve = [step._asdict() for step in sensitivity(counted)]
            listed.append({**numbers(counted, mask.margin), "mask": json.loads(to_json(mask)), "curve": curve})
        told = [dict(zip((*row._fields, "likeness"), defined([*row, rank]))) for row, rank in zip(agreed, alike)]
        print(json.dumps({"languages": listed, "transfer": told}, ensure_ascii=False))
        return
    for counted, mask in found.values():
        printing.show(pages.relations_table(counted, mask.margin))
        printing.show(pages.heads_table(counted, mask))
        printing.show(pages.curve_table(sensitivity(counted)))
    printing.show(pages.legend())
    if agreed:
        printing.show(pages.transfer_table(agreed, alike))
    for counted, _ in found.values():
        for flag in counted.flags:
            print(f"{counted.lang}: {flag}")
