"""The command about translations: do they get the same explanation?"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope import show
from babelscope.arguments import CorpusFolder, Device, Json, Untrained

if TYPE_CHECKING:
    from babelscope.crosslingual.spaces import Space
    from babelscope.model.load import Model
    from babelscope.study.consistency import Pair, Settings
    from babelscope.types import Example, UnitScores


def consistency(
    model: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="A hub id or a folder; not needed with --input.")
    ] = None,
    input_: Annotated[Path | None, typer.Option("--input", help="Attributions of any tool: a .jsonl file.")] = None,
    source: Annotated[str, typer.Option(help="The language that the others are compared with.")] = "en",
    target: Annotated[str | None, typer.Option(help="Languages, separated by commas; with --input all others.")] = None,
    vectors: Annotated[str | None, typer.Option(metavar="LANG=FILE,...", help="Aligned .vec files, one per language.")] = None,
    subwords: Annotated[
        str | None, typer.Option(metavar="FOLDER=TOKENIZER", help="A shared subword space and the folder of its tokenizer.")
    ] = None,
    encoder: Annotated[str | None, typer.Option(help="A multilingual encoder that reads each word alone.")] = None,
    task: Annotated[str | None, typer.Option(help="The parallel corpus for MODEL: xnli, pawsx, sib200, sentiment ...")] = None,
    split: Annotated[str, typer.Option(help="Of the corpus.")] = "test",
    count: Annotated[int | None, typer.Option(help="Texts per language; default: all (built-in corpora: 100).")] = None,
    folder: CorpusFolder = None,
    method: Annotated[str, typer.Option(help="The attribution method.")] = "integrated_gradients",
    target_class: Annotated[str, typer.Option(help="What is explained: source (its prediction), own or gold.")] = "source",
    untrained: Annotated[Path | None, typer.Option(help="For C_rand: the --input of the same model untrained.")] = None,
    random_model: Annotated[
        bool, typer.Option("--random-model", help="For C_rand: explain MODEL with random weights too.")
    ] = False,
    allow_untrained_head: Untrained = False,
    norm: Annotated[str, typer.Option(help="abs, positive, square, minmax, softmax, signed; or all.")] = "abs",
    segments: Annotated[str, typer.Option(help="Pairs of texts: blocked (each by itself) or joint.")] = "blocked",
    unknown: Annotated[str, typer.Option(help="Words without a vector: identity, zero or drop.")] = "identity",
    draws: Annotated[int, typer.Option(help="Permutations behind C_perm.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the permutations.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    pairs_out: Annotated[Path | None, typer.Option("--output", help="Write every pair to a .jsonl file.")] = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """Do translations get the same explanation? C with its nulls and its ceiling, per language."""
    from babelscope.crosslingual.weights import NORMS
    from babelscope.study.consistency import Settings

    show.check_ending(pairs_out, (".jsonl",))
    chosen = [Settings(each, segments, unknown, draws, seed) for each in (NORMS if norm == "all" else (norm,))]
    langs = [each.strip() for each in target.split(",") if each.strip()] if target else None
    _check(model, input_, task, langs, [vectors, subwords, encoder])
    if input_ is not None:
        from babelscope.data.attributions import unit_scores

        rows, random = unit_scores(input_), unit_scores(untrained) if untrained else []
    else:
        from babelscope.model.load import load
        from babelscope.study.translations import parallel

        rows, random = _explained(
            load(str(model), device=device, allow_untrained_head=allow_untrained_head),
            parallel(str(task), list(dict.fromkeys([source, *(langs or ())])), split=split, count=count, folder=folder),
            source, method, target_class, random_model,
        )  # fmt: skip
    space = _space(rows, source, vectors, subwords, encoder, model, device)
    _deliver(rows, random, source, langs, space, chosen, workers, pairs_out, json_)


def _check(
    model: str | None, file: Path | None, task: str | None, langs: Sequence[str] | None, spaces: Sequence[str | None]
) -> None:
    from babelscope.errors import InputError

    if (model is None) == (file is None):
        raise InputError("give either a MODEL or --input FILE.jsonl" + ("; both were given" if model else ""))
    if model is not None and (task is None or not langs):
        raise InputError("MODEL needs a parallel corpus and languages: --task xnli --target es,hi")
    if sum(space is not None for space in spaces) > 1:
        raise InputError("give one space: --vectors, --subwords or --encoder")
    if file is not None and not any(spaces):
        raise InputError("words are compared in a space: give --vectors en=A.vec,es=B.vec, --subwords or --encoder")


def _explained(
    model: Model, texts: dict[str, list[Example]], source: str, method: str, target: str, random: bool
) -> tuple[list[UnitScores], list[UnitScores]]:
    from babelscope.model.vectors import untrained
    from babelscope.progress import bar
    from babelscope.study.translations import explained

    with bar("explaining") as tell:
        rows = explained(model, texts, source, target=target, method=method, progress=tell)
        fresh = explained(untrained(model), texts, source, target=target, method=method, progress=tell) if random else []
    return rows, fresh


def _space(
    rows: Sequence[UnitScores], source: str, vectors: str | None, subwords: str | None, encoder: str | None,
    model: str | None, device: str | None,
) -> Space:  # fmt: skip
    from babelscope.crosslingual.spaces import settled
    from babelscope.errors import InputError
    from babelscope.study.spaces import needed, vec_files

    words = needed(rows)
    if vectors is not None:
        from babelscope.data.vectors import languages

        return settled(vec_files(languages(vectors), words), source)
    if subwords is not None:
        from babelscope.crosslingual.subwords import subwords as read

        place, equals, tokenizer = subwords.partition("=")
        if not equals:
            raise InputError(f"--subwords {subwords!r} is not of the form FOLDER=TOKENIZER")
        return settled(read(place, tokenizer, words), source)
    from babelscope.model.load import load
    from babelscope.model.vectors import embedded, isolated
    from babelscope.progress import bar

    loaded = load(encoder or str(model), device=device, allow_untrained_head=True)
    with bar("reading words") as tell:
        return settled(isolated(loaded, words, progress=tell) if encoder else embedded(loaded, words), source)


def _deliver(
    rows: Sequence[UnitScores], random: Sequence[UnitScores], source: str, langs: Sequence[str] | None, space: Space,
    chosen: Sequence[Settings], workers: int, output: Path | None, json_: bool,
) -> None:  # fmt: skip
    from babelscope.crosslingual.spaces import floor
    from babelscope.study.consistency import in_space, score
    from babelscope.study.consistency_table import overall, summary

    told, written = [], []
    for settings in chosen:
        pairs = score(
            rows, source, in_space(space, settings.policy), targets=langs, settings=settings, untrained=random, workers=workers
        )
        lines = summary(pairs, seed=settings.seed)
        alone, with_self = overall(lines)
        floors = {line.lang: floor(space, source, line.lang) for line in lines if line.lang in space.vectors}
        told.append(
            {"source": source, "settings": asdict(settings), "space": space.name, "centred": space.centred, "floor": floors}
            | {"overall": alone, "overall_incl_self": with_self, "languages": [_json(line) for line in lines]}
        )
        written += [_pair(pair, settings.norm) for pair in pairs]
    if output is not None:
        part = output.with_name(f"{output.name}.part")
        part.write_text("".join(json.dumps(_plain(one), ensure_ascii=False) + "\n" for one in written), "utf-8")
        os.replace(part, output)
    if json_:
        print(json.dumps(_plain(told if len(told) > 1 else told[0]), ensure_ascii=False, indent=1))
        return
    _show(told)


def _show(told: Sequence[dict[str, Any]]) -> None:
    from babelscope.pages.consistency import LEGEND, lines_table

    for one in told:
        centred = ", centred by language" if one["centred"] else ""
        title = f"{one['source']} to others · norm {one['settings']['norm']} · space: {one['space']}{centred}"
        show.show(lines_table(title, one["languages"]))
        print(
            f"mean C over languages {one['overall']:.3f}; with the trivial 1 of {one['source']} {one['overall_incl_self']:.3f}"
        )
        for line in one["languages"]:
            low = [side for side, share in zip(("source", "target"), line["coverage"]) if share < 0.8]
            if low:
                print(f"{line['lang']}: less than 0.8 of the weight lies on known words ({' and '.join(low)})")
            for reason, number in line["reasons"].items():
                print(f"{line['lang']}: {number} without a value: {reason}")
    print(LEGEND)


def _json(line: Any) -> dict[str, Any]:
    found = asdict(line)
    return {"lang": found.pop("lang"), **found.pop("means"), **found}


def _pair(pair: Pair, norm: str) -> dict[str, Any]:
    named = ("c", "c_unif", "c_perm", "c_indep", "ceil_s", "ceil_t", "ceil", "lift", "kappa", "p", "reason")
    values = {name: getattr(pair.found, name) for name in named}
    own = {name: getattr(pair, name) for name in pair.__slots__ if name not in ("found",)}
    earned = {name: None if (each := getattr(pair.found, name)) is None else each.tolist() for name in ("earned_s", "earned_t")}
    return {**own, "norm": norm, **values, **earned}


def _plain(value: Any) -> Any:
    """Numbers that are not finite as null."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
