"""Public corpora by name, from a folder: one row each.

Nothing is downloaded: the files are those that the corpus' authors publish, compressed or not, in a folder of the user's.
A new corpus is one row, and one function if its format is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from babelscope.data.corpora import pud, rationales, sib200, yelp_hat
from babelscope.data.corpora.tables import POLARITY, table
from babelscope.data.formats import conllu, dictionaries, squad
from babelscope.data.formats.alignments import Aligned
from babelscope.errors import InputError
from babelscope.types import Example

NLI = ("entailment", "neutral", "contradiction")
_SAME = {label: label for label in NLI}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A row of CORPORA: `read(file, lang, prefix)` reads the first of `files` that is there; the prefix starts every group."""

    name: str
    task: str
    summary: str
    licence: str
    source: str
    languages: tuple[str, ...]
    splits: tuple[str, ...]
    folder: str
    files: tuple[str, ...]
    """Below the folder, with {lang}, {code} and {split} to be put in; `.gz` may follow."""
    read: Callable[[Path, str, str], Iterator[Any]]
    labels: tuple[str, ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)
    """What the files call a language, where that is not its tag; either may be asked for."""
    yields: str = "examples"
    """Or "alignments" (read by `aligned`), or "pairs" of words (read by `dictionary`)."""
    notes: str = ""
    """Known faults of the set."""


def _tags(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ROWS = (
    Corpus(
        "xnli", "nli", "Inference between two sentences, translated by people", "CC BY-NC 4.0",
        "https://github.com/facebookresearch/XNLI", _tags("ar de en es fr hi ru sw th tr vi zh"), ("dev", "test"),
        "xnli", ("{split}-{lang}.tsv",), table(("premise", "hypothesis"), "label", _SAME), NLI,
        notes="Some Chinese texts hold the control character U+0008.",
    ),
    Corpus(
        "mnli-parallel", "nli", "MultiNLI training pairs, machine translated", "BSD-3-Clause; XNLI's part CC BY-NC 4.0",
        "https://github.com/salesforce/xnli_extension", _tags("ar de en es fr sw tr ur vi zh"), ("train",),
        "mnli-train-parallel", ("train5k-{lang}.tsv", "{split}-{lang}.tsv"),
        table(("premise", "hypo"), "label", {**_SAME, "contradictory": "contradiction"}), NLI,
        notes="The texts are tokenised: a blank stands before punctuation.",
    ),
    Corpus(
        "pawsx", "paraphrase", "Do two sentences of much the same words say the same?", "free for any purpose",
        "https://github.com/google-research-datasets/paws", _tags("de en es fr ja ko zh"), ("dev", "test"),
        "pawsx", ("{split}-{lang}.tsv",),
        table(("sentence1", "sentence2"), "label", {"0": "different", "1": "paraphrase"}, unlabelled=True),
        ("different", "paraphrase"),
        notes="Untranslated sentences read NS: `texts.usable` is False for them. Where the labels of translations "
        "disagree, test rows have none. Dev labels differ between languages in up to 32 rows. Some Korean texts hold "
        "control characters.",
    ),
    Corpus(
        "xquad", "reading", "Questions whose answer is a span of a paragraph", "CC BY-SA 4.0",
        "https://github.com/deepmind/xquad", _tags("ar de el en es hi ro ru th tr vi zh"), ("test",),
        "xquad", ("xquad.{lang}.json",), squad.read,
    ),
    Corpus(
        "sib200", "topic", "Topics of FLORES sentences in 205 languages", "Apache-2.0; the sentences CC BY-SA 4.0",
        "https://github.com/dadelani/sib-200", tuple(sib200.CODES), ("train", "dev", "test"),
        "sib200", ("{code}/{split}.tsv", "parallel-{split}.tsv"), sib200.read, sib200.LABELS, sib200.CODES,
    ),
    Corpus(
        "sst2", "sentiment", "Phrases and sentences of film reviews", "not stated", "https://nlp.stanford.edu/sentiment",
        ("en",), ("train", "dev", "test"), "sst2", ("{split}.tsv",), table(("sentence",), "label", POLARITY),
        ("negative", "positive"), notes="Train and dev are a cut of GLUE's train split, test is GLUE's dev split.",
    ),
    Corpus(
        "chnsenticorp", "sentiment", "Chinese reviews of hotels, books and laptops", "not stated",
        "https://github.com/dbiir/UER-py", ("zh",), ("train", "dev", "test"), "chnsenticorp", ("{split}.tsv",),
        table(("text_a",), "label", POLARITY), ("negative", "positive"),
    ),
    Corpus(
        "hindi-reviews", "sentiment", "Sentences of Hindi product reviews, four classes", "MIT",
        "https://github.com/midas-research/hindi-nli-data", ("hi",), ("train", "dev", "test"),
        "hindi-product-reviews", ("{split}.tsv",),
        table(("Sentence",), "Sentiment_Label", {each: each for each in ("positive", "neutral", "negative", "conflict")}),
        ("positive", "neutral", "negative", "conflict"), notes="The classes are skewed.",
    ),
    Corpus(
        "ud-pud", "syntax", "Parallel treebanks with gold trees", "CC BY-SA 3.0; Swedish 4.0",
        "https://universaldependencies.org", _tags("ar de en es fr hi id it ko pt ru sv th tr zh"), ("test",),
        "ud-pud", ("{lang}_pud-ud-{split}.conllu",), conllu.read,
    ),
    Corpus(
        "pud-alignments", "alignment", "Manual word alignments between the treebanks, English to others", "not stated",
        "https://github.com/macleginn/exploring-clmd-divergences", _tags("ar fr ja ko ru zh"), ("test",),
        "pud-word-alignments", ("en-{code}/alignment.json",), pud.read, codes={"ja": "jp"}, yields="alignments",
        notes="Only content words are aligned.",
    ),
    Corpus(
        "yelp-hat", "sentiment", "Reviews with the words that at least two readers marked", "not stated; Yelp's terms",
        "https://github.com/cansusen/Human-Attention-for-Text-Classification", ("en",),
        ("part1_50words", "part3", "part4", "part5", "part6_100words", "part7", "part8_200words"),
        "yelp-hat", ("processed_data/ham_{split}.csv",), yelp_hat.consensus, ("negative", "positive"),
    ),
    Corpus(
        "yelp-hat-readers", "sentiment", "The same reviews with each reader's own marks", "not stated; Yelp's terms",
        "https://github.com/cansusen/Human-Attention-for-Text-Classification", ("en",),
        ("part1_50words", "part3", "part4", "part5", "part6_100words", "part7", "part8_200words"),
        "yelp-hat", ("raw_data/ham_{split}.csv",), yelp_hat.annotators, ("negative", "positive"),
    ),
    Corpus(
        "eraser-movies", "sentiment", "Long film reviews with their evidence", "not stated",
        "https://www.eraserbenchmark.com", ("en",), ("train", "val", "test"), "eraser-movies", ("{split}.jsonl",),
        rationales.eraser, ("negative", "positive"), notes="The authors' train split repeats the val rows.",
    ),
    Corpus(
        "sentiment-rationales", "sentiment", "SST-2 sentences and translations with the words that people marked", "not stated",
        "https://github.com/oeberle/self_explanations_human_rationales", ("da", "en", "it"), ("test",),
        "multilingual-sentiment-rationales", ("{lang}.jsonl",), rationales.parallel, ("negative", "positive"),
        notes="In two Danish and two Italian sentences a token is not as in the sentence: it is no word there.",
    ),
    Corpus(
        "muse", "dictionary", "English words and translations", "CC BY-NC 4.0; the PanLex part not stated",
        "https://github.com/kodenii/CoSDA-ML", _tags("ar bg ca de el es fr hi it ja ru sv th tr ur vi zh"), ("all",),
        "bilingual-dictionaries", ("en-{lang}.txt",), dictionaries.muse, yields="pairs",
    ),
    Corpus(
        "xling", "dictionary", "English words by frequency and one translation each", "not stated",
        "https://github.com/codogogo/xling-eval", _tags("de fi fr hr it ru tr"), ("train", "test"),
        "bilingual-dictionaries", ("xling/{split}.freq.2k.en-{lang}.tsv", "xling/{split}.freq.5k.en-{lang}.tsv"),
        dictionaries.tabbed, yields="pairs",
    ),
    Corpus(
        "freedict", "dictionary", "English headwords and what their definitions offer as translations", "GPL-2+",
        "https://freedict.org", _tags("ar el es fr hi ru sw tr"), ("all",),
        "bilingual-dictionaries", ("freedict/eng-{code}.tsv",), dictionaries.freedict,
        codes=dict(zip(_tags("ar el es fr hi ru sw tr"), _tags("ara ell spa fra hin rus swh tur"))), yields="pairs",
        notes="Some definitions describe and do not translate, in Turkish many.",
    ),
)  # fmt: skip

CORPORA = {row.name: row for row in ROWS}
"""The public corpora, by name."""


def read(name: str, folder: str | Path, *, lang: str | None = None, split: str | None = None) -> Iterator[Example]:
    """The examples of a corpus, one by one. The folder is the corpus' own, or the one that holds it.

    `lang` may be left out where there is one language. `split` None is test where there is one, else all that are there, in
    order. Translations share their group. A fault in a file is raised with its line when that is reached.
    """
    return _read(name, folder, lang, split, "examples")


def aligned(name: str, folder: str | Path, *, lang: str) -> Iterator[Aligned]:
    """The pairs of translations of a corpus of word alignments, English and `lang`."""
    return _read(name, folder, lang, None, "alignments")


def dictionary(name: str, folder: str | Path, *, lang: str, split: str | None = None) -> Iterator[tuple[str, str]]:
    """The pairs of a dictionary from English to `lang`: a word and one translation."""
    return _read(name, folder, lang, split, "pairs")


def _read(name: str, folder: str | Path, lang: str | None, split: str | None, yields: str) -> Iterator[Any]:
    row = choose(name)
    if row.yields != yields:
        how = {"examples": "read", "alignments": "aligned", "pairs": "dictionary"}[row.yields]
        raise InputError(f"{name} holds {row.yields}, not {yields}: read it with corpora.{how}")
    tag = language(row, lang)
    if split is not None and split not in row.splits:
        raise InputError(f"{name} has no split {split!r}; there are: {', '.join(row.splits)}")
    splits = [split] if split else ["test"] if "test" in row.splits else list(row.splits)
    files = {each: _file(row, Path(folder), tag, each) for each in splits}
    there = {each: file for each, file in files.items() if file is not None}
    if not there:
        names = " or ".join(_names(row, tag, splits[0]))
        places = f"{Path(folder)} or {Path(folder) / row.folder}"
        raise InputError(f"{name}: there is no {names} (or these with .gz) in {places}; get it from {row.source}")
    return chain.from_iterable(row.read(file, tag, _prefix(row, each)) for each, file in there.items())


def choose(name: str) -> Corpus:
    """The row of that name."""
    if name not in CORPORA:
        raise InputError(f"there is no public corpus {name!r}; there are: {', '.join(CORPORA)}")
    return CORPORA[name]


def language(row: Corpus, lang: str | None) -> str:
    """The tag of a language that was asked for by its tag or by the files' own code."""
    if lang is None and len(row.languages) == 1:
        return row.languages[0]
    tag = next((tag for tag, code in row.codes.items() if code == lang), lang)
    if tag not in row.languages:
        known = ", ".join(row.languages)
        raise InputError(
            f"{row.name} has no language {lang!r}; there are: {known}" if lang else f"{row.name}: name one of {known}"
        )
    return str(tag)


def _file(row: Corpus, folder: Path, lang: str, split: str) -> Path | None:
    for base in (folder, folder / row.folder):
        for name in _names(row, lang, split):
            for place in (base / name, base / f"{name}.gz"):
                if place.is_file():
                    return place
    return None


def _names(row: Corpus, lang: str, split: str) -> list[str]:
    return [each.format(lang=lang, code=row.codes.get(lang, lang), split=split) for each in row.files]


def _prefix(row: Corpus, split: str) -> str:
    """What groups start with; the alignments share those of the treebanks."""
    return "ud-pud" if row.folder == "pud-word-alignments" else f"{row.name}-{split}" if len(row.splits) > 1 else row.name
