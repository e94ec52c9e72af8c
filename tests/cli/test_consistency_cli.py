"""The consistency of parallel sets as a person meets it: files in, a table out, and whatever is wrong with the files."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest
import torch
from babelscope.analyses.consistency.named_spaces import in_links
from test_cli import call, refused
from transformers import XLMRobertaForQuestionAnswering

from babelscope import corpus
from babelscope.analyses.consistency.links import linked
from babelscope.analyses.consistency.model_spaces import averaged, embedded, isolated, untrained
from babelscope.analyses.consistency.pairs import Compared, Pair, Settings, score
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.sensitivity import Scored, steadiness
from babelscope.analyses.consistency.tables import overall, sign_flips, summary
from babelscope.analyses.consistency.translations import explained, parallel
from babelscope.data.formats.alignments import alignment
from babelscope.data.formats.unit_scores import unit_scores
from babelscope.errors import Undefined
from babelscope.model.load import load
from babelscope.training.small import make
from babelscope.types import Estimate, Example, UnitScores
from conftest import TEXTS, tiny

WORDS = {"en": ["the", "cat", "sleeps", "dog", "runs", "far"], "es": ["el", "gato", "duerme", "perro", "corre", "lejos"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six words and their translations with almost equal vectors, and explanations that agree but for one example."""
    place = tmp_path_factory.mktemp("consistency")
    rng = np.random.default_rng(0)
    table = rng.normal(size=(6, 5))
    for lang, words in WORDS.items():
        rows = [f"{word} " + " ".join(f"{number:.5f}" for number in vector) for word, vector in zip(words, table)]
        rows.append("nan nan nan nan nan nan")
        (place / f"{lang}.vec").write_text("7 5\n" + "\n".join(rows) + "\n", "utf-8")
    write(place / "rows.jsonl", [row(lang, name) for lang in WORDS for name in ("a", "b", "c")])
    make(place / "model", "xlm-roberta", TEXTS, ["negative", "positive"], layers=2, width=64, vocabulary=300)
    return place


def row(lang: str, name: str, **changed: object) -> dict[str, object]:
    order = {"a": (0, 1, 2), "b": (0, 3, 4, 5), "c": (3, 4)}[name]
    units = [WORDS[lang][k] for k in order]
    found = {
        "id": name,
        "lang": lang,
        "units": units,
        "attributions": [float(k * k) for k in order],
        "prediction": "x",
        "gold": "x",
    }
    return {**found, **changed}


def write(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), "utf-8")
    return file


def common(folder: Path, file: str = "rows.jsonl") -> list[str]:
    return ["consistency", "--input", str(folder / file), "--source", "en",
            "--vectors", f"en={folder / 'en.vec'},es={folder / 'es.vec'}"]  # fmt: skip


def test_agreeing_explanations_reach_the_ceiling(folder: Path) -> None:
    told = json.loads(call(*common(folder), "--output", str(folder / "pairs.jsonl"), "--json").stdout)
    (line,) = told["languages"]
    assert line["lang"] == "es"
    assert line["c"] == {"mean": pytest.approx(1), "low": pytest.approx(1), "high": pytest.approx(1), "n": 3, "undefined": 0}
    assert line["kappa"]["mean"] == pytest.approx(1)
    assert line["c_rand"]["n"] == 0
    assert line["c_mis"]["mean"] < 1
    assert line["coverage"] == [1, 1]
    assert (told["overall"], told["overall_incl_self"]) == (pytest.approx(1), pytest.approx(1))
    pairs = [json.loads(each) for each in (folder / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert [each["id"] for each in pairs] == ["a", "b", "c"]
    for each in pairs:
        assert sum(each["earned_s"]) == pytest.approx(each["c"])
        assert each["same_prediction"] is each["correct_t"] is True


def test_the_table_never_shows_c_alone(folder: Path) -> None:
    shown = call(*common(folder), "--norm", "all", "--untrained", str(folder / "rows.jsonl")).stdout
    for name in ("C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift", "kappa", "norm signed", "norm softmax"):
        assert name in shown


def test_processes_and_the_order_of_rows_change_nothing(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]
    write(folder / "turned.jsonl", rows[::-1])
    alone = call(*common(folder), "--json").stdout
    assert call(*common(folder, "turned.jsonl"), "--json").stdout == alone
    assert call(*common(folder), "--workers", "2", "--json").stdout == alone


BAD = {
    "there is no text in es": [row("en", "a")],
    "there is no text in en": [row("es", "a")],
    "es: 3 units, but 2 attributions": [row("en", "a"), row("es", "a", attributions=[1.0, 2.0])],
    "es: 3 units, but 1 segments": [row("en", "a"), row("es", "a", segment=[0])],
    "source: all attributions are zero": [row("en", "a", attributions=[0.0, 0.0, 0.0]), row("es", "a")],
    "target: an attribution is not finite: nan": [row("en", "a"), row("es", "a", attributions=[1.0, None, 2.0])],
    "the vector of 'nan' (es) is not finite": [row("en", "a"), row("es", "a", units=["nan", "el", "gato"])],
    "there are no vectors for sw": [row("en", "a"), {**row("es", "a"), "lang": "sw"}],
    "a text has no unit": [row("en", "a"), row("es", "a", units=[], attributions=[])],
}


@pytest.mark.parametrize("reason", BAD)
def test_what_cannot_be_compared_is_a_row_with_its_reason(folder: Path, reason: str) -> None:
    write(folder / "bad.jsonl", [*BAD[reason], row("en", "b"), row("es", "b")])
    told = json.loads(call(*common(folder, "bad.jsonl"), "--output", str(folder / "bad-pairs.jsonl"), "--json").stdout)
    lines = {line["lang"]: line for line in told["languages"]}
    line = lines["sw" if "sw" in reason else "es"]
    assert line["reasons"][reason] == 1
    assert line["c"]["undefined"] >= 1
    if "sw" not in reason:
        assert (line["c"]["n"], line["c"]["mean"]) == (1, pytest.approx(1))
    bad = [json.loads(each) for each in (folder / "bad-pairs.jsonl").read_text("utf-8").splitlines()]
    assert next(each["c"] for each in bad if each["reason"] == reason) is None


def test_one_word_texts_have_c_but_no_kappa(folder: Path) -> None:
    rows = [row(lang, "a", units=[WORDS[lang][1]], attributions=[2.0]) for lang in WORDS]
    write(folder / "one.jsonl", rows)
    output = ("--output", str(folder / "one-pairs.jsonl"))
    (line,) = json.loads(call(*common(folder, "one.jsonl"), *output, "--json").stdout)["languages"]
    assert line["c"]["mean"] == pytest.approx(1)
    assert line["lift"]["mean"] == pytest.approx(0)
    assert line["kappa"]["mean"] is None
    why = "chance reaches the ceiling: there is nothing to permute"
    assert line["without_kappa"] == {why: 1}
    pair = json.loads((folder / "one-pairs.jsonl").read_text("utf-8"))
    assert (pair["kappa"], pair["reason"], pair["kappa_reason"]) == (None, "", why)
    assert f"1 without a kappa: {why}" in call(*common(folder, "one.jsonl")).stdout


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "line 1: broken JSON"),
        (['{"id": "a", "lang": "en", "units": "x"}'], "line 1, field units: is 'x'; expected a list of words"),
        (['{"id": "a", "lang": "en", "units": ["x"]}'], "line 1, field attributions: is missing"),
        (['{"id": "a", "units": ["x"], "attributions": [1]}'], "line 1, field lang: is missing"),
        ([json.dumps(row("en", "a"))] * 2, "line 2: a in en is in line 1 already"),
        ([], "there is no row"),
        ([json.dumps(row("es", "a"))], "no row is in the source language 'en'; there are: es"),
        ([json.dumps(row("en", "a"))], "there is nothing to compare it with"),
    ],
)
def test_broken_files_are_one_line(folder: Path, lines: list[str], message: str) -> None:
    (folder / "broken.jsonl").write_text("\n".join(lines), "utf-8")
    assert message in refused(*common(folder, "broken.jsonl"))


def test_misused_options_are_one_line(folder: Path) -> None:
    file, spaces = str(folder / "rows.jsonl"), ("--vectors", f"en={folder / 'en.vec'}")
    assert "either a MODEL or --input" in refused("consistency", *spaces)
    assert "words are compared in a space" in refused("consistency", "--input", file)
    assert "leave the other spaces out" in refused(
        "consistency", str(folder / "model"), *spaces, "--gold", "--task", "topic", "--target", "es"
    )
    assert "each once: LANG=MODEL" in refused("consistency", "a", "b", "--task", "topic")
    assert "not of the form LANG=FILE.vec" in refused("consistency", "--input", file, "--vectors", "en")
    assert "needs a parallel corpus" in refused("consistency", str(folder / "model"))
    assert "no norm 'l2'" in refused("consistency", "--input", file, *spaces, "--norm", "l2")


def test_a_model_is_explained_and_scored(folder: Path) -> None:
    told = json.loads(
        call("consistency", str(folder / "model"), "--task", "sentiment", "--target", "es,hi", "--count", "4", "--method",
             "input_x_gradient", "--random-model", "--allow-untrained-head", "--draws", "5", "--json").stdout
    )  # fmt: skip
    assert [line["lang"] for line in told["languages"]] == ["es", "hi"]
    for line in told["languages"]:
        assert line["c"]["n"] == line["c_rand"]["n"] == 4
        assert 0 <= line["c"]["mean"] <= line["ceil"]["mean"] <= 1


def test_models_of_each_language_are_a_matrix(folder: Path) -> None:
    """Sources x targets: each model's own language is the source, the languages of the others are its targets."""
    page = folder / "matrix.html"
    models = [f"{lang}={folder / 'model'}" for lang in ("en", "es", "hi")]
    common = ["--task", "topic", "--gold", "--count", "5", "--method", "input_x_gradient", "--allow-untrained-head",
              "--target-class", "own", "--draws", "3"]  # fmt: skip
    told = json.loads(call("consistency", *models, *common, "--output", str(page), "--json").stdout)
    assert [(one["source"], [line["lang"] for line in one["languages"]]) for one in told] == [
        ("en", ["es", "hi"]), ("es", ["en", "hi"]), ("hi", ["en", "es"]),
    ]  # fmt: skip
    cells = {(one["source"], line["lang"]): line for one in told for line in one["languages"]}
    for one, two in (("en", "es"), ("es", "hi")):
        assert cells[one, two]["c"]["mean"] == pytest.approx(cells[two, one]["c"]["mean"], abs=1e-9), "one model, own targets"
    assert told[0]["space"] == "gold links"
    assert page.read_text("utf-8").count('class="ribbon"') == 6 * 3
    assert '"heatmap"' in page.read_text("utf-8")
    assert "Mantel's r" in call("consistency", *models, *common).stdout


def test_several_spaces_and_norms_say_what_depends_on_the_choice(folder: Path) -> None:
    shown = call(*common(folder), "--encoder", str(folder / "model"), "--norm", "all").stdout
    assert "space: vec" in shown
    assert shown.count("norm abs") == 2, "one table per space"
    assert "over 12 choices" in shown


def test_start_and_end_of_an_answer(folder: Path) -> None:
    base = load(str(folder / "model"), allow_untrained_head=True)
    reader = XLMRobertaForQuestionAnswering(base.hf.config)
    reader.save_pretrained(folder / "reader")
    base.tokenizer.save_pretrained(folder / "reader")
    found = call("consistency", str(folder / "reader"), "--task", "reading", "--target", "es", "--count", "3",
                 "--edge", "start,end,both", "--target-class", "own", "--method", "input_x_gradient",
                 "--allow-untrained-head", "--json", "--draws", "0")  # fmt: skip
    told = json.loads(found.stdout)
    assert [one["edge"] for one in told] == ["start", "end", "both"]
    assert len({one["languages"][0]["c"]["mean"] for one in told}) == 3


def test_gold_links_of_pairs_lead_within_their_texts() -> None:
    one, two = (corpus.read("nli", lang, "test", 1)[0] for lang in ("en", "hi"))
    rows = [UnitScores(each.group, each.lang, tuple(f"{k}" for k in range(sum(map(len, each.concepts)))), (), ())
            for each in (one, two)]  # fmt: skip
    found = in_links([one, two])(*rows).similarity
    first = len(one.concepts[0]), len(two.concepts[0])
    assert found[: first[0], first[1] :].sum() == found[first[0] :, : first[1]].sum() == 0
    assert found[first[0] :, first[1] :].sum() == len(alignment(one, two)[1])
    assert found[: first[0], : first[1]].sum() == len(alignment(one, two)[0])
    with pytest.raises(Undefined, match="a text was cut"):
        in_links([one, two])(rows[0], replace(rows[1], units=rows[1].units[1:]))
    with pytest.raises(Undefined, match="no gold alignment"):
        in_links([one])(*rows)


def test_steadiness() -> None:
    def one(lifts: dict[str, tuple[float, float, float]]) -> Scored:
        lines = [summary([Pair("a", lang, Consistency())])[0] for lang in lifts]
        lines = [replace(line, means={**line.means, "lift": Estimate(*lifts[line.lang], 9, 0)}) for line in lines]
        return Scored("en", "s", Settings(), [], lines)

    found = steadiness(
        [one({"es": (0.2, 0.1, 0.3), "hi": (0.1, 0.05, 0.2)}), one({"es": (0.4, 0.3, 0.5), "hi": (0.1, -0.1, 0.2)})]
    )
    assert [(each.lang, each.lowest, each.highest, each.claim) for each in found] == [
        ("es", 0.2, 0.4, "above chance"), ("hi", 0.1, 0.1, "depends on the choice"),
    ]  # fmt: skip


def test_translations_are_explained_for_the_class_of_the_source() -> None:
    model = tiny("xlm-roberta")
    texts = parallel("sentiment", ["en", "es"], count=24)
    found = explained(model, texts, "en", method="input_x_gradient")
    own = explained(model, texts, "en", method="input_x_gradient", target="own")
    said = {one.id: one.prediction for one in found if one.lang == "en"}
    assert 0 < sum(said[one.id] != one.prediction for one in found) < 24, "some predictions must differ, or nothing is tested"
    for one, other in zip(
        sorted(found, key=lambda each: (each.lang, each.id)), sorted(own, key=lambda each: (each.lang, each.id))
    ):
        if one.lang == "en" or said[one.id] == one.prediction:
            np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)
        else:
            assert not np.allclose(one.scores, other.scores)


def test_spaces_of_a_model() -> None:
    model = tiny("xlm-roberta")
    needed = {"en": {"food", "good"}, "es": {"comida"}}
    table = model.embeddings.weight.detach().numpy()
    ids = model.tokenizer("food", add_special_tokens=False)["input_ids"]
    made = embedded(model, needed)
    expected = table[ids].mean(0)
    np.testing.assert_allclose(made.vectors["en"][made.places["en"]["food"]], expected / np.linalg.norm(expected), atol=1e-9)
    alone = isolated(model, needed)
    again = isolated(model, {"en": {"food"}})
    np.testing.assert_allclose(alone.vectors["en"][alone.places["en"]["food"]], again.vectors["en"][0], atol=1e-12)
    text = Example("1", ("good food Good",), "en")
    mean = averaged(model, {"en": [text]}, layer=0)
    assert set(mean.places["en"]) == {"good", "food"}
    random = untrained(model, 3)
    assert random.hf.config is model.hf.config
    assert not torch.equal(random.embeddings.weight, model.embeddings.weight)
    assert torch.equal(untrained(model, 3).embeddings.weight, random.embeddings.weight)


def scored(name: str, lang: str, scores: tuple[float, ...], said: str = "x") -> UnitScores:
    return UnitScores(name, lang, tuple(f"{lang}{k}" for k in range(len(scores))), scores, (0,) * len(scores), said, "x")


def test_summaries_split_by_prediction_and_count() -> None:
    """Two languages of four words each, linked one to one: agreement where the predictions agree, else the opposite."""
    rows = [scored(str(k), "en", (4.0, 2.0, 1.0, 0.0)) for k in range(6)]
    rows += [
        scored(str(k), "es", (4.0, 2.0, 1.0, 0.0) if k < 4 else (0.0, 1.0, 2.0, 4.0), "x" if k < 4 else "y") for k in range(6)
    ]

    def compare(one: UnitScores, two: UnitScores) -> Compared:
        return Compared(linked({(k, k) for k in range(4)}, (4, 4)), np.ones(4, bool), np.ones(4, bool))

    (line,) = summary(score(rows, "en", compare))
    assert line.same_prediction == pytest.approx(4 / 6)
    assert line.lift_same > 0 > line.lift_different
    assert line.means["c"].mean == pytest.approx((4 * 1 + 2 * 2 / 7) / 6), "2/7 of the weight meets itself when turned round"
    assert overall([line]) == (line.means["c"].mean, (line.means["c"].mean + 1) / 2)
    joint = score(rows, "en", compare, settings=Settings(norm="square", draws=0))
    assert all(isnan(pair.found.c_perm) for pair in joint)


def test_sign_flips() -> None:
    rng = np.random.default_rng(0)
    assert sign_flips(np.abs(rng.normal(size=30)), [str(k) for k in range(30)]) == 0.001
    assert isnan(sign_flips(np.array([nan]), ["a"]))
    found = [sign_flips(rng.normal(size=20), [str(k) for k in range(20)]) for _ in range(200)]
    assert 0.4 < np.mean(found) < 0.6
    assert sum(p <= 0.05 for p in found) < 25, "200 draws without an effect: 10 are expected below 0.05, 3 sd are 9"


def test_explanations_of_the_command_line_are_read(folder: Path) -> None:
    texts = corpus.sentiment("en", "test", 1)[0].texts[0]
    call("explain", str(folder / "model"), texts, "--method", "random", "--allow-untrained-head", "--output",
         str(folder / "own.jsonl"))  # fmt: skip
    (one,) = unit_scores(folder / "own.jsonl")
    assert len(one.units) == len(one.scores) == len(one.segment) > 3
