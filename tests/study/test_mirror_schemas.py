"""The schemas of the mirror are those of the hub: configurations, splits, columns in their order
with their types, names of classes, and known faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import datasets
import pytest
from datasets import ClassLabel, List, Value

import mirror_datasets
from babelscope.hub import MIRROR
from mirror_datasets import TABLES

THREE = "train validation test"
SQUAD = "id string, title string, context string, question string, answers squad"
NLI = "[entailment neutral contradiction]"
SCHEMAS = {
    "stanfordnlp/sst2": ("default", THREE, "idx int32, sentence string, label [negative positive]"),
    "nyu-mll/glue qqp": (
        "qqp", THREE,
        "question1 string, question2 string, label [not_duplicate duplicate], idx int32",
    ),
    "nyu-mll/glue mnli": (
        "mnli",
        "train validation_matched validation_mismatched test_matched test_mismatched",
        f"premise string, hypothesis string, label {NLI}, idx int32",
    ),
    "SetFit/sst2": ("default", THREE, "text string, label int64, label_text string"),
    "stanfordnlp/imdb": (
        "plain_text", "train test unsupervised", "text string, label [neg pos]",
    ),
    "fancyzhx/yelp_polarity": ("plain_text", "train test", "text string, label [1 2]"),
    "rajpurkar/squad": ("plain_text", "train validation", SQUAD),
    "rajpurkar/squad_v2": ("squad_v2", "train validation", SQUAD),
    "fancyzhx/ag_news": (
        "default", "train test", "text string, label [World Sports Business Sci/Tech]",
    ),
    "CogComp/eraser_multi_rc@refs--convert--parquet": (
        "default", THREE,
        "passage string, query_and_answer string, label [False True], evidences strings",
    ),
    "lansinuote/ChnSentiCorp": ("default", THREE, "text string, label int64"),
    "clue/clue csl": (
        "csl", THREE,
        "idx int32, corpus_id int32, abst string, label [0 1], keyword strings",
    ),
    "clue/clue afqmc": (
        "afqmc", THREE, "sentence1 string, sentence2 string, label [0 1], idx int32",
    ),
    "SetFit/amazon_reviews_multi_es": (
        "default", THREE, "id string, text string, label int64, label_text string",
    ),
    "SetFit/amazon_reviews_multi_fr": (
        "default", THREE, "id string, text string, label int64, label_text string",
    ),
    "midas/bbc_hindi_nli": (
        "bbc hindi nli", THREE,
        "premise string, hypothesis string, label [not-entailment entailment], "
        "topic [india news international entertainment sport science]",
    ),
    "facebook/xnli": (
        "ar bg de el en es fr hi ru sw th tr ur vi zh", THREE,
        f"premise string, hypothesis string, label {NLI}",
    ),
    "google-research-datasets/paws-x": (
        "de en es fr ja ko zh", THREE,
        "id int32, sentence1 string, sentence2 string, label [0 1]",
    ),
    "google/xquad": (
        "xquad.ar xquad.de xquad.el xquad.en xquad.es xquad.hi xquad.ro xquad.ru xquad.th xquad.tr "
        "xquad.vi xquad.zh",
        "validation", "id string, context string, question string, answers squad",
    ),
}  # fmt: skip
"""As published: configurations, splits, columns. A repository of which the mirror has some
configurations only is followed by one.
"""
TYPES = {
    "strings": List(Value("string")),
    "squad": {"text": List(Value("string")), "answer_start": List(Value("int32"))},
}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("schemas")
    datasets.disable_progress_bars()
    mirror_datasets.write(root / "datasets")
    datasets.enable_progress_bars()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MIRROR, str(root))
        patch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
        yield root / "datasets"


def features(text: str) -> list[tuple[str, object]]:
    columns = [part.partition(" ")[::2] for part in text.split(", ")]
    return [(name, _type(kind)) for name, kind in columns]


def _type(kind: str) -> object:
    if kind.startswith("["):
        return ClassLabel(names=kind[1:-1].split())
    return TYPES[kind] if kind in TYPES else Value(kind)


def rows(folder: Path, name: str, config: str, split: str) -> datasets.Dataset:
    return datasets.Dataset.from_list(
        list(datasets.load_dataset(str(folder / name), config, split=split, streaming=True))
    )


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_those_of_the_hub(folder: Path, name: str) -> None:
    configs, splits, columns = SCHEMAS[name]
    place = str(folder / name.split()[0])
    known = datasets.get_dataset_config_names(place)
    listed = [configs] if name.startswith("midas") else configs.split()
    assert set(listed) <= set(known) if " " in name else sorted(listed) == sorted(known)
    loaded = datasets.load_dataset(place, listed[-1], streaming=True)
    assert sorted(loaded) == sorted(splits.split())
    for split in loaded.values():
        assert list((split.features or split._resolve_features().features).items()) == features(
            columns
        )


def test_every_data_set_of_the_mirror_has_its_schema_here() -> None:
    assert {table.name for table in TABLES} == {name.split()[0].split("@")[0] for name in SCHEMAS}


def test_quirks_of_single_sets(folder: Path) -> None:
    """Sorted labels, withheld labels, half of the questions without an answer, five stars,
    repeated premises.
    """
    labels = rows(folder, "stanfordnlp/imdb", "plain_text", "test")["label"]
    assert list(labels) == [0] * 12 + [1] * 12
    for name, config, split in (
        ("stanfordnlp/imdb", "plain_text", "unsupervised"),
        ("stanfordnlp/sst2", "default", "test"),
        ("nyu-mll/glue", "mnli", "test_matched"),
        ("nyu-mll/glue", "qqp", "test"),
        ("clue/clue", "csl", "test"),
    ):
        assert set(rows(folder, name, config, split)["label"]) == {-1}
    answers = rows(folder, "rajpurkar/squad_v2", "squad_v2", "validation")["answers"]
    assert sum(not each["text"] for each in answers) == 12
    stars = rows(folder, "SetFit/amazon_reviews_multi_es", "default", "test")["label"]
    assert set(stars) == {0, 1, 2, 3, 4}
    premises = rows(folder, "facebook/xnli", "en", "test")["premise"]
    assert len(set(premises)) == 9, "24 rows from number 2000, three in a row share theirs"
