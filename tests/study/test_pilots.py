"""Every study file runs in its pilot form, from the mirror of the hub to the report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import datasets
import pytest
from typer.testing import CliRunner

import mirror
import workplace
from babelscope.analyses.faithfulness.spec import Spec as Faithfulness
from babelscope.cli import app
from babelscope.hub import MIRROR
from babelscope.reporting.build import report, sections
from babelscope.reporting.papers.write import write_paper
from babelscope.store import open_store
from babelscope.store import read_study as stored_study
from babelscope.study import pilot as limits
from babelscope.study.config import Study, read_study
from babelscope.study.grid import trainings
from babelscope.study.pilot import pilot
from babelscope.study.run import run
from babelscope.training import recipes
from babelscope.training.spec import ModelSpec
from ten_seconds import check_sentence, documented

STUDIES = sorted((Path(__file__).resolve().parents[2] / "studies").glob("*.yaml"))
FEWER: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "mono-vs-multi": (("csl", "reviews"), ("mbert", "bert"), ("zh", "es")),
    "mono-vs-multi-small": (("topic",), ("multilingual", "monolingual"), ("en", "es")),
    "mono-vs-multi-languages": (("xnli",), ("mbert", "bert", "xlm-r", "roberta"), ("tr", "sw")),
    "mono-vs-multi-decoders": (
        ("sst", "chnsenticorp"),
        ("bloom", "gpt2"),
        ("en", "zh"),
    ),
    "mono-vs-multi-prompted": (("sst",), ("qwen3-1.7b", "smollm2-1.7b"), ("en",)),
    "tokenizer-swap": (
        ("csl", "reviews"),
        ("xlm-r", "xlm-r-monolingual-tokenizer", "roberta", "roberta-multilingual-tokenizer"),
        ("zh", "es"),
    ),
    "tokenizer-swap-small": (
        ("topic",),
        ("multilingual", "multilingual-swapped", "monolingual", "monolingual-swapped"),
        ("en",),
    ),
    "ccta-xnli": (("inference",), ("mbert", "xlm-large"), ("en", "hi", "zh")),
    "head-masks": (("sst2", "qqp"), ("bert-sst2", "bert-qqp"), ("en",)),
    "head-masks-squad": (("squad1", "squad2"), ("gpt2-squad1", "roberta-squad2"), ("en",)),
    "head-masks-transfer": (("inference",), ("xlm-r-base",), ("en", "hi")),
    "head-masks-small": (("sentiment",), ("multilingual",), ("en", "hi")),
    "slalom": (("yelp", "imdb"), ("bert-2", "gpt2-2", "tf-idf"), ("en",)),
    "slalom-synthetic": (
        ("linear", "slalom"),
        ("bert-1", "gpt2-2", "fully-connected", "slalom-distilbert-1"),
        ("en",),
    ),
    "everything-small": (("topic",), ("tuned-en", "tuned-hi"), ("en", "hi")),
    "tradeoffs-small": (("topic",), ("fine-tuned-en", "fine-tuned-hi", "joint"), ("en", "hi")),
}
"""Tasks, models and languages of the largest studies that are run here, unless PILOTS=whole is set
in the environment (minutes); the data and checkpoints of the others are read in test_mirror.py.
"""


PAPERS: dict[str, tuple[str, set[str]]] = {
    "mono-vs-multi": (
        "mono-vs-multi",
        {"performance", "ratios", "ratios-soft", "fertility", "similarity",
         "complexity-correlations", "figure-ratios"},
    ),
    "mono-vs-multi-languages": ("mono-vs-multi", {"ratios", "performance", "fertility"}),
    "mono-vs-multi-prompted": ("mono-vs-multi", {"ratios", "performance"}),
    "mono-vs-multi-decoders": ("mono-vs-multi", {"ratios", "performance", "figure-ratios"}),
    "tokenizer-swap": (
        "mono-vs-multi", {"tokenizer-swap", "tokenizer-swap-models", "figure-tokenizer-swap"},
    ),
    "ccta-xnli": ("consistency", {"table-1", "figure-2"}),
    "ccta-pawsx": (
        "consistency", {"table-2", "table-4", "table-5", "figure-matrix", "source-tests"},
    ),
    "ccta-xquad": ("consistency", {"table-3-start"}),
    "tradeoffs-en-hi": (
        "tradeoffs",
        {"accuracy", "preference", "donor-difficulty", "comparisons", "figure-3", "figure-4-heads",
         "figure-1", "figure-2", "figure-4", "figure-5", "figure-6", "figure-confusions", "shares",
         "recall", "confusions", "forgetting"},
    ),
    "slalom": (
        "slalom",
        {"table-2a", "table-2b", "table-2c", "table-9", "table-4", "table-12", "figure-5",
         "table-10", "table-11", "figure-10", "figure-11", "table-2b-released", "table-2c-released",
         "table-9-released"},
    ),
    "slalom-synthetic": (
        "slalom",
        {"table-3", "table-6", "table-7", "table-8", "figure-3", "figure-4", "figure-6", "figure-7",
         "figure-8", "figure-9"},
    ),
    "slalom-large": ("slalom", {"table-13", "figure-5"}),
    "head-masks": (
        "head-masks",
        {"table-1", "table-1-released", "masks", "ablation", "figure-ablation",
         "figure-aopc-by-threshold", "transfer",
         "head-ablation", "figure-thresholds"},
    ),
    "head-masks-squad": ("head-masks", {"table-2", "answers", "masks", "head-ablation"}),
    "head-masks-transfer": ("head-masks", {"transfer", "figure-transfer", "mask-agreement"}),
    "head-masks-decoders": ("head-masks", {"table-1", "ablation", "head-ablation"}),
    "head-masks-small": ("head-masks", {"table-1", "transfer", "head-ablation", "mask-agreement"}),
}  # fmt: skip
"""The paper that a study redoes, and elements that its pilot must deliver."""


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("pilots")
    hub = mirror.build(root / "mirror")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MIRROR, str(hub))
        patch.setenv("BABELSCOPE_CACHE", str(root / "cache"))
        patch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
        patch.chdir(workplace.write(root / "here", hub))
        tiny = {
            name: (replace(settings, steps=4), 20)
            for name, (settings, _) in recipes.RECIPES.items()
        }
        patch.setattr(recipes, "RECIPES", tiny)
        yield root


def _judged_in(model: ModelSpec, langs: tuple[str, ...]) -> ModelSpec:
    """The model with its epoch chosen in some of the languages only."""
    if model.train is None or model.train.dev_languages is None:
        return model
    dev = [lang for lang in model.train.dev_languages if lang in langs]
    return model.model_copy(update={"train": model.train.model_copy(update={"dev_languages": dev})})


def fewer(study: Study, name: str) -> Study:
    """Some tasks, models and languages of a study, with what its analyses say about them; all with
    PILOTS=whole in the environment.
    """
    if name not in FEWER or os.environ.get("PILOTS") == "whole":
        return study
    tasks, models, langs = FEWER[name]
    chosen = [_judged_in(model, langs) for model in study.models if model.name in models]
    blocks = dict(study.analyses)
    faithfulness = blocks.get("faithfulness")
    if isinstance(faithfulness, Faithfulness):
        kept = [
            each
            for each in faithfulness.pairings
            if {each.multilingual, *each.monolingual} <= set(models)
        ]
        swaps = [
            each for each in faithfulness.swaps if {*each.model_dump().values()} <= set(models)
        ]
        update = {"pairings": kept, "swaps": swaps}
        blocks["faithfulness"] = faithfulness.model_copy(update=update)
    return study.model_copy(
        update={
            "tasks": [task for task in study.tasks if task.name in tasks],
            "models": chosen, "languages": list(langs), "analyses": blocks,
        }
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.training
@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_every_study_runs_in_its_pilot_form(file: Path, folder: Path) -> None:
    study = fewer(pilot(read_study(file)), file.stem)
    outcome = run(study, folder / f"{file.stem}.store")
    assert [f"{failure.cell}: {failure.reason}" for failure in outcome.failed] == []
    assert outcome.filled > 0
    page = report(outcome.store, folder / f"{file.stem}-page").read_text("utf-8")
    assert "(pilot)" in page
    opened = open_store(outcome.store, create=False)
    for section in sections(opened, stored_study(opened)):  # the ten-second test
        check_sentence(section)
        assert str(section.headline.sentence) in page
        if file.stem in PAPERS and section.headline.references:
            listed = {reference.file for reference in section.headline.references}
            assert listed <= documented(file.stem)[section.name]
    if file.stem in PAPERS:
        paper, elements = PAPERS[file.stem]
        written = write_paper(outcome.store, paper, folder / f"{file.stem}-paper")
        assert elements <= {each.name for each in written if each.files}


@pytest.mark.parametrize("name", PAPERS)
def test_the_answers_of_a_paper_are_documented(name: str) -> None:
    (file,) = (file for file in STUDIES if file.stem == name)
    sources = documented(name)
    assert list(sources) == list(read_study(file).analyses)
    assert all(sources.values())


@pytest.mark.parametrize("name", [name for name in PAPERS if not name.endswith("-small")])
def test_a_study_of_a_paper_says_what_is_not_as_in_it(name: str) -> None:
    (file,) = (file for file in STUDIES if file.stem == name)
    study = read_study(file)
    assert study.deviations
    assert all(each.strip() and not each.endswith(".") for each in study.deviations)


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_a_pilot_names_the_same_and_is_never_larger(file: Path) -> None:
    study = read_study(file)
    small = pilot(study)
    assert pilot(small) == small
    assert [task.name for task in small.tasks] == [task.name for task in study.tasks]
    assert [model.name for model in small.models] == [model.name for model in study.models]
    assert small.languages == study.languages
    assert {each.name for each in small.methods} == {each.name for each in study.methods}
    assert list(small.analyses) == list(study.analyses)
    assert len(small.seeds) == 1
    for task in small.tasks:
        assert 1 <= (task.data.examples or 0) <= limits.EXAMPLES
    for model, whole in zip(small.models, study.models):
        if model.train is not None and whole.train is not None:
            assert model.train.epochs == 1
            assert model.train.examples <= whole.train.examples
            assert model.train.languages == whole.train.languages
    assert trainings(small) <= trainings(study)


def test_the_plan_of_a_pilot() -> None:
    file = next(file for file in STUDIES if file.stem == "tradeoffs-en-hi")
    runner = CliRunner()
    whole = runner.invoke(app, ["study", "plan", str(file)])
    assert whole.exit_code == 0, whole.output
    # Three seeds of four models, one of which has two stages
    assert "15 models are fine-tuned" in whole.stdout
    small = runner.invoke(app, ["study", "plan", str(file), "--pilot"])
    assert "5 models are fine-tuned" in small.stdout
