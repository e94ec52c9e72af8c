"""The command about translations: do they get the same explanation?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import CorpusFolder, Device, Json, Untrained

if TYPE_CHECKING:
    from markupsafe import Markup

    from babelscope.analyses.consistency.named_spaces import SpaceNames
    from babelscope.analyses.consistency.pairs import Compare, Settings
    from babelscope.analyses.consistency.sensitivity import Scored
    from babelscope.model.load import Model
    from babelscope.types import Example, UnitScores


def consistency(
    model: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODEL]", help="A hub id or a folder; LANG=MODEL ... for models trained in each language."),
    ] = None,
    input_: Annotated[Path | None, typer.Option("--input", help="Attributions of any tool: a .jsonl file.")] = None,
    source: Annotated[str, typer.Option(help="The language that the others are compared with.")] = "en",
    target: Annotated[str | None, typer.Option(help="Languages, separated by commas; with --input all others.")] = None,
    vectors: Annotated[str | None, typer.Option(metavar="LANG=FILE,...", help="Aligned .vec files, one per language.")] = None,
    subwords: Annotated[
        str | None, typer.Option(metavar="FOLDER=TOKENIZER", help="A shared subword space and the folder of its tokenizer.")
    ] = None,
    encoder: Annotated[str | None, typer.Option(help="A multilingual encoder that reads each word alone.")] = None,
    gold: Annotated[bool, typer.Option("--gold", help="Compare words by the gold links of a built-in corpus.")] = False,
    task: Annotated[str | None, typer.Option(help="The parallel corpus for MODEL: xnli, pawsx, sib200, sentiment ...")] = None,
    split: Annotated[str, typer.Option(help="Of the corpus.")] = "test",
    count: Annotated[int | None, typer.Option(help="Texts per language; default: all (built-in corpora: 100).")] = None,
    folder: CorpusFolder = None,
    method: Annotated[str, typer.Option(help="The attribution method.")] = "integrated_gradients",
    target_class: Annotated[str, typer.Option(help="What is explained: source (its prediction), own or gold.")] = "source",
    edge: Annotated[
        str, typer.Option(help="Of an answer: start, end, start,end (a table each), or both (their sum).")
    ] = "both",
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
    output: Annotated[Path | None, typer.Option("--output", help="Every pair: .jsonl; tables and ribbons: .html.")] = None,
    device: Device = None,
    json_: Json = False,
) -> None:
    """Do translations get the same explanation? C with its nulls and its ceiling, per language."""
    from babelscope.analyses.consistency.named_spaces import SpaceNames
    from babelscope.analyses.consistency.pairs import Settings
    from babelscope.analyses.consistency.weights import NORMS

    printing.check_ending(output, (".jsonl", ".html"))
    chosen = [Settings(each, segments, unknown, draws, seed) for each in (NORMS if norm == "all" else (norm,))]
    langs = [each.strip() for each in target.split(",") if each.strip()] if target else None
    names, models = SpaceNames(vectors, subwords, encoder), _models(model, source)
    _check(models, input_, task, langs, names, gold)
    found: list[Told] = []
    if input_ is not None:
        from babelscope.data.formats.unit_scores import unit_scores

        rows, random = unit_scores(input_), unit_scores(untrained) if untrained else []
        found += _scored(Rows(source, rows, random), names, chosen, langs, workers, device)
    for own, each in models.items():
        tags = list(dict.fromkeys([own, *(langs or models)]))
        asked = Asked(str(task), split, count, folder, method, target_class, random_model, allow_untrained_head, gold)
        for side in edge.split(","):
            made = _explained(each, asked, own, tags, side.strip(), device)
            others = [tag for tag in tags if tag != own]
            found += _scored(made, names, chosen, others, workers, device)
    _deliver(found, output, json_)


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a corpus is explained, and how."""

    task: str
    split: str
    count: int | None
    folder: Path | None
    method: str
    target: str
    random: bool
    head: bool
    gold: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """Scored words of one source language and its translations, and of the same in a model with random weights."""

    source: str
    rows: Sequence[UnitScores]
    random: Sequence[UnitScores]
    model: str | None = None
    edge: str = "both"
    texts: Sequence[Example] = ()
    """With gold links, where these are asked for."""


@dataclass(frozen=True, slots=True)
class Told:
    """A table: its numbers as JSON, and what they were made of."""

    json: dict[str, Any]
    scored: Scored
    compare: Compare
    rows: Rows


def _models(given: Sequence[str] | None, source: str) -> dict[str, str]:
    """The model of each source language."""
    from babelscope.errors import InputError

    if given is None:
        return {}
    named = [re.fullmatch(r"([a-zA-Z]{2,3}(?:-\w+)*)=(.+)", each) for each in given]
    if len(given) == 1 and named[0] is None:
        return {source: given[0]}
    found = {one[1]: one[2] for one in named if one is not None}
    if len(found) < len(given):
        raise InputError(f"several models are named with their languages, each once: LANG=MODEL ...; given: {', '.join(given)}")
    return found


def _check(
    models: Mapping[str, str], file: Path | None, task: str | None, langs: Sequence[str] | None, names: SpaceNames, gold: bool
) -> None:
    from babelscope.data import builtin
    from babelscope.errors import InputError

    if bool(models) == (file is not None):
        raise InputError("give either a MODEL or --input FILE.jsonl" + ("; both were given" if models else ""))
    if models and (task is None or not (langs or len(models) > 1)):
        raise InputError("MODEL needs a parallel corpus and languages: --task xnli --target es,hi")
    if file is not None and not names.given:
        raise InputError("words are compared in a space: give --vectors en=A.vec,es=B.vec, --subwords or --encoder")
    if gold and (task not in builtin.CORPORA or names.given):
        raise InputError("--gold compares words of a built-in corpus by their gold links; leave the other spaces out")


def _explained(name: str, asked: Asked, source: str, langs: Sequence[str], edge: str, device: str | None) -> Rows:
    from babelscope.analyses.consistency.model_spaces import untrained
    from babelscope.analyses.consistency.translations import explained, parallel
    from babelscope.display.progress import bar
    from babelscope.model.load import load

    texts = parallel(asked.task, langs, split=asked.split, count=asked.count, folder=asked.folder)
    model = load(name, device=device, allow_untrained_head=asked.head)

    def rows(each: Model) -> list[UnitScores]:
        with bar("explaining") as tell:
            return explained(each, texts, source, target=asked.target, method=asked.method, edge=edge, progress=tell)

    gold = [row for each in texts.values() for row in each] if asked.gold else []
    return Rows(source, rows(model), rows(untrained(model)) if asked.random else [], name, edge, gold)


def _scored(
    given: Rows, names: SpaceNames, chosen: Sequence[Settings], langs: Sequence[str] | None, workers: int, device: str | None
) -> list[Told]:
    from babelscope.analyses.consistency.named_spaces import in_links, spaces
    from babelscope.analyses.consistency.pairs import in_space
    from babelscope.analyses.consistency.sensitivity import score_all
    from babelscope.analyses.consistency.spaces import floor
    from babelscope.display.progress import bar

    compares: dict[str, Compare] = {}
    held = {}
    if given.texts:
        compares["gold links"] = in_links(given.texts)
    else:
        with bar("reading words") as tell:
            held = spaces(names, given.rows, given.source, model=given.model, device=device, progress=tell)
        compares = {name: in_space(space, chosen[0].policy) for name, space in held.items()}
    found = score_all(
        given.rows, given.source, compares, settings=chosen, targets=langs, untrained=given.random, workers=workers
    )
    made = []
    for one in found:
        space = held.get(one.space)
        floors = {line.lang: floor(space, one.source, line.lang) for line in one.lines if space and line.lang in space.vectors}
        about = {"model": given.model, "edge": given.edge, "centred": space is not None and space.centred, "floor": floors}
        made.append(Told(_json(one) | about, one, compares[one.space], given))
    return made


def _json(one: Scored) -> dict[str, Any]:
    from babelscope.analyses.consistency.sensitivity import accuracies, beside_accuracy
    from babelscope.analyses.consistency.tables import overall

    alone, with_self = overall(one.lines)
    right = accuracies(one.pairs)
    beside, given = beside_accuracy(one)
    lines = []
    for line in one.lines:
        plain = asdict(line)
        lines.append({"lang": plain.pop("lang"), **plain.pop("means"), **plain, "accuracy": right[line.lang]})
    return {
        "source": one.source, "settings": asdict(one.settings), "space": one.space, "overall": alone,
        "overall_incl_self": with_self, "lift_and_accuracy": beside._asdict() | {"partial_given_c_unif": given},
        "languages": lines,
    }  # fmt: skip


def _deliver(found: Sequence[Told], output: Path | None, json_: bool) -> None:
    from babelscope.analyses.consistency.section import page
    from babelscope.files import json_lines, plain, write_text

    told = [plain(each.json) for each in found]
    if output is not None:
        if output.suffix == ".html":
            text = page(told, _pictures(found))
        else:
            text = json_lines(plain(one) for each in found for one in _pairs(each))
        write_text(output, text)
    if json_:
        print(json.dumps(told if len(told) > 1 else told[0], ensure_ascii=False, indent=1))
        return
    _show(found, told)


def _pictures(found: Sequence[Told]) -> list[tuple[str, Markup]]:
    """Of the first table of every source: the texts of each language with the highest, the middle and the lowest lift."""
    from babelscope.analyses.consistency.pairs import replayed
    from babelscope.analyses.consistency.ribbons import svg

    made = []
    for source in dict.fromkeys(each.scored.source for each in found):
        first = next(each for each in found if each.scored.source == source)
        for line in first.scored.lines:
            mine = [pair for pair in first.scored.pairs if pair.lang == line.lang and isfinite(pair.found.lift)]
            ranked = sorted(mine, key=lambda pair: (-pair.found.lift, pair.id))
            for place in sorted({0, len(ranked) // 2, len(ranked) - 1}) if ranked else ():
                drawn = replayed(first.rows.rows, ranked[place], source, first.compare, first.scored.settings)
                made.append((f"{ranked[place].id} · {source} → {line.lang}", svg(*drawn)))
    return made


def _show(found: Sequence[Told], told: Sequence[dict[str, Any]]) -> None:
    from babelscope.analyses.consistency.section import LEGEND, lines_tables, title
    from babelscope.analyses.consistency.sensitivity import square_beside_accuracy, steadiness
    from babelscope.display.numbers import number, value_range

    for one in told:
        for table in lines_tables(title(one), one["languages"]):
            printing.show(table)
        if one["overall"] is not None:
            alone, with_self = number(one["overall"]), number(one["overall_incl_self"])
            print(f"mean C over languages {alone}; with the trivial 1 of {one['source']} {with_self}")
        for line in one["languages"]:
            low = [side for side, share in zip(("source", "target"), line["coverage"]) if share is not None and share < 0.8]
            if low:
                print(f"{line['lang']}: less than 0.8 of the weight lies on known words ({' and '.join(low)})")
            for lacking, what in (("reasons", "a value"), ("without_kappa", "a kappa")):
                for reason, count in line[lacking].items():
                    print(f"{line['lang']}: {count} without {what}: {reason}")
    sources = dict.fromkeys(each.scored.source for each in found)
    for source in sources:
        mine = [each.scored for each in found if each.scored.source == source]
        for each in steadiness(mine) if len(mine) > 1 else ():
            lift = value_range(each.lowest, each.highest)
            print(f"{source} to {each.lang}: lift {lift} over {each.of} choices; {each.claim}")
    if len(sources) > 2 and len(found) == len(sources):
        r, p = square_beside_accuracy([each.scored for each in found])
        print(f"lift and accuracy over sources x targets: Mantel's r {number(r, 2)}, p {number(p)}")
    print(LEGEND)


def _pairs(one: Told) -> list[dict[str, Any]]:
    named = ("c", "c_unif", "c_perm", "c_indep", "ceil_s", "ceil_t", "ceil", "lift", "kappa", "p", "reason", "kappa_reason")
    made = []
    for pair in one.scored.pairs:
        own = {name: getattr(pair, name) for name in pair.__slots__ if name != "found"}
        values = {name: getattr(pair.found, name) for name in named}
        earned = {name: None if (each := getattr(pair.found, name)) is None else each.tolist()
                  for name in ("earned_s", "earned_t")}  # fmt: skip
        about = {
            "source": one.scored.source,
            "space": one.scored.space,
            "norm": one.scored.settings.norm,
            "edge": one.rows.edge,
        }
        made.append({**own, **about, **values, **earned})
    return made
