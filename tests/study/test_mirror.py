"""Everything that the study files name is in a mirror with the hub's schemas, and is read from
there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import datasets
import pytest
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.data import sources
from babelscope.data.examples import examples
from babelscope.data.formats import hub
from babelscope.data.spec import DataSpec, training_data
from babelscope.errors import InputError, UntrainedHead
from babelscope.hub import MIRROR, PACKAGED, locate
from babelscope.model.language_models import load_language_model
from babelscope.model.load import load
from babelscope.model.tokenizers import load_tokenizer, longest
from babelscope.study.config import Study, read_study
from mirror import build
from mirror_models import CHECKPOINTS, Checkpoint
from mirror_texts import sentence

STUDIES = sorted((Path(__file__).resolve().parents[2] / "studies").glob("*.yaml"))
LABELS = {
    "sst": {"0", "1"},
    "agnews": {"World", "Sports", "Business", "Sci/Tech"},
    "multirc": {"False", "True"},
    "chnsenticorp": {"0", "1"},
    "csl": {"0", "1"},
    "ant": {"0", "1"},
    "reviews": {"negative", "positive"},
    "paws": {"0", "1"},
    "xnli": {"entailment", "neutral", "contradiction"},
    "bbc-nli": {"not-entailment", "entailment"},
    "bbc-topic": {"india", "news", "international", "entertainment", "sport", "science"},
}
"""The classes of each task of mono-vs-multi.yaml."""


@pytest.fixture(scope="module", autouse=True)
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = build(tmp_path_factory.mktemp("mirror"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MIRROR, str(folder))
        patch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
        yield folder


def checkpoints(study: Study) -> Iterator[str]:
    """The hub ids of a study's models, bases and encoder; a recipe or a local folder is none."""
    for model in study.models:
        if model.source is not None:
            yield model.source
        elif model.train is not None:
            for lang in model.train.languages:
                train = model.train.of(lang)
                for name in filter(None, (train.base, train.tokenizer)):
                    if not str(name).startswith("pretrained:"):
                        yield str(name)
    yield from filter(None, [getattr(study.analyses.get("consistency"), "encoder", None)])


def hub_data(study: Study) -> Iterator[tuple[str, DataSpec, str]]:
    """The tasks of a study whose examples are on the hub, in each of their languages."""
    for task in study.tasks:
        if task.data.hub is not None:
            for lang in task.data.languages or study.languages:
                yield task.name, task.data, lang


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_the_mirror_has_everything_that_a_study_names(file: Path, mirror: Path) -> None:
    study = read_study(file)
    for name in set(checkpoints(study)):
        if not name.startswith("models/") and not (PACKAGED / name).is_dir():  # a user's, ours
            assert locate(name)[0].startswith(str(mirror / "models")), name
    for _, data, lang in hub_data(study):
        name = str(data.hub).replace("{lang}", lang)
        assert locate(name, data.revision, kind="datasets")[0].startswith(str(mirror / "datasets"))
    for task in study.tasks:
        if task.data.train_hub is not None:
            place = locate(task.data.train_hub, None, kind="datasets")[0]
            assert place.startswith(str(mirror / "datasets")), task.data.train_hub


def test_training_rows_of_the_slalom_study_have_both_classes() -> None:
    """Yelp-HAT is explained and yelp_polarity is trained on, under the same names of classes; of
    IMDB the training rows are sampled."""
    study = read_study(next(file for file in STUDIES if file.stem == "slalom"))
    for task in study.tasks:
        rows = examples(task.data, "en", "train", 30)
        assert {row.label for row in rows} == {"negative", "positive"}
        counted = training_data(task.data, 20)
        assert {row.label for row in examples(counted, "en")} == {"negative", "positive"}
    imdb = study.tasks[1].data
    unsampled = imdb.model_copy(update={"train_sampled": False})
    first, sampled = (examples(data, "en", "train", 10) for data in (unsampled, imdb))
    assert [row.texts for row in first] != [row.texts for row in sampled]


def test_every_task_of_the_full_study_is_read() -> None:
    """Test, training and development rows, with the hub's names for labels."""
    study = read_study(next(file for file in STUDIES if file.stem == "mono-vs-multi"))
    tasks = list(hub_data(study))
    assert len(tasks) == 15
    for name, data, lang in tasks:
        for split in (None, "train", "dev"):
            rows = examples(data, lang, split, 100)
            assert {row.label for row in rows} <= LABELS[name], (name, split)
            assert {row.lang for row in rows} == {lang}
            assert len({len(row.texts) for row in rows}) == 1
            if split == "train":
                assert {row.label for row in rows} == LABELS[name]


@pytest.mark.parametrize(("name", "config"), [("xnli", "facebook/xnli"), ("paraphrase", "paws-x")])
def test_rows_of_equal_number_are_translations(name: str, config: str) -> None:
    file = "ccta-xnli" if name == "xnli" else "ccta-pawsx"
    study = read_study(next(each for each in STUDIES if each.stem == file))
    rows = {lang: examples(data, lang, count=9) for _, data, lang in hub_data(study)}
    assert list(rows) == study.languages
    assert config in str(study.tasks[0].data.hub)
    groups = {lang: [row.group for row in each] for lang, each in rows.items()}
    assert all(group == groups["en"] for group in groups.values())
    # The ninth test row has the number 2008; of XNLI, rows 2007 to 2009 share their premise
    number = {"xnli": 2007, "paraphrase": 2008}[name]
    assert [rows[lang][8].texts[0] for lang in rows] == [sentence(lang, number) for lang in rows]


def test_known_faults_of_the_hub_are_there() -> None:
    pawsx = "google-research-datasets/paws-x"
    assert list(hub.read(pawsx, "de", "test"))[3].texts[1] == "NS"
    assert list(hub.read(pawsx, "de", "validation"))[5].label is None, "-1 is no label"
    assert "\b" in list(hub.read("facebook/xnli", "zh", "test"))[4].texts[1]
    csl = {"text": "abst", "pair": "keyword"}
    assert {row.label for row in hub.read("clue/clue", "csl", "test", columns=csl)} == {None}


def test_what_the_hub_refuses_is_refused_in_one_line(mirror: Path) -> None:
    """A script on the main branch, a missing configuration, a split that does not exist."""
    for name, config, split, reason in (
        ("CogComp/eraser_multi_rc", None, "test", "Dataset scripts are no longer supported"),
        ("facebook/xnli", None, "test", "Config name is missing"),
        ("fancyzhx/ag_news", None, "validation", "Bad split"),
    ):
        with pytest.raises(InputError, match=reason) as caught:
            hub.read(name, config, split)
        assert f"cannot be read from {mirror / 'datasets' / name}" in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="data set 'nobody/nothing' is not in the mirror"):
        hub.read("nobody/nothing")


def test_rows_of_the_hub_have_a_short_name(tmp_path: Path) -> None:
    rows = sources.rows("hub:google/xquad/xquad.hi/validation/3")
    assert [row.lang for row in rows] == ["hi"] * 3
    assert all(row.answer is not None for row in rows)
    assert rows == list(hub.read("google/xquad", "xquad.hi", "validation", lang="hi"))[:3]
    assert sources.rows("hub:fancyzhx/ag_news/default/test/2")[0].lang == "und"
    assert len(sources.rows("hub:stanfordnlp/sst2")) == 24
    for name, message in (
        ("hub:imdb", "is hub:ORGANISATION/NAME, followed by /CONFIG"),
        ("hub:facebook/xnli/hi/test/many", "must be a whole number, not 'many'"),
        ("hub:facebook/xnli/xx/test/1", "BuilderConfig 'xx' not found"),
    ):
        with pytest.raises(InputError, match=message):
            sources.rows(name)
    runner = CliRunner()
    command = [
        "explain",
        "your-name/mbert-reviews",
        "--input",
        "hub:stanfordnlp/imdb/default/test/2",
    ]
    outcome = runner.invoke(app, [*command, "--method", "random", "--json"])
    assert outcome.exit_code == 0, outcome.output
    assert len(json.loads(outcome.stdout)) == 2


@pytest.mark.parametrize("row", CHECKPOINTS, ids=lambda row: row.name)
def test_checkpoints_are_loaded_with_the_ids_of_the_hub(row: Checkpoint) -> None:
    tokenizer = load_tokenizer(row.name)
    assert all(tokenizer.get_vocab()[piece] == at for piece, at in row.pieces.items())
    ids = tokenizer("The hotel is far", "The book")["input_ids"]
    assert tokenizer.unk_token_id not in ids
    if row.model.endswith(("MaskedLM", "LMHeadModel")):
        model, masked = load_language_model(row.name)
        assert masked == row.model.endswith(("MaskedLM", "WithLMHeadModel"))  # XLM masks too
        assert type(model.hf).__name__ == row.model
        padding = None if row.model == "GPT2LMHeadModel" else tokenizer.pad_token_id
        assert model.hf.config.pad_token_id == padding  # configurations of GPT-2 know of none


def test_traps_of_single_tokenizers() -> None:
    """Lengths and padding as on the hub: 50 tokens, no limit, no padding token; BETO pads by 1."""
    assert longest(load_tokenizer("ClassCat/roberta-base-french")) == 50
    assert longest(load_tokenizer("hfl/chinese-roberta-wwm-ext")) is None
    assert longest(load_tokenizer("dbmdz/bert-base-french-europeana-cased")) == 512
    gpt2 = load_tokenizer("gpt2")
    assert gpt2.pad_token_id is None
    assert gpt2.eos_token_id == gpt2.bos_token_id == len(gpt2) - 1
    beto = load_tokenizer("dccuchile/bert-base-spanish-wwm-uncased")
    assert (beto.mask_token_id, beto.pad_token_id, beto.cls_token_id) == (0, 1, 4)
    assert beto("Está")["input_ids"] == beto("está")["input_ids"] != beto("esta")["input_ids"]


def test_a_fine_tuned_model_keeps_its_id_and_a_base_has_no_head() -> None:
    model = load("your-name/mbert-reviews", revision="main")
    assert model.name == "your-name/mbert-reviews"
    assert list(model.labels) == ["1", "2", "3", "4", "5"]
    with pytest.raises(UntrainedHead, match="bert-base-uncased holds no trained weights"):
        load("google-bert/bert-base-uncased", task="text-classification")
    assert load("sentence-transformers/LaBSE", allow_untrained_head=True).hf.config.vocab_size
    with pytest.raises(InputError, match="model 'nobody/nothing' is not in the mirror"):
        load("nobody/nothing")
