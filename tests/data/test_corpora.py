"""The public corpora, read from the real files: counts, labels, parallel groups, gold that fits
its text.
"""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections import Counter
from itertools import islice
from pathlib import Path

import conllu as peer
import pytest

from babelscope.data import corpora
from babelscope.data.corpora import (
    CORPORA,
    aligned,
    dictionary,
    freedict,
    read,
    yelp_hat,
)
from babelscope.data.formats import conllu, squad
from babelscope.data.formats.alignments import alignment, pharaoh
from babelscope.data.formats.labelled import labelled
from babelscope.data.formats.records import gold_faults
from babelscope.data.spans import locate, whitespace
from babelscope.data.texts import (
    usable,
)
from babelscope.errors import InputError
from babelscope.types import Example

POLAR = {"negative", "positive"}
NLI = {"entailment", "neutral", "contradiction"}

COUNTS = {
    "xnli": ({"dev": 2490, "test": 5010}, NLI),
    "mnli-parallel": ({"train": 5000}, NLI),
    "pawsx": ({"dev": 2000, "test": 2000}, {"different", "paraphrase"}),
    "xquad": ({"test": 1190}, {None}),
    "sst2": ({"train": 60614, "dev": 6735, "test": 872}, POLAR),
    "chnsenticorp": ({"train": 9600, "dev": 1200, "test": 1200}, POLAR),
    "hindi-reviews": ({"train": 4328, "dev": 541, "test": 542}, {*POLAR, "neutral", "conflict"}),
    "ud-pud": ({"test": 1000}, {None}),
    "yelp-hat": (
        {"part1_50words": 296, "part3": 980, "part4": 982, "part5": 983, "part6_100words": 429,
         "part7": 615,
         "part8_200words": 180},
        POLAR,
    ),
    "yelp-hat-readers": ({"part1_50words": 900, "part6_100words": 1314, "part7": 2096,
                          "part8_200words": 543}, POLAR),
    "yelp-hat-all": ({"part1_50words": 300, "part6_100words": 439, "part7": 625,
                      "part8_200words": 181}, POLAR),
    "eraser-movies": ({"train": 1600, "val": 200, "test": 199}, POLAR),
    "sentiment-rationales": ({"test": 250}, POLAR),
}  # fmt: skip
"""Rows per language and split, as counted when the sets were gathered (their README), and the
labels.
"""

MUSE = {
    "de": 101931, "es": 112580, "fr": 113286, "it": 103612, "ur": 86692, "sv": 82372, "ca": 78097,
    "vi": 77020, "tr": 67799, "bg": 61240, "el": 56070, "ru": 53186, "zh": 39334, "hi": 38221,
    "ja": 35353, "ar": 33663, "th": 24658,
}  # fmt: skip
ALIGNED = {"fr": 999, "zh": 999, "ja": 999, "ru": 995, "ar": 994, "ko": 884}
FREEDICT = {
    "ar": 87323,
    "tr": 36588,
    "hi": 25632,
    "el": 20775,
    "fr": 8792,
    "es": 5803,
    "ru": 1690,
    "sw": 1446,
}


@pytest.fixture(scope="session")
def data(shared: Path) -> Path:
    if not (shared / "data").is_dir():
        pytest.skip("the folder of public data has no data in it")
    return shared / "data"


def test_the_table_covers_what_is_counted_here() -> None:
    examples = {name for name, row in CORPORA.items() if row.yields == "examples"}
    assert examples == {
        *COUNTS,
        "sib200",
        "xcopa",
    }  # xcopa is not among the shared files: see test_xcopa
    for name, row in CORPORA.items():
        assert row.name == name
        assert row.licence
        assert row.source.startswith("https://")
        assert set(row.labels) == COUNTS[name][1] - {None} if name in COUNTS else True


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_every_language_has_its_rows_and_labels(data: Path, name: str) -> None:
    splits, labels = COUNTS[name]
    for split, count in splits.items():
        groups: list[str] | None = None
        for lang in CORPORA[name].languages:
            rows = list(read(name, data, lang=lang, split=split))
            assert len(rows) == len({row.id for row in rows}) == count
            assert {row.lang for row in rows} == {lang}
            found = {row.label for row in rows}
            assert found - {None} == labels - {None}
            assert (None in found) == (None in labels) or (name, split) == ("pawsx", "test")
            assert all(text.strip() for row in rows for text in row.texts)
            here = [row.group for row in rows]
            assert groups is None or here == groups or sorted(here) == sorted(groups), (
                "parallel rows share their groups"
            )
            groups = here
            for row in rows[:: max(1, count // 50)]:
                assert not list(gold_faults(row))


def test_xnli_and_mnli_are_parallel_down_to_the_label(data: Path) -> None:
    for name, split in (("xnli", "test"), ("xnli", "dev"), ("mnli-parallel", "train")):
        gold = [(row.group, row.label) for row in read(name, data, lang="en", split=split)]
        for lang in ("ar", "sw", "zh"):
            assert [
                (row.group, row.label) for row in read(name, data, lang=lang, split=split)
            ] == gold
    first = next(read("xnli", data / "xnli", lang="hi", split="test"))
    assert (first.id, first.group) == ("xnli-test-1-hi", "xnli-test-1")
    assert set(Counter(label for _, label in gold)) == NLI


def test_xnli_streams_in_bounded_memory(data: Path) -> None:
    rows = (
        row for lang in ("en", "hi", "zh") for row in read("xnli", data, lang=lang, split="test")
    )
    next(rows)  # imports and buffers
    tracemalloc.start()
    try:
        count = sum(1 for _ in islice(rows, 10_000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 10_000
    whole = sum(
        len(gzip.decompress((data / f"xnli/test-{lang}.tsv.gz").read_bytes()))
        for lang in ("en", "hi")
    )
    assert peak < 600_000 < whole


def test_pawsx_says_what_is_untranslated_and_unlabelled(data: Path) -> None:
    untranslated = {"de": 32, "en": 0, "es": 1, "fr": 14, "ja": 54, "ko": 28, "zh": 25}
    for lang, count in untranslated.items():
        rows = list(read("pawsx", data, lang=lang))
        assert sum(not usable(row) for row in rows) == count
        assert sum(row.label is None for row in rows) == (0 if lang in ("de", "zh") else 17)


@pytest.mark.slow
def test_sib200_in_all_205_languages(data: Path) -> None:
    languages = CORPORA["sib200"].languages
    assert len(set(languages)) == 205
    english = {
        split: list(read("sib200", data, lang="en", split=split))
        for split in ("train", "dev", "test")
    }
    assert {split: len(rows) for split, rows in english.items()} == {
        "train": 701,
        "dev": 99,
        "test": 204,
    }
    assert Counter(row.label for row in english["train"]) == {
        "science/technology": 176, "travel": 138, "politics": 102, "sports": 85, "health": 77,
        "entertainment": 65, "geography": 58,
    }  # fmt: skip
    gold = sorted((row.group, str(row.label)) for row in english["dev"])
    for lang in languages:
        assert (
            sorted(
                (row.group, str(row.label)) for row in read("sib200", data, lang=lang, split="dev")
            )
            == gold
        )


def test_sib200_by_either_code_from_either_file(data: Path, tmp_path: Path) -> None:
    (tmp_path / "parallel-test.tsv.gz").write_bytes(
        (data / "sib200/parallel-test.tsv.gz").read_bytes()
    )
    for lang, code in (
        ("en", "eng_Latn"),
        ("zh", "zho_Hans"),
        ("sw", "swh_Latn"),
        ("zh-Hant", "zho_Hant"),
    ):
        wide = list(read("sib200", tmp_path, lang=lang))
        assert wide == list(read("sib200", data, lang=code))
        assert {row.lang for row in wide} == {lang}


def test_xquad_answers_stand_in_their_context(data: Path) -> None:
    with gzip.open(data / "xquad/xquad.hi.json.gz") as file:
        answers = {
            f"xquad-{question['id']}": question["answers"][0]["text"]
            for article in json.load(file)["data"]
            for paragraph in article["paragraphs"]
            for question in paragraph["qas"]
        }
    rows = list(read("xquad", data, lang="hi"))
    assert {row.group: row.texts[1][slice(*row.answer or (0, 0))] for row in rows} == answers


@pytest.mark.parametrize("lang", ["en", "fr", "tr", "zh", "hi"])
def test_pud_words_are_the_forms_of_its_tokens(data: Path, lang: str) -> None:
    with gzip.open(data / f"ud-pud/{lang}_pud-ud-test.conllu.gz", "rt", encoding="utf-8") as file:
        gold = list(islice(peer.parse_incr(file), 300))
    merged = 0
    for row, tokens in zip(read("ud-pud", data, lang=lang), gold):
        inside = {
            each
            for token in tokens
            if "-" in str(token["id"])
            for each in range(token["id"][0], token["id"][2] + 1)
        }
        forms = [token["form"] for token in tokens if token["id"] not in inside and not (isinstance(token["id"], tuple) and token["id"][1] == ".")]  # fmt: skip
        merged += len(tokens) - len(forms)
        assert row.words is not None
        assert row.heads is not None
        assert row.group == f"ud-pud-{tokens.metadata['sent_id']}"
        assert [row.texts[0][start:end] for start, end in row.words[0]] == forms
        assert row.heads[0].count(0) == 1
        if not inside and len(forms) == len(tokens):
            assert list(row.heads[0]) == [token["head"] for token in tokens]
            assert (
                list(row.relations[0]) == [token["deprel"] for token in tokens]
                if row.relations
                else False
            )
    assert merged > 0 if lang in ("fr", "tr", "en") else merged == 0


@pytest.mark.slow
@pytest.mark.parametrize("lang", ALIGNED)
def test_pud_alignments_lead_from_word_to_word(data: Path, lang: str) -> None:
    pairs = list(aligned("pud-alignments", data, lang=lang))
    assert len(pairs) == ALIGNED[lang]
    for pair in pairs:
        assert pair.source.words is not None
        assert pair.target.words is not None
        assert (pair.source.lang, pair.target.lang) == ("en", lang)
        assert pair.source.group == pair.target.group
        assert all(
            start < len(pair.source.words[0]) and end < len(pair.target.words[0])
            for start, end in pair.links
        )
    assert sum(len(pair.links) for pair in pairs) > 5 * len(pairs)


@pytest.mark.slow
def test_pud_alignments_are_those_of_the_file(data: Path) -> None:
    """Chinese has no multiword tokens, and in this version English has none either: ids are places
    plus one.
    """
    with gzip.open(data / "pud-word-alignments/en-zh/alignment.json.gz") as file:
        gold = json.load(file)
    for pair, links in zip(aligned("pud-alignments", data, lang="zh"), gold):
        expected = {
            (int(one) - 1, int(two) - 1)
            for one, others in links.items()
            for two in others
            if "X" not in (one, two)
        }
        assert pair.links == expected


def test_yelp_rationales_are_the_votes(data: Path) -> None:
    file = data / "yelp-hat/processed_data/ham_part1_50words.csv.gz"
    shares = []
    for votes in (1, 2, 3):
        rows = list(yelp_hat.consensus(file, "en", "y", votes=votes))
        shares.append(sum(sum(row.rationale[0]) for row in rows if row.rationale))
        assert all(row.words == (whitespace(row.texts[0]),) for row in rows)
    assert shares[0] > shares[1] > shares[2] > 0
    assert [row.rationale for row in read("yelp-hat", data, split="part1_50words")] == [
        row.rationale for row in yelp_hat.consensus(file, "en", "y", votes=2)
    ]
    assert sum(1 for _ in read("yelp-hat", data)) == 4465, "without a test split, all parts"


def test_yelp_readers_add_up_to_the_votes(data: Path) -> None:
    """Maps of one review share its group; a word's votes are the readers who marked it."""
    votes: dict[str, list[int]] = {}
    for row in read("yelp-hat-readers", data, split="part1_50words"):
        assert row.rationale is not None
        old = votes.get(row.texts[0], [0] * len(row.rationale[0]))
        votes[row.texts[0]] = [count + mark for count, mark in zip(old, row.rationale[0])]
    file = data / "yelp-hat/processed_data/ham_part1_50words.csv.gz"
    alike = [
        [count >= 2 for count in votes[row.texts[0]]] == list(row.rationale[0])
        for row in yelp_hat.consensus(file, "en", "y")
        if row.rationale and row.texts[0] in votes
    ]
    assert len(alike) > 250
    assert sum(alike) / len(alike) > 0.9, "the authors left out a few readers"


def test_yelp_words_that_all_readers_marked(data: Path) -> None:
    """A word is marked if every one of its readers marked it: as many as the readers' own maps
    have in common."""
    common: dict[str, list[bool]] = {}
    for row in read("yelp-hat-readers", data, split="part1_50words"):
        assert row.rationale is not None
        review = row.group.rpartition("-")[2]
        before = common.get(review, [True] * len(row.rationale[0]))
        common[review] = [a and b for a, b in zip(before, row.rationale[0])]
    rows = list(read("yelp-hat-all", data, split="part1_50words"))
    marked = {row.group.rpartition("-")[2]: list(row.rationale[0]) for row in rows if row.rationale}
    assert marked == common
    assert sum(map(any, common.values())) == 296, "four reviews have no word in common"


def test_eraser_evidence_is_marked(data: Path) -> None:
    with gzip.open(data / "eraser-movies/val.jsonl.gz", "rt") as file:
        gold = [json.loads(line) for line in file]
    for row, expected in zip(read("eraser-movies", data, split="val"), gold):
        assert row.words is not None
        assert row.rationale is not None
        marked = [
            row.texts[0][start:end]
            for (start, end), mark in zip(row.words[0], row.rationale[0])
            if mark
        ]
        places = {
            at
            for parts in expected["evidences"]
            for part in parts
            for at in range(part["start_token"], part["end_token"])
        }
        assert len(marked) == len(places)
        assert all(
            " ".join(marked).count(part["text"].split()[0])
            for parts in expected["evidences"]
            for part in parts
        )


@pytest.mark.parametrize("lang", ["en", "da", "it"])
def test_sentiment_rationales_are_the_marked_tokens(data: Path, lang: str) -> None:
    with gzip.open(
        data / f"multilingual-sentiment-rationales/{lang}.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        gold = [json.loads(line) for line in file]
    rows = list(read("sentiment-rationales", data, lang=lang))
    assert Counter(row.label for row in rows) == {"positive": 125, "negative": 125}
    whole = 0
    for row, expected in zip(rows, gold):
        assert row.words is not None
        assert row.rationale is not None
        words = [row.texts[0][start:end] for start, end in row.words[0]]
        marked = [word for word, mark in zip(words, row.rationale[0]) if mark]
        assert marked == [
            token for token, mark in zip(expected["tokens"], expected["rationale"]) if mark
        ]
        whole += words == expected["tokens"]
    assert whole == 250 - {"en": 0, "da": 1, "it": 2}[lang]


@pytest.mark.slow
def test_dictionaries(data: Path) -> None:
    for lang, count in MUSE.items():
        pairs = list(dictionary("muse", data, lang=lang))
        assert len(pairs) == count
        assert all(word and translation and "\t" not in translation for word, translation in pairs)
    for lang in CORPORA["xling"].languages:
        assert sum(1 for _ in dictionary("xling", data, lang=lang, split="train")) == 5000
        assert sum(1 for _ in dictionary("xling", data, lang=lang, split="test")) == 2000


@pytest.mark.parametrize("lang", FREEDICT)
def test_freedict_entries_give_translations(data: Path, lang: str) -> None:
    code = CORPORA["freedict"].codes[lang]
    with gzip.open(
        data / f"bilingual-dictionaries/freedict/eng-{code}.tsv.gz", "rt", encoding="utf-8"
    ) as file:
        lines = [line.split("\t")[0].strip() for line in file]
    assert len(lines) == FREEDICT[lang]
    pairs = list(dictionary("freedict", data, lang=lang))
    assert len({word for word, _ in pairs}) > 0.97 * len({word for word in lines if word})
    assert len(pairs) >= 0.97 * len(lines)
    assert not any("~" in each or each != each.strip() or "," in each for _, each in pairs)


def test_definitions_are_cut_into_translations() -> None:
    cut = freedict.translations
    assert list(cut('1. एक~बड़ा / "It is big." / 2. मोटा, भारी (वस्तु)', "hi")) == [
        "एक बड़ा",
        "मोटा",
        "भारी",
    ]
    assert list(cut("1. one remark / 2. кот", "ru")) == ["кот"]
    assert list(cut("1. chat / 2. matou, minet.", "fr")) == ["chat", "matou", "minet"]


CONLLU = """# sent_id = s1
# text = Il parle du chat.
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\t_\t0\troot\t_\t_
2.1\tempty\t_\t_\t_\t_\t_\t_\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_a_translation_is_offered_once(tmp_path: Path) -> None:
    write(tmp_path, "freedict/eng-fra.tsv", "cat\t1. chat / 2. chat, minet\n\tsans mot\n")
    assert list(dictionary("freedict", tmp_path, lang="fr")) == [("cat", "chat"), ("cat", "minet")]


def test_a_multiword_token_is_one_word(tmp_path: Path) -> None:
    file = tmp_path / "fr.conllu"
    file.write_text(CONLLU, "utf-8")
    (row,) = conllu.read(file, "fr", "p")
    assert row.words is not None
    assert [row.texts[0][start:end] for start, end in row.words[0]] == [
        "Il",
        "parle",
        "du",
        "chat",
        ".",
    ]
    assert row.heads == ((2, 0, 4, 2, 2),)
    assert row.relations == (("nsubj", "root", "case", "obl", "punct"),)


def test_a_multiword_token_hangs_where_its_first_outward_part_does(tmp_path: Path) -> None:
    """`abc`: a hangs on b, b on x, c on the root r. Not a, which stays inside; not c, though it is
    nearer to the root.
    """
    heads = (("1", "a", 2), ("2", "b", 5), ("3", "c", 4), ("4", "r", 0), ("5", "x", 4))
    rows = [
        "1-3\tabc" + "\t_" * 8,
        *(f"{name}\t{form}\t_\t_\t_\t_\t{head}\tto-{head}\t_\t_" for name, form, head in heads),
    ]
    file = tmp_path / "x.conllu"
    file.write_text("# text = abc r x\n" + "\n".join(rows) + "\n\n", "utf-8")
    (row,) = conllu.read(file, "x", "p")
    assert row.heads == ((3, 0, 2),)
    assert row.relations == (("to-5", "to-0", "to-4"),)


def test_merging_keeps_a_tree(tmp_path: Path) -> None:
    """`ab` = a + b: a hangs on c, c hangs on b, b is the root. By its first word, `ab` would hang
    on its own dependent.
    """
    rows = ["1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_", "1\ta\t_\t_\t_\t_\t3\tdep\t_\t_",
            "2\tb\t_\t_\t_\t_\t0\troot\t_\t_",
            "3\tc\t_\t_\t_\t_\t2\tdep\t_\t_"]  # fmt: skip
    file = tmp_path / "x.conllu"
    file.write_text("# text = ab c\n" + "\n".join(rows) + "\n\n", "utf-8")
    (row,) = conllu.read(file, "x", "p")
    assert row.heads == ((0, 1),)


def test_squad_two_has_questions_without_answers(tmp_path: Path) -> None:
    qas = [
        {"id": "a", "question": "Who?", "answers": [{"text": "Ann", "answer_start": 0}]},
        {"id": "b", "question": "When?", "answers": [], "is_impossible": True},
    ]
    file = tmp_path / "s.json"
    file.write_text(
        json.dumps(
            {"version": "2.0", "data": [{"paragraphs": [{"context": "Ann sang.", "qas": qas}]}]}
        )
    )
    first, second = squad.read(file, "en", "s")
    assert (first.texts, first.answer) == (("Who?", "Ann sang."), (0, 3))
    assert second.answer is None
    qas[0]["answers"] = [{"text": "Ann", "answer_start": 4}]
    file.write_text(json.dumps({"data": [{"paragraphs": [{"context": "Ann sang.", "qas": qas}]}]}))
    with pytest.raises(
        InputError,
        match=r"s\.json, field data\[0\].paragraphs\[0\].qas\[0\].answers\[0\]: the context has "
        r"'san' at",
    ):
        list(squad.read(file, "en", "s"))


def test_pharaoh_links(tmp_path: Path) -> None:
    file = tmp_path / "links.txt"
    file.write_text("0-0 1-2 3p4\n\n2-1\n")
    assert list(pharaoh(file)) == [({(0, 0), (1, 2)}, {(3, 4)}), (set(), set()), ({(2, 1)}, set())]
    file.write_text("0-0\n1:2\n")
    with pytest.raises(InputError, match="line 2, field link 1: '1:2'; expected two word indices"):
        list(pharaoh(file))


def test_alignment_by_concepts_transposes() -> None:
    one = Example("a", ("the red car", "x"), concepts=(((), ("red",), ("car", "vehicle")), ((),)))
    two = Example("b", ("la voiture rouge", "y"), concepts=(((), ("car",), ("red",)), (("z",),)))
    assert alignment(one, two) == (frozenset({(1, 2), (2, 1)}), frozenset())
    assert alignment(two, one) == tuple(
        frozenset((b, a) for a, b in links) for links in alignment(one, two)
    )
    with pytest.raises(InputError, match="no concepts"):
        alignment(one, Example("c", ("z",)))


def test_builtin_translations_align() -> None:
    from babelscope import corpus

    for name in corpus.CORPORA:
        for one, two in zip(
            corpus.read(name, "en", "test", 10), corpus.read(name, "hi", "test", 10)
        ):
            there, back = alignment(one, two), alignment(two, one)
            assert back == tuple(frozenset((b, a) for a, b in links) for links in there)
            assert all(links for links in there)


def test_tokens_are_located_one_after_the_other() -> None:
    assert locate("a b. 'c'", ["a", "b", "'", "c"]) == ((0, 1), (2, 3), (5, 6), (6, 7)), (
        "one sign may be passed over"
    )
    assert locate("a sfoza di x", ["a", "sforza", "di", "x"]) == ((0, 1), None, (8, 10), (11, 12))
    assert locate("go far away to go", ["go", "to"]) == ((0, 2), None), (
        "a later occurrence is another one"
    )
    assert locate("a", [""]) == (None,)


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("file", "text", "call", "message"),
    [
        ("test-en.tsv", "premise\thypothesis\tlabel\na\tb\tmaybe\n", "xnli", "line 2, field label: "
                                                                             "'maybe'; expected one of"),
        ("test-en.tsv", "premise\thypothesis\tlabel\na\tb\n", "xnli", "line 2: 2 columns, but the "
                                                                      "header has 3"),
        ("test-en.tsv", "premise\thypothesis\tlabel\n\tb\tneutral\n", "xnli", "line 2, field "
                                                                              "premise: nothing"),
        ("test-en.tsv", "premise\thypo\tlabel\na\tb\tneutral\n", "xnli", "field hypothesis: the "
                                                                         "columns premise, hypo, label"),
        ("test-en.tsv", "sentence1\tsentence2\tlabel\na\tb\t2\n", "pawsx", "line 2, field label: '2'"),
        ("test.tsv", "sentence\tlabel\na\t\n", "sst2", "line 2, field label: ''"),
        ("eng_Latn/test.tsv", "index_id\tcategory\ttext\n1\tgossip\ta\n", "sib200", "line 2, field category: 'gossip'"),
        ("parallel-test.tsv", "index_id\tcategory\tdeu_Latn\n1\ttravel\ta\n", "sib200", "field eng_Latn"),
        ("xquad.en.json", "{", "xquad", "line 1: broken JSON"),
        ("en_pud-ud-test.conllu", CONLLU.replace("\t2\tnsubj", "\t9\tnsubj"), "ud-pud", "line 3, field HEAD: 9; expected at"),
        ("en_pud-ud-test.conllu", CONLLU.replace("Il parle", "Elle parle"), "ud-pud", "line 3, field FORM: 'Il', where"),
        ("en.jsonl", '{"id": 1, "sentence": "a b", "sst2_label": "1", "tokens": ["a"], '
                     '"rationale": [1, 0]}\n',
         "sentiment-rationales", "line 1, field rationale: 2 marks; expected one for each of the 1 "
                                 "tokens"),
        ("en.jsonl", '{"id": 1, "sentence": "a b", "sst2_label": "1", "tokens": ["z"], '
                     '"rationale": [1]}\n',
         "sentiment-rationales", "the marked token 'z'"),
        ("processed_data/ham_part3.csv", "label,text,human_attention\n0,a "
                                         "b,1\n", "yelp-hat", "field human_attention: 1 co"),
        ("raw_data/ham_part7.csv", "Input.label,Input.text,Answer.html_output\n0,a "
                                   "b,<span>a</span>\n", "yelp-hat-readers",
         "line 2, field Answer.html_output: 1 words; expected the 2 words"),
    ],
)  # fmt: skip
def test_faults_are_raised_with_their_place(
    tmp_path: Path, file: str, text: str, call: str, message: str
) -> None:
    written = write(tmp_path, file, text)
    with pytest.raises(InputError) as caught:
        list(read(call, tmp_path, lang="en"))
    assert str(caught.value).startswith(str(written))
    assert message in str(caught.value)


def test_a_fault_in_the_evidence_is_found(tmp_path: Path) -> None:
    write(tmp_path, "docs.jsonl", '{"docid": "a", "text": "x y z"}\n')
    part = {"docid": "a", "start_token": 1, "end_token": 2, "text": "z"}
    write(
        tmp_path,
        "test.jsonl",
        json.dumps({"annotation_id": "a", "classification": "POS", "evidences": [[part]]}),
    )
    with pytest.raises(
        InputError, match=r"test\.jsonl, line 1, field evidences: the tokens 1 to 2 are not"
    ):
        list(read("eraser-movies", tmp_path))
    write(
        tmp_path,
        "test.jsonl",
        json.dumps({"annotation_id": "a", "classification": "POS", "evidences": [3]}),
    )
    with pytest.raises(InputError, match="line 1, field evidences: not as in ERASER"):
        list(read("eraser-movies", tmp_path))
    (tmp_path / "docs.jsonl").unlink()
    with pytest.raises(InputError, match=r"needs docs\.jsonl"):
        list(read("eraser-movies", tmp_path))


def test_what_was_asked_wrongly_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no public corpus 'xmli'; there are: xnli"):
        read("xmli", tmp_path)
    with pytest.raises(InputError, match="xnli has no language 'ja'; there are: ar"):
        read("xnli", tmp_path, lang="ja")
    with pytest.raises(InputError, match="xnli: name one of ar"):
        read("xnli", tmp_path)
    with pytest.raises(InputError, match="no split 'train'; there are: dev, test"):
        read("xnli", tmp_path, lang="en", split="train")
    with pytest.raises(InputError, match=r"there is no test-en\.tsv .* get it from https"):
        read("xnli", tmp_path, lang="en")
    with pytest.raises(
        InputError, match=r"muse holds pairs, not examples: read it with corpora\.dictionary"
    ):
        read("muse", tmp_path, lang="de")
    with pytest.raises(
        InputError, match=r"xnli holds examples, not alignments: read it with corpora\.read"
    ):
        aligned("xnli", tmp_path, lang="de")


def test_adding_a_corpus_is_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = corpora.Corpus(
        "mine", "topic", "", "", "https://example.org", ("de",), ("test",), "mine",
        ("{split}.tsv",), labelled(("satz",), "thema", {"s": "sport"}),
    )  # fmt: skip
    monkeypatch.setitem(CORPORA, "mine", row)
    write(tmp_path, "mine/test.tsv", "satz\tthema\nEin Tor!\ts\n")
    assert [(one.texts, one.label, one.lang) for one in read("mine", tmp_path)] == [
        (("Ein Tor!",), "sport", "de")
    ]


XCOPA = (
    '{"premise": "Ese oli punase värvi.", "choice1": "Ma pesin.", "choice2": "Ma värvisin.", '
    '"question": "cause", '
    '"label": 1, "idx": 0, "changed": false}\n'
    '{"premise": "Sadas.", "choice1": "Maa sai märjaks.", "choice2": "Maa kuivas.", "question": '
    '"effect", '
    '"label": 0, "idx": 7}\n'
)


def test_xcopa(tmp_path: Path) -> None:
    write(tmp_path, "xcopa/data/et/test.et.jsonl", XCOPA)
    one, two = read("xcopa", tmp_path, lang="et")
    assert one == Example(
        "xcopa-test-0-et", ("Ese oli punase värvi. What was the cause of "
                            "this?", "Ma pesin.", "Ma värvisin."), "et",
        "xcopa-test-0", "1",
    )  # fmt: skip
    assert two.texts[0] == "Sadas. What happened as a result?"
    assert (two.group, two.label) == ("xcopa-test-7", "0")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"question": "cause"', '"question": "why"', "question"),
        ('"label": 1', '"label": 2', "label"),
        ('"choice1": "Ma pesin."', '"choice1": " "', "choice1"),
        ('"idx": 0', '"index": 0', "idx"),
    ],
)
def test_faults_of_xcopa_are_named_with_their_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    write(tmp_path, "xcopa/et/val.et.jsonl", XCOPA.replace(old, new))
    with pytest.raises(InputError, match=message):
        list(read("xcopa", tmp_path, lang="et", split="val"))
