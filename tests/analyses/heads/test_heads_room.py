"""Heads as an analysis of a study: what is planned, stored, found again, reported, and answered."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import planted_heads as plant
from answer_checks import check_answer
from babelscope.analyses.block import Place
from babelscope.analyses.heads.findings import HeadAccuracy, answer
from babelscope.analyses.heads.rows import AXES, KIND, flatten
from babelscope.analyses.heads.section import section
from babelscope.analyses.heads.tables import ModelHeads, tables
from babelscope.errors import InputError
from babelscope.model.head_masks import head_mask
from babelscope.model.head_statistics import HeadStatistics
from babelscope.model.heads import head_statistics
from babelscope.reporting.build import report
from babelscope.store import Cell, cells, open_store, put, read_study, write_study
from babelscope.study.config import parse_study
from babelscope.study.grid import blocks, planned, progress_of
from babelscope.study.run import run
from babelscope.training.small import make
from conftest import TEXTS

TREE = """# sent_id = {number}
# text = The dog sleeps.
1\tThe\t_\t_\t_\t_\t2\tdet\t_\t_
2\tdog\t_\t_\t_\t_\t3\tnsubj\t_\t_
3\tsleeps\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t_\t_\t_\t_\t3\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("room")
    make(
        place / "model", "bert", TEXTS, ["negative", "positive"], layers=2, width=64, vocabulary=300
    )
    for lang in ("en", "fr"):
        text = "".join(TREE.format(number=number) for number in range(3))
        (place / f"{lang}_toy-ud-test.conllu").write_text(text, "utf-8")
    return place


def study(folder: Path, **changed: Any) -> dict[str, Any]:
    values = {
        "name": "heads",
        "languages": ["en", "fr"],
        "methods": ["position"],
        "faithfulness": {"metrics": ["complexity"]},
        "heads": {"margin": -0.3, "positional": 0.1},
        "tasks": [{"name": "topics", "data": {"builtin": "topic", "examples": 4}}],
        "models": [{"name": "m", "source": str(folder / "model"), "allow_untrained_head": True}],
    }
    return {name: value for name, value in (values | changed).items() if value is not None}


def test_a_study_counts_once_and_stores_what_it_planned(folder: Path, tmp_path: Path) -> None:
    asked = parse_study(study(folder))
    first = run(asked, tmp_path / "store")
    assert (first.filled, first.found, first.failed) == (
        2 * 2 + 2,
        0,
        (),
    )  # two of each in two languages
    store = open_store(tmp_path / "store")
    listed = [place for block in blocks(asked) for place in planned(asked, block)]
    assert len(listed) == 6
    assert {Place(**manifest["place"]) for manifest in cells(store)} == set(listed)
    second = run(asked, tmp_path / "store")
    assert (second.filled, second.found) == (0, 6)
    assert ("heads", 2, 2) in [
        (row["analysis"], row["done"], row["planned"]) for row in progress_of(asked, store)
    ]
    # Thresholds and masks are derived from the counts: other ones need no model.
    other = parse_study(
        study(folder, heads={"margin": 0.2, "positional": 0.5, "kinds": ["random", "all"]})
    )
    assert run(other, tmp_path / "store").filled == 0
    # Relations and directions are not.
    assert (
        run(parse_study(study(folder, heads={"direction": "either"})), tmp_path / "store").filled
        == 2
    )
    page = report(tmp_path / "store", tmp_path / "out").read_text("utf-8")
    assert 'id="heads"' in page
    assert page.count('data-name="heads-') == 2
    header, *lines = (tmp_path / "out" / "heads.csv").read_text("utf-8").splitlines()
    assert header.startswith("model,task,lang,layer,head,accuracy_nsubj")
    assert len(lines) == 2 * 2 * 2  # languages, layers, heads


def test_heads_are_switched_off_where_the_study_says_so(folder: Path, tmp_path: Path) -> None:
    block = {"part": 0.25, "kinds": ["synt_pos", "synt"], "ablations": 3}
    asked = parse_study(study(folder, heads=block, faithfulness=None, languages=["en"]))
    listed = [place for each in blocks(asked) for place in planned(asked, each)]
    assert len(listed) == 2
    assert run(asked, tmp_path / "store").filled == 2
    store = open_store(tmp_path / "store")
    (model,) = tables(store, read_study(store)) or ()
    assert [(each.kind, each.side) for each in model.ablations] == [
        (kind, side) for kind in block["kinds"] for side in ("kept", "removed")
    ]
    assert all(each.texts == 4 for each in model.ablations)
    page = report(tmp_path / "store", tmp_path / "out").read_text("utf-8")
    assert "does the model need these heads? 4 texts" in page
    table = (tmp_path / "out" / "head_ablations.csv").read_text("utf-8").splitlines()
    assert len(table) == 1 + 4
    assert run(asked, tmp_path / "store").filled == 0


def test_treebanks_of_a_study(folder: Path, tmp_path: Path) -> None:
    """A mapping leaves languages out, a pattern names them all; the counts are those of
    the files.
    """
    french = {"treebanks": {"fr": str(folder / "fr_toy-ud-test.conllu")}}
    asked = parse_study(study(folder, heads=french, faithfulness=None))
    assert [place.lang for block in blocks(asked) for place in planned(asked, block)] == ["fr"]
    assert run(asked, tmp_path / "store").filled == 1
    store = open_store(tmp_path / "store")
    (model,) = tables(store, read_study(store)) or ()
    (language,) = model.languages
    assert (language.lang, language.statistics.sentences) == ("fr", 3)
    assert language.statistics.known.tolist() == [
        3,
        0,
        0,
        0,
    ]  # one subject in each of three sentences
    pattern = {"treebanks": str(folder / "{lang}_toy-ud-test.conllu")}
    assert (
        run(parse_study(study(folder, heads=pattern, faithfulness=None)), tmp_path / "store").filled
        == 1
    )
    missing = {"treebanks": {"en": "absent.conllu", "fr": french["treebanks"]["fr"]}}
    outcome = run(parse_study(study(folder, heads=missing, faithfulness=None)), tmp_path / "store")
    assert (outcome.filled, outcome.found) == (0, 1)
    assert [failure.reason for failure in outcome.failed] == ["there is no file absent.conllu"]


def test_sentences_without_trees_fail_by_themselves(folder: Path, tmp_path: Path) -> None:
    rows = [{"id": "1", "text": "no tree here", "lang": "en"}]
    tasks = [{"name": "texts", "data": {"rows": rows}}]
    outcome = run(parse_study(study(folder, tasks=tasks, languages=["en"])), tmp_path / "store")
    assert outcome.filled == 2
    (failure,) = outcome.failed
    assert failure.reason.startswith("1 has no tree (words, heads and relations)")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            {"treebanks": {"xx": "x.conllu"}},
            "names the language 'xx', which the study does not have",
        ),
        ({"treebanks": "one.conllu"}, "put {lang} into its name"),
        ({"kinds": []}, "at least 1 item"),
        ({"kinds": ["best"]}, "there is no kind of mask 'best'"),
        ({"relations": ["nsubj:pass"]}, "names a sub-type"),
        ({"margin": 2}, "margin 2.0 is not between -1 and 1"),
        ({"treebank": "x.conllu"}, "did you mean 'treebanks'?"),
    ],
)
def test_what_a_block_cannot_ask_for(folder: Path, block: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_study(study(folder, heads=block))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


ROLES = [
    [plant.previous, plant.random(1), plant.random(2), plant.uniform],
    [plant.random(3), plant.first, plant.syntactic, plant.random(4)],
]
RANDOM = [[plant.random(at) for at in range(4)], [plant.random(at) for at in range(4, 8)]]
DATA = plant.drawn(60)


def stored(folder: Path, rows: list[tuple[str, HeadStatistics]], **block: Any) -> list[ModelHeads]:
    """The tables of a store with these statistics, each under the fingerprint of its model."""
    store = open_store(folder)
    for number, (fingerprint, statistics) in enumerate(rows):
        cell = Cell(
            {"number": number},
            KIND,
            [flatten(statistics, "trees", fingerprint)],
            {"analysis": "heads"},
        )
        put(store, [cell])
    langs = list(dict.fromkeys(statistics.lang for _, statistics in rows))
    names = list(dict.fromkeys(statistics.model for _, statistics in rows))
    write_study(store, {
        "name": "s", "languages": langs, "tasks": [{"name": "trees"}], "analyses": {"heads": block},
        "models": [{"name": name} for name in names],
    })  # fmt: skip
    found = tables(store, read_study(store))
    assert found is not None
    return found


def renamed(statistics: HeadStatistics, **names: Any) -> HeadStatistics:
    values = {name: getattr(statistics, name) for name in HeadStatistics.__slots__}
    return HeadStatistics(**{**values, **names})


def test_stored_statistics_come_back_to_the_bit(tmp_path: Path) -> None:
    """No planted sentence has an indirect object, so its baseline is NaN."""
    counted = head_statistics(plant.planted_heads(ROLES), DATA, relations=("nsubj", "iobj"))
    assert np.isnan(counted.baseline[:, 1]).all()
    ((language,),) = (model.languages for model in stored(tmp_path, [("a", counted)]))
    for name in HeadStatistics.__slots__:
        old, new = getattr(counted, name), getattr(language.statistics, name)
        if name in AXES:
            assert old.dtype == new.dtype, name
            assert np.array_equal(old, new, equal_nan=old.dtype.kind == "f"), name
        else:
            assert old == new, name
    assert language.mask == head_mask(counted)


def test_the_answer_names_the_heads_that_pass(tmp_path: Path) -> None:
    """The planted syntactic head, 1.2, is right every time: its intervals exclude thresholds near
    0.3.
    """
    english = renamed(head_statistics(plant.planted_heads(ROLES), DATA), model="m")
    nothing = renamed(head_statistics(plant.planted_heads(RANDOM), DATA), model="m")
    sure = (
        "(4 of these 4 accuracies exceed their threshold with their whole 95 % interval, with "
        "pairs taken as independent)."
    )
    relations = "1.2 nsubj/obj/amod/advmod"
    alone = answer(stored(tmp_path / "a", [("a", english)]))
    assert alone == f"1 of 8 heads follows a syntactic relation in en: {relations} {sure}"
    both = stored(tmp_path / "b", [("a", english), ("a", renamed(english, lang="hi"))])
    assert answer(both).startswith(
        f"1 of 8 heads follows a syntactic relation in en and hi: {relations} (8 of these 8"
    )
    split = answer(stored(tmp_path / "c", [("a", english), ("a", renamed(nothing, lang="hi"))]))
    assert (
        split
        == f"Of the 8 heads, 1 in en ({relations}) and none in hi follow a syntactic relation "
        f"{sure}"
    )
    lead = "None of the 8 heads follows a syntactic relation in en or hi"
    languages = [("a", nothing), ("a", renamed(nothing, lang="hi"))]
    none = answer(stored(tmp_path / "d", languages))
    assert none.startswith(f"{lead}: the closest, ")
    assert none.endswith(".")
    counts = {"pairs": nothing.pairs // 2, "hits": nothing.hits // 2}
    few = [(name, renamed(each, **counts)) for name, each in languages]
    most = counts["pairs"].max()  # 103 // 2
    assert answer(stored(tmp_path / "f", few)) == (
        f"{lead}, but no relation has more than {most} pairs; fewer than 100 show nothing."
    )
    shown = check_answer(section(stored(tmp_path / "f", few)))
    assert shown.verdict == "undecided"
    assert f"{most} pairs" in str(shown.chart and shown.chart.marks)
    hostile = stored(tmp_path / "e", [("a", renamed(english, model="<b>")), ("b", nothing)])
    assert "of &lt;b&gt; follows" in answer(hostile)
    assert "; none of the 8 heads of m follows" in answer(hostile)


def test_only_heads_of_the_same_weights_are_compared(tmp_path: Path) -> None:
    """Models trained separately for each language have one name: their heads have nothing in
    common.
    """
    counted = renamed(head_statistics(plant.planted_heads(ROLES), DATA), model="m")
    same = stored(tmp_path / "same", [("a", counted), ("a", renamed(counted, lang="hi"))])
    assert [(pair.one, pair.two) for model in same for pair in model.agreements] == [("en", "hi")]
    apart = stored(tmp_path / "apart", [("a", counted), ("b", renamed(counted, lang="hi"))])
    assert [len(model.agreements) for model in apart] == [0, 0]
    listed = section(apart).data
    assert [(each["model"], each["task"], len(each["languages"])) for each in listed] == [
        ("m", "trees", 1)
    ] * 2


def test_the_interval_of_an_accuracy() -> None:
    """Wilson's for 8 of 10: z = 1.96, (0.8 + z^2/20 -+ z sqrt(0.16/10 + z^2/400)) / (1 +
    z^2/10).
    """
    low, high = HeadAccuracy("en", "0.0", "obj", 8, 10, 0.5).interval
    assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))


def test_every_kind_of_mask_is_derived(tmp_path: Path) -> None:
    counted = head_statistics(plant.planted_heads(ROLES), DATA)
    kinds = ["synt_pos", "synt", "pos", "random", "corrupted", "all"]
    (model,) = stored(tmp_path, [("a", counted)], kinds=kinds, seed=3, rate=0.25)
    masks = model.languages[0].masks
    assert {kind: mask.count for kind, mask in masks.items()} == {
        # 2 and a quarter of the other 6, rounded
        "synt_pos": 2, "synt": 1, "pos": 1, "random": 2, "corrupted": 4, "all": 8,
    }  # fmt: skip
    for kind in kinds:
        assert masks[kind] == head_mask(counted, kind, seed=3, rate=0.25)
    shown = io.StringIO()
    for table in section([model]).terminal:
        Console(file=shown, width=200).print(table)
    assert "heads kept of 8, by kind of mask" in shown.getvalue()


def test_tables_and_section_need_no_torch() -> None:
    code = "import babelscope.analyses.heads.section, sys; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
