"""Sources by name, tuning a reader of answers, and how often a model is right."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import BertForQuestionAnswering
from typer.testing import CliRunner

from babelscope import corpus
from babelscope.cli import app
from babelscope.data.formats.export import write
from babelscope.data.sources import rows
from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.targets import predicted
from babelscope.model.tasks import spans
from babelscope.stats.answers import normalised
from babelscope.training import small
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, check, finetune
from babelscope.training.recipes import RECIPES
from babelscope.types import Example
from conftest import tiny

LANGUAGES = ("en", "zh")
TRAIN = [row for lang in LANGUAGES for row in corpus.read("reading", lang, "train", 24)]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("reader")
    texts = [text for row in TRAIN for text in row.texts]
    small.make(
        folder / "base", "xlm-roberta", texts, ["a", "b"], layers=2, width=64, vocabulary=600
    )
    recipe = Recipe(learning_rate=2e-3, epochs=60, batch=8, weight_decay=0.0)
    return load(finetune(folder / "base", TRAIN, TRAIN, folder / "tuned", recipe))


def test_the_tokens_to_learn_are_those_of_the_gold_answer() -> None:
    """In characters: the first token starts no later than the answer and the token after it does,
    the last one ends no earlier and the token before it does. Of the windows of a long context,
    those without the whole answer have it at token 0.
    """
    tokenizer = tiny("xlm-roberta").tokenizer
    for row, example in zip(spans.training_rows(tokenizer, TRAIN, [], 512), TRAIN, strict=True):
        assert example.answer is not None
        start, end = example.answer
        first, last = row["start_positions"], row["end_positions"]
        offsets = tokenizer(*example.texts, return_offsets_mapping=True)["offset_mapping"]
        assert offsets[first][0] <= start < offsets[first][1]
        assert offsets[last][0] < end <= offsets[last][1]
    context = "the food was not good but the room was lovely"
    late = Example("late", ("the?", context), answer=(context.index("lovely"), len(context)))
    tokens = len(tokenizer(*late.texts)["input_ids"])
    (whole,) = spans.training_rows(tokenizer, [late], [], tokens)
    assert 0 < whole["start_positions"] <= whole["end_positions"] == tokens - 2
    width = whole["end_positions"] - whole["start_positions"] + 1
    first_window, *others = spans.training_rows(tokenizer, [late], [], tokens - width)
    assert (first_window["start_positions"], first_window["end_positions"]) == (0, 0)
    window = others[-1]
    answer = window["input_ids"][window["start_positions"] : window["end_positions"] + 1]
    assert tokenizer.decode(answer).strip() == "lovely"
    assert all(len(row["input_ids"]) <= tokens - width for row in (first_window, *others))


def test_a_long_context_is_read_in_windows() -> None:
    """1,500 tokens, twelve times what the model reads: the answer is the span with the highest sum
    of logits over all windows, which are computed here one by one.
    """
    base = tiny("bert")
    config = base.hf.config.from_dict(base.hf.config.to_dict() | {"id2label": {0: "a", 1: "b"}})
    torch.manual_seed(11)
    hf = BertForQuestionAnswering(config).double().eval()
    reader = load((hf, base.tokenizer))
    question = "was the food good ?"
    words = ["the", "food", "was", "not", "good", "but", "room", "lovely", "town", "old", "evening"]
    context = " ".join(words[number * number % 11] for number in range(1490))
    split = {"stride": reader.limit // 8, "return_overflowing_tokens": True}
    windows = reader.tokenizer(
        question, context, truncation="only_second", max_length=reader.limit,
        return_offsets_mapping=True, **split,
    )  # fmt: skip
    assert sum(map(len, windows["input_ids"])) > 1500
    assert len(windows["input_ids"]) > 11
    best = (-float("inf"), (0, 0))
    for at, ids in enumerate(windows["input_ids"]):
        types = windows["token_type_ids"][at]
        with torch.no_grad():
            output = reader.hf(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types]))
        inside = [place for place, side in enumerate(windows.sequence_ids(at)) if side == 1]
        for first in inside:
            for last in (place for place in inside if place >= first):
                score = float(output.start_logits[0, first] + output.end_logits[0, last])
                offsets = windows["offset_mapping"][at]
                best = max(best, (score, (offsets[first][0], offsets[last][1])))
    exact, overlap = evaluate(reader, [Example("long", (question, context), answer=best[1])])
    assert exact.estimate.mean == overlap.estimate.mean == 1


@pytest.mark.parametrize(
    ("text", "lang", "words"),
    [
        ("The Eiffel  Tower.", "en", ["eiffel", "tower"]),
        ("A « tour » d'Eiffel!", "fr", ["a", "tour", "deiffel"]),
        ("होटल।", "hi", ["होटल"]),
        ("an «apple»", "en", ["apple"]),
    ],
)
def test_answers_are_compared_as_in_squad(text: str, lang: str, words: list[str]) -> None:
    """Lower case, no punctuation of any script, no articles in English."""
    assert normalised(text, lang) == words


@pytest.mark.training
def test_a_reader_learns_its_examples(reader: Model) -> None:
    """Tuned and tested on the same questions it finds most answers: the tokens that it learns are
    those of the gold.
    """
    assert reader.task == "question-answering"
    for one in evaluate(reader, TRAIN):
        if one.lang == "en":
            assert one.estimate.mean > 0.8


@pytest.mark.training
def test_exact_match_and_f1(reader: Model) -> None:
    scores = evaluate(reader, TRAIN)
    assert [(one.lang, one.measure) for one in scores] == [
        (lang, name) for lang in LANGUAGES for name in ("exact_match", "f1")
    ]
    for lang in LANGUAGES:
        exact, overlap = (one.estimate.mean for one in scores if one.lang == lang)
        assert 0 <= exact <= overlap <= 1
    backwards = {
        (one.lang, one.measure): one.estimate.mean for one in evaluate(reader, TRAIN[::-1])
    }
    assert backwards == {(one.lang, one.measure): one.estimate.mean for one in scores}


@pytest.mark.parametrize(
    ("lang", "context", "gold", "answer", "f1"),
    [
        # Han characters one by one, Latin words as wholes: 2 of 2 and of 4 are shared
        ("zh", "(AFC) 冠军 是 丹佛野马队", "丹佛野马", "野马", 2 * 2 / (2 + 4)),
        ("zh", "由 NFL 球队 赢得", "NFL 球队", "NFL", 2 * 1 / (1 + 3)),
        # Thai has spaces between clauses only; these are 4 of 8 characters
        ("th", "อาหารอร่อยมาก แต่ห้องเล็ก", "ห้องเล็ก", "เล็ก", 2 * 4 / (4 + 8)),
        ("en", "Denver Broncos won", "Denver Broncos", "Broncos", 2 * 1 / (1 + 2)),
    ],
)
def test_words_of_scripts_without_spaces_are_characters(
    lang: str, context: str, gold: str, answer: str, f1: float
) -> None:
    start = context.index(gold)
    row = Example("1", ("?", context), lang, answer=(start, start + len(gold)))
    assert spans.evaluate(tiny("bert"), [(row, answer)])["f1"] == [pytest.approx(f1)]


def test_an_answer_has_at_most_so_many_tokens() -> None:
    """The best start and end are further apart than that: of the pairs that are allowed, those
    with one of the two tie, and the first is taken.
    """
    bert = tiny("bert")
    reader = load((BertForQuestionAnswering(bert.hf.config), bert.tokenizer))
    (encoded,) = encode(reader, [Example("1", ("the", "the " * 40), "en")])
    first = int((encoded.segment == encoded.segment.max()).argmax())
    output = torch.zeros(2, len(encoded.ids))
    output[0, first] = output[1, first + spans.LONGEST] = 1
    target = predicted(reader, encoded, output)
    assert (target.index, target.end) == (first, first)
    output[1, first + spans.LONGEST - 1] = 0.5
    target = predicted(reader, encoded, output)
    assert target.end - target.index == spans.LONGEST - 1


@pytest.mark.training
def test_f1_by_hand(reader: Model) -> None:
    """The gold answer is widened by one word: no answer is exact, and one that was has p = 1, r =
    1/2.
    """

    def single(row: Example) -> bool:
        """Whether its answer is one word with a blank behind it, and found."""
        assert row.answer is not None
        start, end = row.answer
        answer, behind = row.texts[1][start:end], row.texts[1][end : end + 1]
        return (
            row.lang == "en"
            and " " not in answer
            and behind == " "
            and row.texts[1][end:].split()[0] not in ("a", "an", "the")
            and evaluate(reader, [row])[0].estimate.mean == 1
        )

    row = next(filter(single, TRAIN))
    assert row.answer is not None
    start, end = row.answer
    wider = replace(row, answer=(start, row.texts[1].index(" ", end + 1)))
    exact, overlap = evaluate(reader, [wider])
    assert exact.estimate.mean == 0
    assert overlap.estimate.mean == pytest.approx(2 * 1 * 0.5 / 1.5)


@pytest.mark.training
def test_what_cannot_be_judged_is_refused(reader: Model) -> None:
    with pytest.raises(InputError, match="no answer to compare with"):
        evaluate(reader, [replace(TRAIN[0], answer=None)])
    with pytest.raises(InputError, match="needs a question, a context and an answer"):
        check(TRAIN, [replace(TRAIN[0], answer=None)])


def test_accuracy_is_counted() -> None:
    """Of examples that are labelled with what the model says, all are right; of the others none."""
    model = tiny("bert")
    texts = corpus.read("sentiment", "en", "test", 12)
    found = explain(model, [replace(row, label=None) for row in texts], ["random"])
    said = {one.id: str(one.label) for one in found}
    other = {name: next(label for label in model.labels if label != said[name]) for name in said}
    right = [replace(row, label=said[row.id]) for row in texts]
    wrong = [replace(row, label=other[row.id]) for row in texts]
    assert evaluate(model, right)[0].estimate.mean == 1
    assert evaluate(model, wrong)[0].estimate.mean == 0
    mixed = right[:3] + wrong[3:]
    assert evaluate(model, mixed)[0].estimate.mean == 0.25
    # A text that is listed three times under three groups is still one observation: the interval
    # stays that of the text.
    copied = [
        replace(row, id=f"{row.id}-{copy}", group=f"{row.group}-{copy}")
        for row in mixed
        for copy in range(3)
    ]
    single, triple = (evaluate(model, some)[0].estimate for some in (mixed, copied))
    assert (triple.mean, triple.low, triple.high) == pytest.approx(
        (single.mean, single.low, single.high), abs=1e-12
    )
    measures = [(score.measure, score.estimate.mean) for score in evaluate(model, right)]
    assert measures == [("accuracy", 1.0), ("macro_f1", 1.0)]
    with pytest.raises(InputError, match="no label to compare with"):
        evaluate(model, [replace(texts[0], label=None)])
    with pytest.raises(InputError):
        evaluate(model, [replace(texts[0], label="no such label")])


def test_sources_by_name(tmp_path: Path, shared: Path) -> None:
    assert rows("nli/hi/train/7") == corpus.read("nli", "hi", "train", 7)
    assert len(rows("topic/sw")) == 100
    file = tmp_path / "nli.jsonl"
    write(corpus.read("nli", "ar", "test", 5), file)
    assert rows(str(file)) == corpus.read("nli", "ar", "test", 5)
    assert len(rows("sib200/sw/dev", folder=shared / "data")) == 99
    assert len(rows("xnli/hi/test/20", folder=shared / "data" / "xnli")) == 20


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nli", "nli/LANG"),
        ("nli/hi/test/3/4", "nli/LANG"),
        ("nli/hi/test/many", "whole number"),
        ("nli/xx", "no language 'xx'"),
        ("nli/hi/validation", "no split"),
        ("nothing.jsonl", "no file"),
        ("sib200/sw/test", "sib200"),
    ],
)
def test_sources_that_are_not_there(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        rows(source)


@pytest.mark.training
def test_commands(reader: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    recipe, count = RECIPES["monolingual-tiny"]
    monkeypatch.setitem(RECIPES, "monolingual-tiny", (replace(recipe, steps=40), count))
    runner = CliRunner()
    folder = str(reader.hf.name_or_path)
    said = runner.invoke(
        app,
        [
            "evaluate",
            folder,
            "--input",
            "reading/en/train/10",
            "--input",
            "reading/zh/train/10",
            "--json",
        ],
    )
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert [(row["lang"], row["estimate"]["n"]) for row in found] == [
        ("en", 10),
        ("en", 10),
        ("zh", 10),
        ("zh", 10),
    ]
    table = runner.invoke(app, ["evaluate", folder, "--input", "reading/en/train/10"])
    assert "exact match" in table.stdout
    for output in ("one", "two"):
        made = runner.invoke(
            app,
            [
                "pretrain",
                "monolingual-tiny",
                "--lang",
                "en",
                "--output",
                str(tmp_path / output),
            ],
        )
        assert made.exit_code == 0, made.output
    assert (tmp_path / "one" / "model.safetensors").read_bytes() == (
        tmp_path / "two" / "model.safetensors"
    ).read_bytes()
    tuned = runner.invoke(
        app,
        ["finetune", str(tmp_path / "one"), "--train", "sentiment/en/train/40", "--dev",
         "sentiment/en/dev/10", "--epochs", "1",
         "--output", str(tmp_path / "tuned")],
    )  # fmt: skip
    assert tuned.exit_code == 0, tuned.output
    assert load(tmp_path / "tuned").labels == ("negative", "positive")
