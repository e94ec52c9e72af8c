"""The command about trade-offs: what tuning on one language cost the others."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import printing
from babelscope.cli.arguments import CorpusFolder, Json
from babelscope.files import write_text

if TYPE_CHECKING:
    from babelscope.analyses.tradeoffs.cells import Corpus, Dump, Tuned


def tradeoffs(
    models: Annotated[
        list[str] | None, typer.Option(metavar="DIR", help="A tuned model: DIR, LANG=DIR or LANG:SEED=DIR; repeat it.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="The parallel corpus: xnli, sib200, sentiment, topic, nli ...")] = None,
    languages: Annotated[str | None, typer.Option(help="Tested languages, separated by commas.")] = None,
    study: Annotated[Path | None, typer.Option(help="A YAML file instead: its models are trained, its texts read.")] = None,
    base: Annotated[str | None, typer.Option(help="What they were tuned from: the probe and all comparisons need it.")] = None,
    split: Annotated[str, typer.Option(help="The split that is tested.")] = "test",
    count: Annotated[int | None, typer.Option(help="Test texts per language; default: all (built-in corpora: 100).")] = None,
    train_count: Annotated[
        int | None, typer.Option(help="Training texts for the probe; give as many as were tuned on.")
    ] = None,
    dev_count: Annotated[int | None, typer.Option(help="Dev texts, for temperatures and probes.")] = None,
    folder: CorpusFolder = None,
    store: Annotated[Path | None, typer.Option(help="Keep what the models said here; a second run then reads nothing.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the page: an .html file.")] = None,
    seed: Annotated[int, typer.Option(help="Of the resamples.")] = 0,
    json_: Json = False,
) -> None:
    """What did tuning on one language cost the others? Behaviour, activations, attention, confidence, errors."""
    from babelscope.analyses.tradeoffs.cells import dump
    from babelscope.analyses.tradeoffs.tables import tables
    from babelscope.display.progress import bar
    from babelscope.errors import InputError
    from babelscope.files import (
        plain,
    )
    from babelscope.store import open_store

    printing.check_ending(output, (".html",))
    if study is not None:
        if models or task or languages or base:
            raise InputError("a --study names its own models, task, languages and base; leave the others out")
        every, given, base, task = _studied(study)
    elif models and task and languages:
        every, given = _asked(models, task, languages, base, (split, count, dev_count, train_count), folder)
    else:
        raise InputError("give --models, --task and --languages, or --study FILE")
    with tempfile.TemporaryDirectory() as passing, bar("reading") as tell:
        held = dump(open_store(store or passing), every, given, progress=tell)
        found = plain(tables(held, seed=seed, language_model=_has_language_model(base)))
        if output is not None:
            _draw(held, found, output, task)
    _deliver(found, output, json_)


def _studied(file: Path) -> tuple[list[Tuned], Corpus, str, str]:
    from babelscope.display.progress import bar
    from babelscope.study.config import read_study
    from babelscope.study.tradeoffs import prepared

    asked = read_study(file)
    with bar("training") as tell:
        made = prepared(asked, progress=tell)
    return made.models, made.texts, made.base, asked.name


def _asked(
    models: Sequence[str], task: str, languages: str, base: str | None, counts: tuple[str, int | None, int | None, int | None],
    folder: Path | None,
) -> tuple[list[Tuned], Corpus]:  # fmt: skip
    from babelscope.analyses.tradeoffs.cells import BASE, Tuned, tuned_model

    chosen = _once([tuned_model(given) for given in models])
    langs = list(dict.fromkeys(each.strip() for each in languages.split(",") if each.strip()))
    given = _texts(task, langs, chosen, counts[0], counts[1:], folder)
    return [*chosen, *([Tuned(BASE, 0, base, BASE)] if base else [])], given


def _once(given: Sequence[Tuned]) -> list[Tuned]:
    from babelscope.errors import InputError

    seen: dict[tuple[str, int, str], Tuned] = {}
    for one in given:
        place = (one.source, one.seed, one.kind)
        if place in seen:
            raise InputError(
                f"{one.folder} and {seen[place].folder} are both of {one.source}, seed {one.seed}; write LANG:SEED=DIR"
            )
        seen[place] = one
    return list(given)


def _texts(
    task: str, langs: Sequence[str], models: Sequence[Tuned], split: str, counts: tuple[int | None, ...], folder: Path | None
) -> Corpus:
    """Test texts in every language; dev and training texts where the corpus has them, in the languages that were tuned on."""
    from babelscope.analyses.consistency.translations import parallel_texts
    from babelscope.analyses.tradeoffs.cells import parallel_corpus
    from babelscope.data import builtin
    from babelscope.data.corpora import CORPORA
    from babelscope.errors import InputError

    if not langs:
        raise InputError("--languages names no language")
    known = ("train", "dev", "test") if task in builtin.CORPORA else CORPORA[task].splits if task in CORPORA else ()
    texts = {"test": parallel_texts(task, langs, split=split, count=counts[0], folder=folder)}
    sources = [lang for lang in langs if any(one.source == lang for one in models)]
    for part, many in (("dev", counts[1]), ("train", counts[2])):
        if part in known and part != split and sources:
            texts[part] = parallel_texts(task, sources, split=part, count=many, folder=folder)
    return parallel_corpus(texts)


def _has_language_model(base: str | None) -> bool:
    """Whether the base holds a language model's head."""
    from babelscope.analyses.tradeoffs.drift import language_loss
    from babelscope.errors import BabelscopeError

    try:
        return base is not None and language_loss(base, None, []) == []
    except BabelscopeError:
        return False


def _draw(held: Dump, found: dict[str, Any], output: Path, task: str) -> None:
    from babelscope.analyses.tradeoffs.section import page

    texts: dict[str, dict[str, Sequence[str]]] = {}
    listed = {one["group"] for row in found["errors"] for one in row.get("flips", {}).get("listed", ())}
    for lang, rows in held.corpus.texts["test"].items():
        for row in rows:
            if row.group in listed:
                texts.setdefault(row.group, {})[lang] = row.texts
    write_text(output, page(found, texts, title=task))


def _deliver(found: dict[str, Any], output: Path | None, json_: bool) -> None:
    if json_:
        print(json.dumps(found, ensure_ascii=False))
        return
    from babelscope.analyses.tradeoffs.section import tables

    for each in tables(found):
        printing.show(each)
    harmed = found["behaviour"]["harmed"]
    if harmed is None:
        print("no probe (give --base, and a corpus with train and dev): nothing can be said about cost")
    else:
        print("below the probe, by the interval: " + (", ".join(f"{s} in {t}" for s, t in harmed) or "nowhere"))
    for note in found["notes"]:
        print(note)
    if output is not None:
        print(f"page: {output}")
