"""The command about attention heads as a person meets it, and the sentences that it reads."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import torch
from test_cli import call, refused

from babelscope import corpus
from babelscope.analyses.heads.figure import page, svg
from babelscope.data.treebanks import parsed, treebank
from babelscope.errors import InputError
from babelscope.files import dumps, plain
from babelscope.model.head_masks import head_mask, load_mask
from babelscope.model.head_statistics import accuracy
from babelscope.model.heads import head_statistics
from babelscope.model.load import load
from babelscope.model.scopes import quiet
from babelscope.reporting.build import sections
from babelscope.store import open_store, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.small import make
from conftest import TEXTS

FRENCH = """# sent_id = 1
# text = Il parle du chat.
1\tIl\t_\t_\t_\t_\t2\tnsubj\t_\t_
2\tparle\t_\t_\t_\t_\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\t_\t_\t_\t_\t5\tcase\t_\t_
4\tle\t_\t_\t_\t_\t5\tdet\t_\t_
5\tchat\t_\t_\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t_\t_\t_\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that was never trained, but whose heads are sharp: they can be looked at all the
    same.
    """
    place = tmp_path_factory.mktemp("heads")
    make(
        place / "model",
        "xlm-roberta",
        TEXTS,
        ["negative", "positive"],
        layers=2,
        width=64,
        vocabulary=300,
    )
    sharp = load(place / "model", allow_untrained_head=True).hf
    with torch.no_grad():
        for name, weight in sharp.named_parameters():
            if name.endswith(("query.weight", "key.weight")):
                weight.mul_(15)
    with quiet():
        sharp.save_pretrained(place / "model")
    (place / "fr_toy-ud-test.conllu").write_text(FRENCH, "utf-8")
    (place / "flat.jsonl").write_text('{"text": "no tree here"}\n')
    (place / "plain.txt").write_text("The cat sleeps.")
    (place / "latin.txt").write_bytes(b"caf\xe9")
    return place


def test_statistics_mask_and_picture(folder: Path, tmp_path: Path) -> None:
    mask, figure = tmp_path / "mask.json", tmp_path / "heads.svg"
    shown = call(
        "heads", str(folder / "model"), "--treebank", "topic/en/test/8", "--set", "positional=0.1",
        "--set", "margin=-0.6", "--mask", str(mask), "--figure", str(figure),
    ).stdout  # fmt: skip
    model = load(folder / "model", allow_untrained_head=True)
    counted = head_statistics(model, corpus.read("topic", "en", "test", 8))
    expected = head_mask(counted, margin=-0.6, positional=0.1)
    assert load_mask(mask) == expected
    assert 0 < expected.count < 4
    assert f"{expected.count} of 4 heads kept" in shown
    assert all(name in shown for name in counted.relations)
    drawn = figure.read_text("utf-8")
    assert drawn == svg([(counted, expected)])
    root = ElementTree.fromstring(drawn)
    titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
    best = accuracy(counted)[1, 1, 0]
    assert f"nsubj (en), layer 1, head 1: {best:.3f}" in titles
    assert sum("kept" in each for each in titles) == 4
    assert sorted(tmp_path.iterdir()) == [figure, mask]


def test_several_languages(folder: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "mask-{lang}.json")
    arguments = (
        "heads",
        str(folder / "model"),
        "--treebank",
        "topic/en,fr,zh/test/5",
        "--kind",
        "all",
    )
    shown = call(*arguments, "--mask", out, "--figure", str(tmp_path / "h.html")).stdout
    assert "do the languages keep the same heads?" in shown
    assert {file.name for file in tmp_path.iterdir()} == {
        "mask-en.json",
        "mask-fr.json",
        "mask-zh.json",
        "h.html",
    }
    assert load_mask(tmp_path / "mask-zh.json").keep == ((True, True), (True, True))
    told = json.loads(call(*arguments, "--json").stdout)
    assert [row["lang"] for row in told["languages"]] == ["en", "fr", "zh"]
    assert [(row["one"], row["two"]) for row in told["transfer"]] == [
        ("en", "fr"),
        ("en", "zh"),
        ("fr", "zh"),
    ]
    assert all(row["jaccard"] == 1 and row["kappa"] is None for row in told["transfer"])
    again = {row["lang"]: row["mask"] for row in told["languages"]}
    assert again["fr"] == json.loads((tmp_path / "mask-fr.json").read_text())


def test_the_command_gives_the_numbers_of_a_study_with_other_analyses(
    folder: Path, tmp_path: Path
) -> None:
    name = str(folder / "model")
    run(
        parse_study({
            "name": "heads", "languages": ["en", "fr"], "methods": ["position"],
            "faithfulness": {"metrics": ["complexity"]}, "heads": {"margin": -0.3,
            "positional": 0.1}, "tasks": [{"name": "topics", "data": {"builtin": "topic",
            "examples": 4}}], "models": [{"name": name, "source": name,
                                          "allow_untrained_head": True}],
        }),
        tmp_path / "store",
    )  # fmt: skip
    store = open_store(tmp_path / "store")
    listed = sections(store, read_study(store))
    assert [each.name for each in listed] == ["faithfulness", "heads"]
    expected = json.loads(dumps(plain(listed[1].data)))
    command = (
        "heads",
        name,
        "--treebank",
        "topic/en,fr/test/4",
        "--set",
        "margin=-0.3",
        "--set",
        "positional=0.1",
    )
    kept = ("--store", str(tmp_path / "single"), "--output", str(tmp_path / "heads.html"), "--json")
    assert json.loads(call(*command, *kept).stdout) == expected
    before = {
        file.name: file.stat().st_mtime_ns for file in (tmp_path / "single" / "cells").iterdir()
    }
    assert len(before) == 2
    assert json.loads(call(*command, *kept).stdout) == expected
    assert {
        file.name: file.stat().st_mtime_ns for file in (tmp_path / "single" / "cells").iterdir()
    } == before
    html = (tmp_path / "heads.html").read_text("utf-8")
    assert "default-src 'none'" in html
    assert "script-src 'sha256-" in html  # its own scripts only, by hash
    assert "unsafe-inline" not in html.partition("script-src")[2].partition(";")[0]


def test_names_never_become_markup(folder: Path) -> None:
    model = load(folder / "model", allow_untrained_head=True, name="<script>alert(1)</script>&")
    counted = head_statistics(model, corpus.read("topic", "en", "test", 3))
    html = page([(counted, head_mask(counted))])
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html


def test_a_treebank_file_and_its_multiword_tokens(folder: Path) -> None:
    (one,) = treebank(str(folder / "fr_toy-ud-test.conllu"))
    assert one.lang == "fr"
    assert [one.texts[0][a:b] for a, b in one.words[0]] == ["Il", "parle", "du", "chat", "."]
    assert one.heads[0] == (2, 0, 4, 2, 2)
    shown = call(
        "heads", str(folder / "model"), "--treebank", str(folder / "fr_toy-ud-test.conllu")
    ).stdout
    assert "fr · 1 sentences" in shown
    assert "fr: nsubj: few pairs (1)" in shown
    assert "fr: obj: no pair" in shown
    assert treebank(str(folder / "fr_toy-ud-test.conllu"), lang="fr-CA")[0].lang == "fr-CA"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give either --treebank SOURCE or --text FILE"),
        (("--treebank", "topic/en", "--text", "plain.txt"), "found both"),
        (("--treebank", "absent.conllu"), "there is no file absent.conllu"),
        (("--treebank", "flat.jsonl"), "flat.jsonl: 1 has no tree"),
        (("--treebank", "topic/xx"), "no language 'xx'"),
        (("--treebank", "ud-pud/fr"), "there is no fr_pud-ud-test.conllu"),
        (("--treebank", "topic/en,fr", "--mask", "m.json"), "put {lang} into the name"),
        (
            ("--treebank", "topic/en", "--mask", "m.txt"),
            "--mask m.txt: the ending must be one of .json",
        ),
        (("--treebank", "topic/en", "--mask", "no/m.json"), "there is no folder no"),
        (("--treebank", "topic/en", "--figure", "m.png"), "the ending must be one of .svg, .html"),
        (
            ("--treebank", "topic/en", "--kind", "best", "--mask", "m.json"),
            "there is no kind of mask 'best'",
        ),
        (
            ("--treebank", "topic/en", "--set", "direction=up", "--mask", "m.json"),
            "direction 'up' is not one of",
        ),
        (("--treebank", "topic/en", "--set", "subtypes=all"), "subtypes 'all' is not one of"),
        (
            ("--treebank", "topic/en", "--set", "relations=[]"),
            "no relation was named; the method's are: nsubj, obj",
        ),
        (
            ("--treebank", "topic/en", "--set", "positional=2"),
            "positional 2.0 is not between 0 and 1",
        ),
        (("--treebank", "topic/en", "--set", "offset=2"), "there is no such field"),
        (
            ("--treebank", "topic/en", "--output", "m.pdf"),
            "--output m.pdf: the ending must be one of .html",
        ),
        (("--text", "plain.txt"), "name its language with --lang"),
        (("--text", "absent.txt", "--lang", "en"), "there is no file absent.txt"),
        (("--text", "latin.txt", "--lang", "fr"), "latin.txt is not UTF-8"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = sorted(folder.iterdir())
    assert message in refused("heads", "model", *arguments, cwd=folder)
    assert sorted(folder.iterdir()) == before


def test_without_a_parser_or_its_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("heads", "model", "--text", "plain.txt", "--lang", "en")
    monkeypatch.setitem(sys.modules, "stanza", None)
    assert "install Stanza: pip install 'babelscope[parse]'" in refused(*arguments, cwd=folder)

    def pipeline(*_: object, **__: object) -> None:
        raise FileNotFoundError("Resources file not found\nTry again")

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(Pipeline=pipeline))
    assert "Stanza has no models for 'en' here (Resources file not found Try again)" in refused(
        *arguments, cwd=folder
    )


def test_what_a_parser_returns_is_read_as_a_treebank(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for Stanza, whose models need a network: its documents format themselves as
    CoNLL-U.
    """

    class Document:
        def __format__(self, spec: str) -> str:
            assert spec == "C"
            return FRENCH.strip()

    monkeypatch.setitem(
        sys.modules, "stanza", SimpleNamespace(Pipeline=lambda lang, **_: lambda text: Document())
    )
    (one,) = parsed(folder / "plain.txt", "fr")
    (gold,) = treebank(str(folder / "fr_toy-ud-test.conllu"))
    assert (one.lang, one.texts, one.words, one.heads, one.relations) == (
        "fr", gold.texts, gold.words, gold.heads, gold.relations,
    )  # fmt: skip


def test_a_mask_needs_a_json_file(folder: Path) -> None:
    from babelscope.model.head_masks import write_mask

    counted = head_statistics(
        load(folder / "model", allow_untrained_head=True), corpus.read("topic", "en", "test", 2)
    )
    for name, message in (
        ("mask.yaml", "the ending must be .json"),
        ("no/mask.json", "there is no folder"),
    ):
        with pytest.raises(InputError, match=message):
            write_mask(head_mask(counted), folder / name)
