"""The data commands as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import call, refused

from babelscope import corpus
from babelscope.data.corpora import CORPORA
from babelscope.data.formats.tables import read

NLI = {"premise": "a b", "hypothesis": "b", "label": "entailment"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A made-up XNLI in English and Hindi, the second with a fault in its last line, and some
    files.
    """
    header = "premise\thypothesis\tlabel\n"
    (tmp_path / "xnli").mkdir()
    (tmp_path / "xnli" / "test-en.tsv").write_text(
        f"{header}He sings.\tHe is silent.\tcontradiction\nx\ty\tneutral\n", "utf-8"
    )
    (tmp_path / "xnli" / "test-hi.tsv").write_text(
        f"{header}वह गाता है।\tवह चुप है।\tcontradiction\nx\ty\tmaybe\n", "utf-8"
    )
    (tmp_path / "good.jsonl").write_text(json.dumps(NLI) + "\n")
    (tmp_path / "bad.jsonl").write_text(
        json.dumps(NLI) + '\n{"premise": "a \\ud83d\\n", "label": "maybe"}\n'
    )
    (tmp_path / "tree.conllu").write_text(
        "# text = [b]x[/b]\n1\t[b]x[/b]\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    )
    return tmp_path


def test_list_names_every_corpus() -> None:
    rows = json.loads(call("data", "list", "--json").stdout)
    assert [row["name"] for row in rows] == [*corpus.CORPORA, *CORPORA]
    assert all(
        {"task", "languages", "splits", "licence", "source", "labels"} <= set(row) for row in rows
    )
    assert {row["name"]: row["languages"] for row in rows}["xnli"] == list(
        CORPORA["xnli"].languages
    )
    shown = call("data", "list").stdout
    assert all(name in shown for name in (*corpus.CORPORA, *CORPORA))
    assert "205 languages" in shown


def test_show_a_corpus_of_a_folder(folder: Path) -> None:
    shown = call(
        "data", "show", "xnli", "--lang", "en", "--count", "1", "--folder", str(folder)
    ).stdout
    assert "xnli-test-1-en" in shown
    assert "contradiction" in shown
    assert "1: He sings." in shown
    assert "neutral" not in shown, "only one"
    rows = json.loads(
        call("data", "show", "xnli", "--lang", "hi", "--count", "1", "--json", cwd=folder).stdout
    )
    assert [row["text"] for row in rows] == ["वह गाता है।"]


@pytest.mark.parametrize("name", corpus.CORPORA)
def test_show_a_builtin_corpus(name: str) -> None:
    (one,) = corpus.read(name, "en", "test", 1)
    shown = " ".join(
        call("data", "show", name, "--lang", "en", "--count", "1", "--tree").stdout.split()
    )
    assert one.id in shown
    assert all(text in shown for text in one.texts)
    assert "← root ← (root)" in shown
    if one.rationale and any(map(any, one.rationale)):
        assert "rationale: " in shown
    if one.answer:
        assert f"answer: {one.texts[-1][slice(*one.answer)]}" in shown


def test_show_a_file_whose_text_looks_like_markup(folder: Path) -> None:
    shown = call("data", "show", str(folder / "tree.conllu"), "--tree").stdout
    assert "[b]x[/b]" in shown
    assert "1 [b]x[/b] ← root ← (root)" in shown
    assert "a �" in call("data", "show", str(folder / "bad.jsonl")).stdout, (
        "a lone surrogate is shown as a sign"
    )


def test_show_alignments_and_dictionaries(tmp_path: Path) -> None:
    (tmp_path / "en-de.txt").write_text("cat katze\ndog hund\n")
    assert json.loads(call("data", "show", "muse", "--lang", "de", "--json",
                           cwd=tmp_path).stdout) == [
        ["cat", "katze"], ["dog", "hund"],
    ]  # fmt: skip
    assert "katze" in call("data", "show", "muse", "--lang", "de", cwd=tmp_path).stdout
    tree = "# sent_id = 1\n# text = {0}\n1\t{0}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    place = tmp_path / "en-fr"
    place.mkdir()
    (place / "en.conllu").write_text(tree.format("cat"))
    (place / "target.conllu").write_text(tree.format("chat"))
    (place / "alignment.json").write_text('[{"1": ["1"], "X": ["1"]}]')
    assert (
        "cat = chat" in call("data", "show", "pud-alignments", "--lang", "fr", cwd=tmp_path).stdout
    )
    (row,) = json.loads(
        call("data", "show", "pud-alignments", "--lang", "fr", "--json", cwd=tmp_path).stdout
    )
    assert (row["source"]["text"], row["target"]["text"], row["links"]) == ("cat", "chat", [[0, 0]])


def test_check(folder: Path) -> None:
    good = call("data", "check", str(folder / "good.jsonl"), "--task", "nli")
    assert good.stdout.endswith("good.jsonl: 1 rows, no problem\n")
    bad = call("data", "check", str(folder / "bad.jsonl"), "--task", "nli", status=2)
    lines = bad.stdout.splitlines()
    assert len(lines) == 3, "one line per problem"
    assert all("bad.jsonl, line 2, field " in line for line in lines)
    assert {line.split("field ")[1].split(":")[0] for line in lines} == {"text", "pair", "label"}
    told = json.loads(
        call("data", "check", str(folder / "bad.jsonl"), "--task", "nli", "--json", status=2).stdout
    )
    assert {tuple(row) for row in told} == {("file", "line", "field", "found", "expected")}


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet", "csv", "tsv"])
def test_export_to_a_file(tmp_path: Path, ending: str) -> None:
    output = tmp_path / f"out.{ending}"
    done = call(
        "data", "export", "reading", "--lang", "es", "--count", "7", "--output", str(output)
    )
    assert "7 examples" in done.stdout
    rows, gold = read(output), corpus.read("reading", "es", "test", 7)
    assert [(row.id, row.texts) for row in rows] == [(row.id, row.texts) for row in gold]
    if ending not in ("csv", "tsv"):
        assert rows == gold
    assert list(tmp_path.iterdir()) == [output]


def test_export_to_standard_output(folder: Path) -> None:
    lines = call(
        "data", "export", "xnli", "--lang", "en", "--folder", str(folder)
    ).stdout.splitlines()
    assert [json.loads(line)["group"] for line in lines] == ["xnli-test-1", "xnli-test-2"]
    assert len(call("data", "export", "topic", "--split", "dev").stdout.splitlines()) == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "xmli"), "xmli is neither a file nor a corpus; choose from: sentiment"),
        (("show", "xnli", "--lang", "ja"), "xnli has no language 'ja'"),
        (("show", "xnli"), "xnli: name one of ar"),
        (("show", "xnli", "--lang", "de"), "there is no test-de.tsv"),
        (("show", "sentiment", "--lang", "xx"), "no language 'xx'"),
        (("show", "good.jsonl", "--split", "dev"), "a file has no splits"),
        (("show", "xnli", "--lang", "hi"), "test-hi.tsv, line 3, field label: 'maybe'"),
        (("show", "bad.jsonl", "--json"), "lone surrogate"),
        (("check", "absent.jsonl", "--task", "nli"), "there is no file absent.jsonl"),
        (("check", "good.jsonl", "--task", "nil"), "there is no task 'nil'"),
        (("export", "xnli", "--lang", "hi"), "test-hi.tsv, line 3, field label: 'maybe'"),
        (
            ("export", "xnli", "--lang", "hi", "--output", "o.jsonl"),
            "test-hi.tsv, line 3, field label: 'maybe'",
        ),
        (("export", "xnli", "--lang", "hi", "--output", "o.parquet"), "test-hi.tsv, line 3"),
        (("export", "xnli", "--lang", "en", "--format", "parquet"), "give --output FILE.parquet"),
        (("export", "xnli", "--lang", "en", "--format", "xml"), "there is no format 'xml'"),
        (
            ("export", "xnli", "--lang", "en", "--format", "csv", "--output", "o.tsv"),
            "not that of --format csv",
        ),
        (("export", "xnli", "--lang", "en", "--output", "no/o.tsv"), "there is no folder no"),
        (("export", "muse", "--lang", "de"), "muse holds pairs, not examples"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = sorted(folder.iterdir())
    assert message in refused("data", *arguments, cwd=folder)
    assert sorted(folder.iterdir()) == before
