"""Surrogates of models of made-up languages: numbers by hand, the analysis in a study."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from babelscope.analyses.surrogates.fits import SURROGATES, lines, shapley_weights
from babelscope.analyses.surrogates.headline import headline
from babelscope.analyses.surrogates.spec import Spec
from babelscope.analyses.surrogates.tables import Tables, _errors, parameters, summary, tables
from babelscope.data.spec import DataSpec, training_data
from babelscope.data.synthetic import LINEAR, language, read
from babelscope.errors import InputError
from babelscope.methods.coalitions import every
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.methods.surrogates import _constrained
from babelscope.reporting.build import report
from babelscope.reporting.papers.write import write_paper
from babelscope.store import open_store, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import run

SMALL = Spec(fitted=600, tested=60, shown=10, copies=[1, 4], lengths=[1, 6], exact=30)


def numbers(name: str, answers: Any) -> pd.DataFrame:
    found = list(lines(language(name), answers, SMALL, 0))
    return pd.DataFrame(found)


def test_a_sum_is_found_by_the_sum_and_a_slalom_by_the_slalom() -> None:
    words = language("linear")

    def added(texts: Any) -> np.ndarray:
        return np.array([words.value[np.array(text)].sum() for text in texts])

    errors = numbers("linear", added).query("part == 'error'").set_index("name")["y"]
    assert errors["linear"] < 1e-12 * errors["variance"]
    assert errors["SLALOM"] > 0.01 * errors["variance"]
    mixed = language("slalom:12")

    def mixture(texts: Any) -> np.ndarray:
        assert mixed.importance is not None
        return predict(counted(texts), mixed.importance, mixed.value)

    found = numbers("slalom:12", mixture)
    errors = found.query("part == 'error'").set_index("name")["y"]
    assert errors["SLALOM"] < 1e-4 * errors["linear"]
    exact = found[(found["part"] == "length") & (found["name"] == "exact")]["y"]
    assert exact.max() < 1e-12, "2T - 1 queries of an exact SLALOM"
    # Copies of one word: its value, however many
    best = found[
        (found["part"] == "repeated") & (found["name"] == mixed.words[mixed.value.argmax()])
    ]
    np.testing.assert_allclose(best["y"], mixed.value.max(), atol=1e-12)
    for part in ("value", "importance"):
        pairs = found[found["part"] == part]
        np.testing.assert_allclose(pairs["x"], pairs["y"], atol=0.1)


def test_the_mean_weight_of_a_copy_is_that_of_kernel_shap() -> None:
    """Of a sum the word's weight, 1.5 - 0, however often it occurs; of a SLALOM the difference of
    two values, over the copies. Of any model the mean of Kernel SHAP's weights, here of a network
    in which every place counts differently and places interact."""
    words = language("linear")
    perfect, the = words.words.index("perfect"), words.words.index("the")

    def added(texts: Any) -> np.ndarray:
        return np.array([words.value[np.array(text)].sum() for text in texts])

    def placed(texts: Any) -> np.ndarray:
        sums = [sum((at + 1) * (word == perfect) for at, word in enumerate(text)) for text in texts]
        return np.tanh(np.array(sums) / 7) + 0.2 * np.array([len(text) for text in texts])

    assert [line.y for line in shapley_weights(words, added, [1, 4])] == [1.5, 1.5]
    mixed = language("slalom:12")
    assert mixed.importance is not None
    found = list(
        shapley_weights(
            mixed, lambda texts: predict(counted(texts), mixed.importance, mixed.value), [1, 5]
        )
    )
    gap = mixed.value.max() - mixed.value[abs(mixed.value).argmin()]
    np.testing.assert_allclose([line.y for line in found], [gap, gap / 5], atol=1e-12)
    assert {line.name for line in found} == {mixed.words[mixed.value.argmax()]}
    n = 6
    sets = every(n)
    sets = np.concatenate((sets[[0, -1]], sets[1:-1]))  # the empty and the full one come first
    sizes = sets.sum(axis=1)
    kernel = [(n - 1) / (comb(n, k) * k * (n - k)) if 0 < k < n else 0.0 for k in sizes.tolist()]
    amounts = placed([[perfect if kept else the for kept in row] for row in sets])
    weights = _constrained(sets, amounts, np.array(kernel))
    assert np.ptp(weights) > 0.01, "places count differently"
    (line,) = shapley_weights(words, placed, [n])
    assert line.y == pytest.approx(weights.mean(), abs=1e-12)
    assert list(shapley_weights(words, placed, [])) == []


def test_numbers_of_copies_are_stored_where_they_are_named() -> None:
    """A study that does not name them keeps its cells: what determines them is as it was."""
    names = {"fitted", "tested", "shown", "copies", "lengths", "exact"}
    assert set(SMALL.identity()) == names
    more = SMALL.model_copy(update={"shapley_copies": [1, 2]})
    assert more.identity() == {**SMALL.identity(), "shapley_copies": [1, 2]}
    values = study()
    values["surrogates"]["shapley_copies"] = [0, 1]
    with pytest.raises(InputError, match="shapley_copies are numbers of words, from 1 on"):
        parse_study(values)


def table(rows: list[tuple[str, str, float, float, float, float]]) -> Tables:
    """Model, seed, variance, and the error of each surrogate."""
    listed = [
        {"model": model, "seed": seed, "task": "linear", "part": "error", "name": name, "y": value}
        for model, seed, *values in rows
        for name, value in zip(("variance", *SURROGATES), values)
    ]
    frame = pd.DataFrame(listed).assign(x=float("nan"), lang="en")
    return Tables(frame, _errors(frame))


def test_models_that_learnt_nothing_are_counted_apart() -> None:
    """Two seeds with errors .2 and .4: mean .3, standard error .1414 / 1.4142 = .1; a third seed
    whose variance is 1e-5 is constant."""
    found = table(
        [
            ("a", "0", 2.0, 0.2, 0.5, 0.1),
            ("a", "1", 2.0, 0.4, 0.5, 0.6),
            ("a", "2", 1e-5, 0.0, 0.0, 0.0),
        ]
    )
    linear = summary(found).set_index("surrogate").loc["linear"]
    assert linear["mse"] == pytest.approx(0.3)
    assert linear["standard_error"] == pytest.approx(0.1)
    assert (linear["seeds"], linear["constant"]) == (2, 1)
    assert found.errors["nearest"].tolist() == ["SLALOM", "linear", ""]
    answer = headline(found)
    assert answer.verdict == "partly"
    assert "nearer to 1 of 2 models" in answer.plain
    assert [each.value for each in answer.references] == [1, 2, 1]
    assert headline(table([("a", "0", 1e-5, 0, 0, 0)])).verdict == "undecided"
    (row,) = parameters(table([("a", "0", 1e-5, 0, 0, 0)])).itertuples()
    assert np.isnan(row.logits)
    assert row.seeds == 0


def test_made_up_languages() -> None:
    assert language("linear_table").words[8] == "bad"
    assert language("linear_table").value[4] == 0.6
    assert language("linear").value[4] == LINEAR["good"][0] == 0.7
    words = language("slalom:30").words
    assert len(set(words)) == 30
    assert all(word.isalpha() for word in words)
    assert len(language("slalom").words) == 200
    linear = language("linear")
    train, test = (read(linear, split, 5) for split in ("train", "test"))
    assert train != test
    assert read(linear, "train", 3) == train[:3]
    for name in ("slalom:1", "slalom:many", "lineal"):
        with pytest.raises(InputError, match="there is no made-up language"):
            language(name)
    with pytest.raises(InputError, match="have no split 'all'"):
        read(linear, "all", 3)
    with pytest.raises(ValueError, match="has no end"):
        DataSpec(synthetic="linear", examples=None)


def test_training_data_of_a_task() -> None:
    one = DataSpec(
        corpus="yelp-hat-all", train_hub="org/name", train_split="part", labels={"1": "a"}
    )
    other = training_data(one, 7)
    assert (other.hub, other.corpus, other.split, other.examples) == ("org/name", None, "part", 7)
    assert other.labels == {"1": "a"}
    assert training_data(DataSpec(builtin="topic", split="test")).split == "train"
    assert training_data(DataSpec(hub="a/b", train_sampled=True)).sampled
    assert training_data(DataSpec(file="x.csv", train_file="y.csv")).file == "y.csv"


def test_the_tasks_are_made_up(tmp_path: Path) -> None:
    values = study()
    values["tasks"] = [{"name": "topic", "data": {"builtin": "topic"}}]
    with pytest.raises(InputError, match="task 'topic' has no 'synthetic' data"):
        parse_study(values)


def study() -> dict[str, Any]:
    train = {"languages": ["en"], "architecture": "bert", "layers": 1, "width": 32,
             "vocabulary": 300, "examples": 64, "dev_examples": 10, "epochs": 1}  # fmt: skip
    return {
        "name": "made up",
        "tasks": [{"name": "linear", "data": {"synthetic": "linear", "examples": 10}}],
        "languages": ["en"],
        "models": [{"name": "bert-1", "train": train}],
        "seeds": [0, 1],
        "surrogates": SMALL.model_dump(),
    }


@pytest.mark.training
def test_in_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    asked = parse_study(study())
    first = run(asked, tmp_path / "store")
    assert (first.filled, first.failed) == (2, ())
    assert run(asked, tmp_path / "store").filled == 0
    store = open_store(tmp_path / "store")
    found = tables(store, read_study(store))
    assert found is not None
    assert set(found.rows["model"]) == {"bert-1"}, "both seeds under the name of the study"
    assert found.errors["seed"].tolist() == ["0", "1"]
    assert (summary(found)[["seeds", "constant"]].sum(axis=1) == 2).all()
    page = report(tmp_path / "store", tmp_path / "out").read_text("utf-8")
    assert 'id="surrogates"' in page
    written = {each.name: each for each in write_paper(store.path, "slalom", tmp_path / "paper")}
    for name in ("table-3", "table-6", "figure-3", "figure-4", "figure-9"):
        assert written[name].files, name
    weights = pd.read_csv(tmp_path / "paper" / "table-3.csv").set_index("word")
    assert weights.loc["perfect", "weight"] == weights.loc["perfect", "published"] == 1.5
    assert weights["frequency"].sum() == pytest.approx(1)


@pytest.mark.training
def test_a_network_without_attention_is_in_one_figure_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are in figure 6, beside those of the transformers; all other tables and figures are
    as without it."""
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    values = study() | {"seeds": [0]}
    values["surrogates"]["shapley_copies"] = [1, 3]
    dense = {key: value for key, value in values["models"][0]["train"].items() if key != "layers"}
    dense |= {"architecture": "fully-connected", "max_length": 8}
    both = values | {"models": [*values["models"], {"name": "fully-connected", "train": dense}]}
    papers = {}
    for name, listed in (("without", values), ("with", both)):
        outcome = run(parse_study(listed), tmp_path / f"{name}.store")
        assert outcome.failed == ()
        write_paper(outcome.store, "slalom", tmp_path / name)
        files = sorted((tmp_path / name).glob("*.csv"))
        papers[name] = {file.name: file.read_text("utf-8") for file in files}
    shown = pd.read_csv(tmp_path / "with" / "figure-6.csv")
    counts = shown["model"].value_counts().to_dict()
    assert counts == {"bert-1": 2, "fully-connected": 2, "true weight": 4}
    assert (shown.loc[shown["model"] == "true weight", "mean_weight"] == 1.5).all()
    changed = {name for name in papers["with"] if papers["with"][name] != papers["without"][name]}
    assert changed == {"figure-6.csv"}
    page = report(tmp_path / "with.store", tmp_path / "out").read_text("utf-8")
    assert "SHAP&#39;s mean weight of a copy" in page
    assert "mean weight of a copy" not in report(
        run(parse_study(study()), tmp_path / "plain").store, tmp_path / "plain-out"
    ).read_text("utf-8")
