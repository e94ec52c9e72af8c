"""The data sets that the study files name, as the Hugging Face hub serves them, with few rows.

Names, configurations, splits, order and types of columns, names of labels and known faults are the
hub's; texts are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datasets import ClassLabel, Dataset, Features, List, Value

from mirror_texts import PHRASES, sentence

TEXT, PAIR, LABEL, NUMBER, ID, NAME, TOPIC, KEYWORDS, EVIDENCE, ANSWERS, KEY, REVIEW = (
    "text", "pair", "label", "number", "id", "label name", "topic", "keywords", "evidence",
    "answers", "key", "review",
)  # fmt: skip
XNLI = ("ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh")
PAWSX = ("de", "en", "es", "fr", "ja", "ko", "zh")
XQUAD = ("ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")
HALVES = {"train": 60, "validation": 24, "test": 24}
ZERO_ONE = ("0", "1")
SCRIPT = "refs--convert--parquet"


@dataclass(frozen=True)
class Table:
    """A repository with its columns: name, type (names: a ClassLabel) and content."""

    name: str
    columns: tuple[tuple[str, str | tuple[str, ...], str], ...]
    lang: str = ""
    """Language of the texts; by default that of the configuration."""
    configs: tuple[str, ...] = ("default",)
    splits: Mapping[str, int] = field(default_factory=lambda: HALVES)
    classes: int = 2
    hidden: tuple[str, ...] = ()
    """Splits whose labels are withheld: -1."""
    shared: int = 1
    """Number of rows in sequence with the same first text."""
    ordered: bool = False
    """Whether the rows are sorted by label."""
    unanswerable: int = 0
    """One row in so many has no answer; 0: none."""
    layout: str = "parquet"


TABLES = (
    Table(
        "SetFit/sst2",
        (("text", "string", TEXT), ("label", "int64", LABEL), ("label_text", "string", NAME)),
        lang="en", layout="jsonl",
    ),
    Table(
        "fancyzhx/ag_news",
        (("text", "string", TEXT), ("label", ("World", "Sports", "Business", "Sci/Tech"), LABEL)),
        lang="en", classes=4, splits={"train": 80, "test": 24},
    ),
    Table(
        "CogComp/eraser_multi_rc",
        (("passage", "string", TEXT), ("query_and_answer", "string", PAIR),
         ("label", ("False", "True"), LABEL), ("evidences", "strings", EVIDENCE)),
        lang="en", shared=4, layout="script",
    ),
    Table(
        "lansinuote/ChnSentiCorp", (("text", "string", TEXT), ("label", "int64", LABEL)),
        lang="zh",
    ),
    Table(
        "clue/clue",
        (("idx", "int32", NUMBER), ("corpus_id", "int32", NUMBER), ("abst", "string", TEXT),
         ("label", ZERO_ONE, LABEL), ("keyword", "strings", KEYWORDS)),
        lang="zh", configs=("csl",), shared=2, hidden=("test",),
    ),
    Table(
        "clue/clue",
        (("sentence1", "string", TEXT), ("sentence2", "string", PAIR), ("label", ZERO_ONE, LABEL),
         ("idx", "int32", NUMBER)),
        lang="zh", configs=("afqmc",), hidden=("test",),
    ),
    *(
        Table(
            f"SetFit/amazon_reviews_multi_{lang}",
            (("id", "string", ID), ("text", "string", TEXT), ("label", "int64", LABEL),
             ("label_text", "string", NAME)),
            lang=lang, classes=5, layout="jsonl",
        )
        for lang in ("es", "fr")
    ),
    Table(
        "google-research-datasets/paws-x",
        (("id", "int32", NUMBER), ("sentence1", "string", TEXT), ("sentence2", "string", PAIR),
         ("label", ZERO_ONE, LABEL)),
        configs=PAWSX,
    ),
    Table(
        "facebook/xnli",
        (("premise", "string", TEXT), ("hypothesis", "string", PAIR),
         ("label", ("entailment", "neutral", "contradiction"), LABEL)),
        configs=XNLI, classes=3, shared=3,
    ),
    Table(
        "midas/bbc_hindi_nli",
        (("premise", "string", TEXT), ("hypothesis", "string", PAIR),
         ("label", ("not-entailment", "entailment"), LABEL),
         ("topic", ("india", "news", "international", "entertainment", "sport", "science"), TOPIC)),
        lang="hi", configs=("bbc hindi nli",), shared=4,
    ),
    Table(
        "rajpurkar/squad",
        (("id", "string", KEY), ("title", "string", NAME), ("context", "string", TEXT),
         ("question", "string", PAIR), ("answers", "answers", ANSWERS)),
        lang="en", configs=("plain_text",), splits={"train": 60, "validation": 24},
    ),
    Table(
        "rajpurkar/squad_v2",
        (("id", "string", KEY), ("title", "string", NAME), ("context", "string", TEXT),
         ("question", "string", PAIR), ("answers", "answers", ANSWERS)),
        lang="en", configs=("squad_v2",), splits={"train": 60, "validation": 24}, unanswerable=2,
    ),
    Table(
        "stanfordnlp/sst2",
        (("idx", "int32", NUMBER), ("sentence", "string", TEXT),
         ("label", ("negative", "positive"), LABEL)),
        lang="en", hidden=("test",),
    ),
    Table(
        "stanfordnlp/imdb", (("text", "string", REVIEW), ("label", ("neg", "pos"), LABEL)),
        lang="en", configs=("plain_text",),
        splits={"train": 60, "test": 24, "unsupervised": 24}, hidden=("unsupervised",),
        ordered=True,
    ),
    Table(
        "fancyzhx/yelp_polarity", (("text", "string", TEXT), ("label", ("1", "2"), LABEL)),
        lang="en", configs=("plain_text",), splits={"train": 60, "test": 24},
    ),
    Table(
        "nyu-mll/glue",
        (("question1", "string", TEXT), ("question2", "string", PAIR),
         ("label", ("not_duplicate", "duplicate"), LABEL), ("idx", "int32", NUMBER)),
        lang="en", configs=("qqp",), hidden=("test",),
    ),
    Table(
        "nyu-mll/glue",
        (("premise", "string", TEXT), ("hypothesis", "string", PAIR),
         ("label", ("entailment", "neutral", "contradiction"), LABEL), ("idx", "int32", NUMBER)),
        lang="en", configs=("mnli",), classes=3,
        splits={"train": 60, "validation_matched": 24, "validation_mismatched": 24,
                "test_matched": 24, "test_mismatched": 24},
        hidden=("test_matched", "test_mismatched"),
    ),
    Table(
        "google/xquad",
        (("id", "string", KEY), ("context", "string", TEXT), ("question", "string", PAIR),
         ("answers", "answers", ANSWERS)),
        configs=tuple(f"xquad.{lang}" for lang in XQUAD), splits={"validation": 24},
    ),
)  # fmt: skip

FAULTS: dict[tuple[str, str, str], tuple[int, dict[str, Any]]] = {
    ("google-research-datasets/paws-x", "de", "test"): (3, {"sentence2": "NS"}),
    ("google-research-datasets/paws-x", "zh", "validation"): (5, {"sentence1": "NS"}),
    ("google-research-datasets/paws-x", "de", "validation"): (5, {"label": -1}),
    ("facebook/xnli", "zh", "test"): (4, {"hypothesis": "火车\b非常好"}),
    ("facebook/xnli", "hi", "test"): (4, {"hypothesis": "होटल\u200d बहुत\u200b अच्छी है"}),
    ("lansinuote/ChnSentiCorp", "default", "train"): (2, {"text": sentence("zh", 0)}),
    ("fancyzhx/yelp_polarity", "plain_text", "test"): (
        3,
        {"text": 'It was \\""far\\"".\\nNot good'},
    ),
    ("stanfordnlp/sst2", "default", "validation"): (2, {"sentence": "it 's far from good . "}),
    ("stanfordnlp/imdb", "plain_text", "test"): (1, {"text": "Far.<br /><br />Not good today."}),
    ("fancyzhx/ag_news", "default", "test"): (2, {"text": "The book #39;s far\\&lt;b&gt;today"}),
}
"""Rows as they are on the hub: untranslated, without a label, with control characters or broken
entities, repeated. By repository, configuration and split: the row's number
from 0, its columns.
"""


def write(root: Path) -> None:
    """Writes all data sets below a folder, as ORGANISATION/NAME."""
    cards: dict[Path, list[str]] = {}
    for table in TABLES:
        folder = root / table.name
        folder.mkdir(parents=True, exist_ok=True)
        for config in table.configs:
            for split in table.splits:
                _write_split(folder, table, config, split)
            cards.setdefault(folder, []).extend(_card(table, config))
    for folder, lines in cards.items():
        if lines:
            text = "\n".join(["---", "configs:", *lines, "---", ""])
            (folder / "README.md").write_text(text, "utf-8")


def _write_split(folder: Path, table: Table, config: str, split: str) -> None:
    rows = Dataset.from_list(_rows(table, config, split), features=_features(table))
    if table.layout == "jsonl":
        rows.to_json(str(folder / f"{'dev' if split == 'validation' else split}.jsonl"))
        return
    place = folder / config / f"{split}-00000-of-00001.parquet"
    if table.layout == "script":
        (folder / f"{folder.name}.py").touch()
        place = folder.with_name(f"{folder.name}@{SCRIPT}") / config / split / "0000.parquet"
    place.parent.mkdir(parents=True, exist_ok=True)
    rows.to_parquet(str(place))


def _card(table: Table, config: str) -> list[str]:
    """The lines of the card that describe a configuration; other layouts need none."""
    if table.layout != "parquet":
        return []
    files = [f"  - {{split: {split}, path: {config}/{split}-*}}" for split in table.splits]
    return [f"- config_name: {config}", "  data_files:", *files]


def _features(table: Table) -> Features:
    return Features({name: _feature(kind) for name, kind, _ in table.columns})


def _feature(kind: str | tuple[str, ...]) -> Any:
    if isinstance(kind, tuple):
        return ClassLabel(names=list(kind))
    if kind == "answers":
        return {"text": List(Value("string")), "answer_start": List(Value("int32"))}
    return List(Value("string")) if kind == "strings" else Value(kind)


def _rows(table: Table, config: str, split: str) -> list[dict[str, Any]]:
    half = next((place for place, name in enumerate(HALVES) if split.startswith(name)), len(HALVES))
    lang, start = table.lang or config.rpartition(".")[2], 1000 * half
    rows = [
        {name: _content(table, filler, lang, number, split) for name, _, filler in table.columns}
        for number in range(start, start + table.splits[split])
    ]
    at, changes = FAULTS.get((table.name, config, split), (0, {}))
    rows[at] |= changes
    return rows


def _content(table: Table, filler: str, lang: str, number: int, split: str) -> Any:
    first = number - number % table.shared
    place = number % 1000
    label = (
        place * table.classes // table.splits[split] if table.ordered else number % table.classes
    )
    label = -1 if split in table.hidden else label
    answered = not table.unanswerable or place % table.unanswerable == 0
    answer = [PHRASES[lang][0][first % 3]] if answered else []
    names = ("negative", "positive") if table.classes == 2 else tuple("01234")
    contents: dict[str, Any] = {
        TEXT: sentence(lang, first), PAIR: sentence(lang, number, 1), LABEL: label, NUMBER: number,
        ID: f"{lang}_{number:07}", NAME: names[label], TOPIC: first // table.shared % 6,
        KEYWORDS: sentence(lang, number).split(), EVIDENCE: [sentence(lang, first)],
        KEY: f"{number:024x}",
        REVIEW: f"{sentence(lang, first)} {' '.join(_rare_words(number))}",
        ANSWERS: {"text": answer, "answer_start": [0] * len(answer)},
    }  # fmt: skip
    return contents[filler]


def _rare_words(number: int) -> list[str]:
    """Six words of three letters, so that a split has hundreds of words."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    at = range(6 * number, 6 * number + 6)
    return [letters[i % 26] + letters[i // 26 % 26] + letters[i // 676 % 26] for i in at]
