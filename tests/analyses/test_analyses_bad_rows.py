"""Bad rows in every analysis: skipped, named, and left out of comparisons in all languages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from babelscope.analyses.consistency.tables import tables as consistency_tables
from babelscope.analyses.stored import stored_skipped
from babelscope.analyses.tokenization.tables import tables as tokenization_tables
from babelscope.analyses.tradeoffs.tables import tables as tradeoffs_tables
from babelscope.data import builtin
from babelscope.data.formats.export import write
from babelscope.store import open_store, read, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.small import make
from babelscope.types import Example

LANGS = ("en", "es")
GROUPS = 22
BAD: dict[tuple[int, str], tuple[dict[str, Any], str]] = {
    (1, "es"): ({"texts": ("the \x08 room",)}, "control"),
    (2, "en"): ({"texts": (" ",)}, "blank"),
    (3, "es"): ({"texts": ("NS",)}, "untranslated"),
    (4, "en"): ({"label": "-1"}, "label"),
    (5, "es"): ({"texts": ("𒀀𒁀",)}, "unknown"),
}
LEFT = GROUPS - len(BAD)


def examples(lang: str) -> list[Example]:
    """Reviews with their trees removed, as their texts change, and what is wrong with some."""
    rows = builtin.read("sentiment", lang, "test", GROUPS)
    plain = [
        Example(f"{lang}-{at}", row.texts, lang, f"g{at}", row.label) for at, row in enumerate(rows)
    ]
    return [replace(row, **BAD.get((at, lang), ({},))[0]) for at, row in enumerate(plain)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, the texts, and the store of a study of three analyses."""
    folder = tmp_path_factory.mktemp("bad-rows")
    every = {lang: examples(lang) for lang in LANGS}
    texts = [row.texts[0] for rows in every.values() for row in rows if "𒀀" not in row.texts[0]]
    labels = sorted({str(row.label) for row in builtin.read("sentiment", "en", "test", GROUPS)})
    for seed, name in enumerate(("en-0", "es-0")):
        make(folder / name, "bert", texts, labels, layers=1, width=32, vocabulary=400, seed=seed)
        config = json.loads((folder / name / "config.json").read_text())
        (folder / name / "config.json").write_text(json.dumps({**config, "untrained": False}))
    for lang, rows in every.items():
        write(rows, folder / f"{lang}.jsonl")
    study = {
        "name": "bad rows",
        "tasks": [{"name": "reviews", "target": "source",
                   "data": {"file": str(folder / "{lang}.jsonl"), "examples": None}}],
        "languages": list(LANGS),
        "models": [{"name": f"{lang}-0", "source": str(folder / f"{lang}-0"), "trained_on": [lang]}
                   for lang in LANGS],
        "methods": ["gradient_norm"],
        "source": "en",
        "max_skipped": 0.2,
        "consistency": {"permutations": 2},
        "tokenization": {"interventions": {"ways": ["characters"], "methods": ["gradient_norm"],
                                           "metrics": ["normalised_sufficiency"], "rates": [0, 1]}},
        "tradeoffs": {"stated": {f"{lang}-0": {"language": lang} for lang in LANGS}},
        "trust": {"explanations": 1, "shuffles": 2, "seeds": 1},
    }  # fmt: skip
    outcome = run(parse_study(study), folder / "store")
    assert [failure.reason for failure in outcome.failed] == []
    return folder


def store(folder: Path) -> tuple[Any, dict[str, Any]]:
    opened = open_store(folder / "store", create=False)
    return opened, read_study(opened)


def test_each_is_named_once_for_every_model_that_it_concerns(folder: Path) -> None:
    skipped = stored_skipped(*store(folder))
    of_data = {(row.group, row.lang, row.reason) for row in skipped if not row.model}
    expected = {
        (f"g{at}", lang, reason) for (at, lang), (_, reason) in BAD.items() if reason != "unknown"
    }
    assert of_data == expected
    assert {(row.model, row.group, row.reason) for row in skipped if row.model} == {
        ("en-0", "g5", "unknown"), ("es-0", "g5", "unknown"),
    }  # fmt: skip


def test_translations_are_compared_without_them(folder: Path) -> None:
    tables = consistency_tables(*store(folder))
    assert tables is not None
    for result in tables.results:
        assert {pair.id for pair in result.comparison.pairs} == {
            f"g{at}" for at in range(GROUPS) if at not in {at for at, _ in BAD}
        }


def test_tokenizers_are_compared_without_them(folder: Path) -> None:
    tables = tokenization_tables(*store(folder))
    assert tables is not None
    counts = {(row.tokenizer, row.lang): 0 for row in tables.texts}
    for row in tables.texts:
        counts[row.tokenizer, row.lang] += 1
    assert set(counts.values()) == {LEFT}
    for doses in tables.interventions:
        assert {row.group for row in doses.outcomes} == {row.group for row in tables.texts}


def test_trade_offs_are_of_the_texts_that_all_can_read(folder: Path) -> None:
    opened, study = store(folder)
    tables = tradeoffs_tables(opened, study)
    assert tables is not None
    assert tables["reviews"]["texts"] == LEFT
    assert tables["reviews"]["sources"] == list(LANGS)
    # the texts that one language lacks are unmatched in the other: 2 and 4 in Spanish, 1 and 3 in
    # English; each model reads the 18 others, and skips the one that is unknown to it in Spanish
    for manifest_rows, lang in ((GROUPS - 4, "en"), (GROUPS - 5, "es")):
        rows = [row for row in read(opened, "readings").to_pylist() if row["lang"] == lang]
        assert len(rows) == 2 * manifest_rows


def test_panels_are_made(folder: Path) -> None:
    opened, _ = store(folder)
    assert read(opened, "panels").num_rows == 2 * len(LANGS)


def test_heads_are_counted_without_the_sentences_that_cannot_be_read(
    folder: Path, tmp_path: Path
) -> None:
    rows = builtin.read("sentiment", "en", "test", GROUPS)
    bad = Example("unknown", ("𒀀 𒁀",), "en", words=(((0, 1), (2, 3)),), heads=((0, 1),),
                  relations=(("root", "obj"),))  # fmt: skip
    write([*rows, bad], tmp_path / "en.jsonl")
    write(rows, tmp_path / "clean-en.jsonl")
    counted = {}
    for name in ("en", "clean-en"):
        study = {
            "name": "heads", "languages": ["en"], "heads": {},
            "tasks": [{"name": "trees", "data": {"file": str(tmp_path / f"{name}.jsonl"),
                                                 "examples": None}}],
            "models": [{"name": "m", "source": str(folder / "en-0")}],
        }  # fmt: skip
        outcome = run(parse_study(study), tmp_path / name)
        assert outcome.failed == ()
        assert [row.id for row in outcome.skipped] == (["unknown"] if name == "en" else [])
        (row,) = read(open_store(tmp_path / name), "head_statistics").to_pylist()
        counted[name] = [row["sentences"], row["hits"], row["sink"]]
    assert counted["en"] == counted["clean-en"]
