"""The tables of papers from a store: every element is written, or says why it is not."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from typer.testing import CliRunner

import small_study
from babelscope.cli import app
from babelscope.corpus import read
from babelscope.errors import InputError, StoreError
from babelscope.reporting.papers import PAPERS
from babelscope.reporting.papers.formats import cell, escaped, font_size, latex, markdown
from babelscope.reporting.papers.mono_vs_multi import published_ratios
from babelscope.reporting.papers.published import FOLDER, published, published_file
from babelscope.reporting.papers.tex_document import FONTS, document
from babelscope.reporting.papers.write import write_paper
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.small import make

TRAIN: dict[str, Any] = {
    "languages": ["en"], "examples": 40, "dev_examples": 10, "learning_rate": 1e-3, "epochs": 1,
    "batch": 8,
}  # fmt: skip
NAMES = ("normalised_sufficiency", "normalised_comprehensiveness")
STUDY: dict[str, Any] = {
    "name": "all papers",
    "tasks": [{"name": "topic", "data": {"builtin": "topic", "examples": 6}}],
    "languages": ["en", "es"],
    "models": [
        {"name": "fine-tuned-en", "train": {**TRAIN}},
        {"name": "fine-tuned-es", "train": TRAIN | {"languages": ["es"]}},
        {"name": "both", "train": TRAIN | {"languages": ["en", "es"]}},
    ],
    "methods": ["random", "attention", "input_x_gradient", "masked_lrp"],
    "source": "en",
    "faithfulness": {
        "pairings": [{"multilingual": "both", "monolingual": "fine-tuned-en"}],
        "metrics": [
            *NAMES,
            {"name": "normalised_soft_sufficiency", "options": {"draws": 2, "error": 1.0}},
            "aopc", "lodds", "deletion_area", "insertion_area", "rationale_auroc",
        ],
        "samples": 2,
    },
    "consistency": {"gold": True, "permutations": 2},
    "tradeoffs": {"train_examples": 20, "dev_examples": 10},
    "heads": {"treebanks": "topic/{lang}/test/20"},
}  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BABELSCOPE_CACHE", str(folder / "cache"))
        rows = [row for lang in ("en", "es") for row in read("topic", lang, "train", 40)]
        texts, labels = [row.texts[0] for row in rows], sorted({str(row.label) for row in rows})
        make(folder / "base", "bert", texts, labels, layers=2, width=32, vocabulary=600)
        for model in STUDY["models"]:
            model["train"]["base"] = str(folder / "base")
        outcome = run(parse_study(STUDY), folder / "store")
    assert [f"{failure.cell}: {failure.reason}" for failure in outcome.failed] == []
    return folder / "store"


@pytest.mark.training
@pytest.mark.parametrize("paper", PAPERS)
def test_every_element_is_written_or_says_why_not(store: Path, tmp_path: Path, paper: str) -> None:
    written = write_paper(store, paper, tmp_path)
    row = PAPERS[paper]
    assert [each.name for each in written] == [each.name for each in (*row.elements, *row.missing)]
    assert sum(bool(each.files) for each in written) >= 2
    for each in written:
        assert each.files or each.reason
        for name in each.files:
            content = (tmp_path / name).read_bytes()
            assert content.strip()
            if name.endswith(".svg"):
                assert ElementTree.fromstring(content).tag.endswith("svg")
            if name.endswith(".pdf"):
                assert content.startswith(b"%PDF")
        if each.files:
            rows = list(csv.reader((tmp_path / f"{each.name}.csv").read_text("utf-8").splitlines()))
            assert len(rows) > 1
            assert len({len(line) for line in rows}) == 1
    figures = {each.name for each in row.elements if each.draw is not None}
    for each in written:
        drawn = {f"{each.name}.svg", f"{each.name}.pdf"}
        assert drawn <= set(each.files) if each.name in figures and each.files else True
    index = (tmp_path / "index.md").read_text("utf-8")
    assert all(f"| {each.name} |" in index for each in written)
    again = contents(tmp_path)
    write_paper(store, paper, tmp_path)
    assert again == contents(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    """What is written, but for the PDF files: their library numbers fonts in any order."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".pdf"}


@pytest.mark.training
def test_numbers_are_those_of_the_store(store: Path, tmp_path: Path) -> None:
    write_paper(store, "mono-vs-multi", tmp_path)
    table = pd.read_csv(tmp_path / "ratios.csv")
    # one task in two languages: `both` reads both, the others their own
    assert set(table["metric"]) == {*NAMES, "aopc", "insertion_area"}, "higher is better"
    assert set(table["method"]) == {"attention", "input_x_gradient", "masked_lrp"}
    assert table["published"].isna().all(), "the paper has no such task"
    counts = pd.read_csv(tmp_path / "faithful-counts.csv")
    one = counts[(counts["kind"] == "multilingual") & (counts["lang"] == "en")].iloc[0]
    chosen = table[(table["model"] == "both") & (table["lang"] == "en")]
    above = chosen[chosen["method"] == one["method"]]["ratio"] > 1
    assert one["faithful"] == above.sum()


def compiled(folder: Path, engine: str = "pdflatex") -> tuple[int, str]:
    """Exit status and log of a run of LaTeX on `tables.tex`."""
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.returncode, (folder / "tables.log").read_text(errors="replace")


@pytest.mark.training
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
@pytest.mark.parametrize("paper", PAPERS)
def test_the_tables_compile_and_fit_the_page(store: Path, tmp_path: Path, paper: str) -> None:
    write_paper(store, paper, tmp_path)
    status, log = compiled(tmp_path)
    assert status == 0, log[-1500:]
    assert [line for line in log.splitlines() if re.search("Overfull|too large", line)] == []


NAMES_OF_MODELS = {
    "latin": ["Modèle", "Türkçe ığş", "Größe & co_2"],
    "other": ["समीक्षा मॉडल", "نموذج المراجعات", "评论模型", "โมเดลรีวิว", "Ελληνικά", "Việt"],
}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
@pytest.mark.parametrize("script", NAMES_OF_MODELS)
@pytest.mark.parametrize("rows", [1, 20])
def test_names_in_any_script_compile(tmp_path: Path, script: str, rows: int) -> None:
    """pdflatex knows Latin script; beyond it the document names the program that is needed."""
    names = NAMES_OF_MODELS[script] * rows
    columns = {f"a long name of column {at}": [0.5] * len(names) for at in range(9)}
    text = latex(pd.DataFrame({"model": names, **columns}), "Größe", "tab:x")
    (tmp_path / "x.tex").write_text(text, "utf-8")
    (tmp_path / "tables.tex").write_text(document(["x"], [text]), "utf-8")
    status, log = compiled(tmp_path)
    assert (status == 0) == (script == "latin"), log[-1500:]
    assert ("compile with lualatex" in log) == (script == "other")
    fonts = subprocess.run(["fc-list"], capture_output=True, text=True, check=False).stdout
    if shutil.which("lualatex") and all(name.split(":")[0] in fonts for name in FONTS):
        status, log = compiled(tmp_path, "lualatex")
        if "luaotfload.sty' not found" in log:
            pytest.skip("LuaLaTeX's fonts are not installed (texlive-luatex)")
        assert status == 0, log[-1500:]
        assert [line for line in log.splitlines() if "Missing character" in line] == []
        assert "Overfull" not in log


def test_a_long_table_continues_on_the_next_page() -> None:
    """30 rows fit on a page. In LaTeX's 10 points a digit is 5 points wide: two columns of 70 and
    71 digits need (70 + 71) * 5 + 2 * 2 * 4 = 721 points and fit 757, of 75 and 76 771, which do
    not.
    """
    short, long = (pd.DataFrame({"a": ["x"] * count}) for count in (30, 31))
    assert r"\begin{table}" in latex(short, "c", "t")
    assert "longtable" not in latex(short, "c", "t")
    text = latex(long, "c", "t")
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 1
    assert text.count(r"x \\") == 31
    assert font_size(["a", "b"], [["1" * 70, "1" * 71]]) == "normalsize"
    assert font_size(["a", "b"], [["1" * 75, "1" * 76]]) == "small"
    assert font_size(["a", "b"], [["1" * 750, "1"]]) == "tiny"


def test_cells_by_hand() -> None:
    assert cell(0.12345) == "0.123"
    assert cell(0.0) == "0.000"
    assert cell(4.56e-7) == "4.56e-07", "not 0"
    assert cell(float("nan")) == cell(None) == "--"
    assert (cell(12), cell("en")) == ("12", "en")


def test_texts_become_no_command() -> None:
    assert escaped(r"50% of $x_1$ & \input{a}") == (
        r"50\% of \$x\_1\$ \& \textbackslash{}input\{a\}"
    )
    table = pd.DataFrame({"model_name": ["a|b", r"\end{tabular}"], "n": [1, 2]})
    text = latex(table, "A & B", "tab:x")
    assert text.count(r"\end{tabular}") == 1
    assert r"\begin{tabular}{lr}" in text
    assert r"model name & n \\" in text
    assert "| a\\|b | 1 |" in markdown(table, "Caption")


def test_published_files_name_their_source() -> None:
    for file in sorted(FOLDER.glob("*.csv")):
        first = file.read_text("utf-8").splitlines()[0]
        assert re.fullmatch(r"# .{40,}", first), file.name
        assert len(published(file.stem)) > 1
    assert published_file("tradeoffs").is_file()


def test_published_ratios_have_the_names_of_the_study_file() -> None:
    """60 rows and two of XLM-R large, five methods, two metrics; soft: 3 tasks x 4 models."""
    table = published_ratios()
    assert len(table) == 62 * 5 * 2 + 3 * 4 * 5 * 2
    keys = ["task", "lang", "model", "method", "metric"]
    assert not table.duplicated(keys).any()
    text = (Path(__file__).parents[2] / "studies" / "mono-vs-multi.yaml").read_text("utf-8")
    for name in {*table["task"], *table["model"]}:
        assert re.search(rf"name: {re.escape(name)}\b", text), name


def test_faults_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no paper 'mono-multi'; did you mean"):
        write_paper(tmp_path, "mono-multi", tmp_path / "out")
    study = parse_study(small_study.values(small_study.models(tmp_path)))
    run(study, tmp_path / "store")
    with pytest.raises(StoreError, match="holds nothing of tradeoffs; run its study first"):
        write_paper(tmp_path / "store", "tradeoffs", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    arguments = ["paper", str(tmp_path / "store"), "--of", "mono-vs-multi"]
    done = CliRunner().invoke(app, [*arguments, "--output", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "ratios.tex").is_file()
