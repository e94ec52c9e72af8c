"""Trade-offs from models to tables: cells are planned and stored, tables are read from the store
alone.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from babelscope.analyses.tradeoffs import readings as reading_module
from babelscope.analyses.tradeoffs.contents import read_records
from babelscope.analyses.tradeoffs.grid import grid
from babelscope.analyses.tradeoffs.probes import StoredTexts, class_probes
from babelscope.analyses.tradeoffs.readings import read_texts
from babelscope.analyses.tradeoffs.records import (
    Records,
    label_order,
    predictions,
    state_parts,
)
from babelscope.analyses.tradeoffs.section import section
from babelscope.analyses.tradeoffs.tables import tables, task_tables
from babelscope.errors import InputError
from babelscope.model.load import load
from babelscope.store import Store, cells, failures, open_store, read, read_study
from babelscope.study.config import parse_study
from babelscope.study.grid import blocks, planned, progress_of
from babelscope.study.run import run
from babelscope.training import recipes
from babelscope.training.pretrain import Pretraining
from babelscope.types import Example, FineTuning
from tradeoff_models import LABELS, LANGS, Texts, checkpoints, study_values, texts, write_texts

Folders = dict[str, str]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Two sources by two seeds, a base with its language model head, others with other classes."""
    names = dict.fromkeys(("base", "en-0", "en-1", "hi-0", "hi-1"), LABELS)
    others = {"hi-7": ("positive", "mixed", "negative"), "hi-8": ("a", "b", "c")}
    return checkpoints(tmp_path_factory.mktemp("tradeoffs"), names | others)


def records(store: Store) -> Records:
    found = read_records(store, read_study(store), "reviews")
    assert found is not None
    return found


def filled(values: dict[str, Any], folder: Path) -> Store:
    """The store of a study in which nothing failed."""
    outcome = run(parse_study(values), folder)
    assert outcome.failed == ()
    return open_store(folder)


@pytest.fixture(scope="module")
def values(folders: Folders, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return study_values(folders, write_texts(tmp_path_factory.mktemp("texts"), texts()))


@pytest.fixture(scope="module")
def store(values: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Store:
    return filled(values, tmp_path_factory.mktemp("store"))


def model_of(found: Records, name: str) -> FineTuning:
    return next(model for model in found.models if model.model == name)


def test_the_store_gives_back_what_was_read(store: Store, folders: Folders) -> None:
    found = records(store)
    model = model_of(found, "en-0")
    stored, rows = predictions(found, model, "test", "hi"), texts()["test"]["hi"]
    fresh = read_texts(load(folders["en-0"]), rows)
    np.testing.assert_allclose(stored.logits, [each.reading.logits for each in fresh], atol=1e-5)
    assert stored.groups == tuple(row.group for row in rows)
    assert [found.labels[at] for at in stored.gold] == [row.label for row in rows]
    shares = np.mean([np.reshape(each.reading.share, (2, 2)) for each in fresh], axis=0)
    np.testing.assert_allclose(stored.heads["share"], shares, atol=1e-6)
    (states,) = state_parts(found, model, "test", "hi", "mean")
    np.testing.assert_allclose(states[4].ravel(), fresh[4].states.mean, atol=1e-5)


def test_a_second_run_computes_nothing_and_what_was_planned_is_there(
    store: Store, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a text was read again")

    study = parse_study(values)
    stored = {tuple(sorted(row["place"].items())) for row in cells(store)}
    assert stored == {
        tuple(sorted(asdict(place).items()))
        for block in blocks(study)
        for place in planned(study, block)
    }
    assert all(row["done"] == row["planned"] for row in progress_of(study, store))
    monkeypatch.setattr("babelscope.analyses.tradeoffs.readings.read_texts", never)
    monkeypatch.setattr("babelscope.analyses.tradeoffs.drift.language_loss", never)
    again = run(study, store.path)
    assert (again.filled, again.found, again.failed) == (0, len(cells(store)), ())


def test_parts_change_no_prediction_and_other_models_change_no_cell(
    store: Store, values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = {**values, "models": values["models"][:1]}
    alone["tradeoffs"] = {**values["tradeoffs"], "stated": {"en-0": {"language": "en", "seed": 0}}}
    single = filled(alone, tmp_path / "single")
    # Dev and train texts are matched across the source languages of the study, of which there is
    # one less here.
    own = {key["sha256"] for key in cells(single) if key["identity"].get("split") in (None, "test")}
    assert own <= {key["sha256"] for key in cells(store)}
    monkeypatch.setattr(reading_module, "PART", 5)
    parted = filled(alone, tmp_path / "parts")
    found = records(parted)
    assert len(found.readings["en-0", "test", "en"]) > 1
    whole, parts = (
        predictions(each, model_of(each, "en-0"), "test", "en") for each in (records(store), found)
    )
    np.testing.assert_allclose(whole.logits, parts.logits, atol=1e-5)
    np.testing.assert_allclose(whole.heads["nats"], parts.heads["nats"], atol=1e-6)


def test_a_language_is_done_when_all_its_parts_are(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """12 texts in three parts of 4: while the second one fails the language is not done, and the
    next run computes only what is missing.
    """
    study = parse_study({**values, "models": values["models"][:1], "tradeoffs": {
        "stated": {"en-0": {"language": "en", "seed": 0}}}})  # fmt: skip
    monkeypatch.setattr(reading_module, "PART", 4)
    read, failing = reading_module.read_readable, [True]

    def interrupted(model: Any, part: Any, *, head: bool) -> Any:
        if failing[0] and part[0].lang == "en" and part[0].id == second:
            raise InputError("the second part cannot be read")
        return read(model, part, head=head)

    second = texts()["test"]["en"][4].id
    monkeypatch.setattr(reading_module, "read_readable", interrupted)
    first = run(study, tmp_path / "store")
    store = open_store(tmp_path / "store")
    (row,) = (row for row in progress_of(study, store) if row["model"] == "en-0")
    stored = [cell["place"]["what"] for cell in cells(store) if cell["place"]["lang"] == "en"]
    assert first.failed
    assert "readings/test/from text 0" in stored
    assert "readings/test" not in stored
    assert row["done"] == row["planned"] - 2  # readings and states of the English test texts
    failing[0] = False
    again = run(study, tmp_path / "store")
    (row,) = (row for row in progress_of(study, store) if row["model"] == "en-0")
    assert not again.failed
    assert again.filled == 4  # two parts, readings and states
    assert row["done"] == row["planned"]


def accuracies_match(found: Records, result: dict[str, Any]) -> None:
    accuracy = np.array(result["behaviour"]["accuracy"]["value"])
    for row, source in enumerate(result["sources"]):
        for place, target in enumerate(result["targets"]):
            models = [model for model in found.models if model.source == source]
            each = [predictions(found, model, "test", target) for model in models]
            expected = np.mean([(a.logits.argmax(1) == a.gold).mean() for a in each])
            assert accuracy[row, place] == pytest.approx(expected)


def test_the_tables_hold_together(store: Store) -> None:
    (result,) = (tables(store, read_study(store)) or {}).values()
    behaviour = result["behaviour"]
    accuracies_match(records(store), result)
    assert set(behaviour["references"]) == {"majority", "random_head", "probe"}
    gain, accuracy = (
        np.array(behaviour["gain"]["probe"]["value"]),
        np.array(behaviour["accuracy"]["value"]),
    )
    np.testing.assert_allclose(gain, accuracy - np.array(behaviour["references"]["probe"]["value"]))
    for row in result["errors"]:
        assert sum(map(sum, row["confusion"])) == result["texts"] * len(result["seeds"])
    assert {row["pooling"] for row in result["activations"]} == {"mean", "first", "last"}
    for row in result["activations"]:
        for kind in ("to_base", "between_sources", "between_seeds"):
            assert row["pooling"] != "mean" or row[kind][0][0] <= 1 + 1e-9
    assert {row["layer"] for row in result["probing"]} == {0, 1, 2}
    assert {(row["source"], row["target"]) for row in result["forgetting"]} == {
        (a, b) for a in LANGS for b in LANGS
    }
    assert set(result["drift"][0]["drift"]) == {"embeddings", "layer 0", "layer 1"}
    assert set(result["drift"][0]["language_loss"]) == set(LANGS)
    assert any("two seeds" in note for note in result["notes"])
    assert any("few" in note for note in result["notes"])
    flipped = {
        flip["group"] for row in result["errors"] for flip in row.get("flips", {}).get("listed", ())
    }
    assert set(result["flipped_texts"]) == flipped
    assert all(set(by_lang) == set(LANGS) for by_lang in result["flipped_texts"].values())


@pytest.mark.slow
def test_a_study_with_other_analyses_gives_the_same_numbers(
    store: Store, values: dict[str, Any], tmp_path: Path
) -> None:
    more = {**values, "methods": ["random"], "faithfulness": {"metrics": ["comprehensiveness"]}}
    both = filled(more, tmp_path / "both")
    assert tables(both, read_study(both)) == tables(store, read_study(store))


def test_tables_and_section_load_no_torch(store: Store) -> None:
    code = (
        "import sys\n"
        "from babelscope.analyses.tradeoffs.section import section\n"
        "from babelscope.analyses.tradeoffs.tables import tables\n"
        "from babelscope.store import open_store, read_study\n"
        f"store = open_store({str(store.path)!r}, create=False)\n"
        "assert section(tables(store, read_study(store))).answer\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_seed_one_language_and_an_absent_class_are_noted(
    folders: Folders, tmp_path: Path
) -> None:
    only = {"test": {"en": [row for row in texts()["test"]["en"] if row.label != "mixed"]}}
    asked = study_values(
        {name: folder for name, folder in folders.items() if name != "base"},
        write_texts(tmp_path / "texts", only), ("en-0", "hi-0"), languages=["en"],
    )  # fmt: skip
    found = records(filled(asked, tmp_path / "s"))
    result = task_tables(found)
    assert result is not None
    noted = " / ".join(result["notes"])
    for piece in (
        "one language only",
        "not tested in their own language: hi",
        "one seed",
        "no dev split",
        "in test: mixed",
    ):
        assert piece in noted
    assert np.isnan(result["errors"][0]["recall"][0])
    assert result["errors"][0]["absent"] == 1
    assert result["behaviour"]["harmed"] is None
    assert np.isnan(np.array(result["behaviour"]["preference"]["value"])[1]).all()


def apart(some: Texts) -> Texts:
    return {
        split: {
            "en": by_lang["en"][:9],
            "hi": [replace(row, group=f"other {row.group}") for row in by_lang["hi"]],
        }
        for split, by_lang in some.items()
    }


@pytest.mark.slow
def test_languages_that_share_no_text_are_compared_unpaired(
    folders: Folders, tmp_path: Path
) -> None:
    """Each language is judged on its own texts, unequal in number; what needs translations is left
    out, with a note.
    """
    data = write_texts(tmp_path / "texts", apart(texts()))
    held = filled(study_values(folders, data, block={"language_model": False}), tmp_path / "s")
    found = records(held)
    assert [len(each.groups) for each in found.texts["test"].values()] == [9, 12]
    listed = tables(held, read_study(held))
    assert listed is not None
    (result,) = listed.values()
    assert (result["texts"], result["parallel"], result["alignment"]) == (21, False, [])
    assert any(
        "en, hi share no test text: languages are compared unpaired" in note
        for note in result["notes"]
    )
    accuracies_match(found, result)
    for row in result["errors"]:
        assert "flips" not in row
        assert sum(map(sum, row["confusion"])) == {"en": 18, "hi": 24}[row["target"]]
    over = {(row["source"], row["target"]): row for row in result["confidence"]}
    beyond = over["en", "hi"]["over_beyond_own"]
    assert beyond["value"] == pytest.approx(
        over["en", "hi"]["over"]["value"] - over["en", "en"]["over"]["value"]
    )
    assert beyond["low"] < beyond["value"] < beyond["high"]
    for name in ("majority", "random_head", "probe"):
        assert np.isfinite(np.array(result["behaviour"]["gain"][name]["value"])).all()
    assert all("language_effect" not in row for row in result["attention"])
    assert {row["target"] for row in result["forgetting"]} == set(LANGS)
    assert all(row["language_loss"] == {} for row in result["drift"])
    body = section(listed).body
    assert "compared unpaired" in body
    assert "on translations" not in body
    assert "not compared with one another" in body


def test_classes_are_matched_by_name_or_refused() -> None:
    assert label_order(
        ("negative", "neutral", "positive"), ("POSITIVE", "neutral", "Negative")
    ) == [2, 1, 0]
    with pytest.raises(
        InputError, match="negative, neutral, positive, the study has good, bad, so"
    ):
        label_order(("negative", "neutral", "positive"), ("good", "bad", "so"))
    with pytest.raises(InputError, match="classes are matched by name"):
        label_order(("negative", "neutral", "positive"), ("negative", "positive"))


def test_permuted_classes_are_mapped(folders: Folders, tmp_path: Path) -> None:
    data = write_texts(tmp_path / "texts", {"test": texts()["test"]})
    stated = {"en-0": {"language": "en"}, "hi-7": {"language": "hi"}}
    found = records(
        filled(
            study_values(folders, data, ("en-0", "hi-7"), block={"stated": stated}), tmp_path / "s"
        )
    )
    own, rows = load(folders["hi-7"]), texts()["test"]["en"]
    order = [own.labels.index(name) for name in found.labels]
    assert order != [0, 1, 2]
    plain = np.array([each.reading.logits for each in read_texts(own, rows)])
    np.testing.assert_allclose(
        predictions(found, model_of(found, "hi-7"), "test", "en").logits, plain[:, order], atol=1e-5
    )


def test_models_that_cannot_be_compared_fail_alone_with_a_reason(
    folders: Folders, tmp_path: Path
) -> None:
    data = write_texts(tmp_path / "texts", {"test": texts()["test"]})
    stated = {
        "en-0": {"language": "en"}, "hi-0": {"language": "hi"}, "hi-8": {"language": "hi",
        "seed": 8}, "sw-0": {"language": "joint"},
    }  # fmt: skip
    asked = study_values(
        {**folders, "sw-0": folders["base"]}, data, tuple(stated), block={"stated": stated}
    )
    outcome = run(parse_study(asked), tmp_path / "s")
    reasons = {failure.cell["model"]: failure.reason for failure in outcome.failed}
    assert (
        "has the gold label 'mixed', hi-8 has the classes a, b, c; set id2label" in reasons["hi-8"]
    )
    assert "holds no trained weights for bert.pooler" in reasons["sw-0"]
    found = records(open_store(tmp_path / "s"))
    assert [model.model for model in found.models] == ["en-0", "hi-0"]
    assert grid(found).sources == ("en", "hi")


def test_gold_labels_and_data_that_cannot_be_used_fail_in_one_line(
    folders: Folders, tmp_path: Path
) -> None:
    odd = {
        lang: [replace(row, label="odd") for row in rows] for lang, rows in texts()["test"].items()
    }
    data = write_texts(tmp_path / "texts", {"test": odd})
    run(parse_study(study_values(folders, data, ("en-0",))), tmp_path / "s")
    (failed,) = failures(open_store(tmp_path / "s"))
    assert (
        "has the gold label 'odd', en-0 has the classes mixed, negative, positive" in failed.reason
    )
    without: dict[str, dict[str, list[Example]]] = {"test": {"en": odd["en"], "hi": []}}
    without["test"]["hi"] = [replace(row, label=None) for row in odd["hi"]]
    run(
        parse_study(study_values(folders, write_texts(tmp_path / "none", without), ("en-0",))),
        tmp_path / "t",
    )
    (failed,) = failures(open_store(tmp_path / "t"))
    assert "the test examples in hi have no gold label" in failed.reason


def trained(base: str) -> dict[str, Any]:
    tuned = {"base": base, "examples": 12, "dev_examples": 10, "epochs": 1}
    return {
        "name": "s",
        "tasks": [{"name": "reviews", "data": {"builtin": "sentiment", "examples": 6}}],
        "languages": ["en", "hi"],
        "models": [
            {"name": "a", "train": {"languages": ["en"], **tuned}},
            {"name": "b", "train": {"languages": ["en", "hi"], **tuned}},
        ],
        "tradeoffs": {},
    }


@pytest.mark.training
def test_a_study_trains_its_models_and_knows_their_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    binary = checkpoints(tmp_path / "models", {"base": ("negative", "positive")})
    found = records(filled(trained(binary["base"]), tmp_path / "s"))
    assert [(model.source, model.kind, model.labels) for model in found.models] == [
        ("en", "single", ("negative", "positive")), ("joint", "joint", ("negative", "positive")),
    ]  # fmt: skip
    assert found.base is not None
    assert {split: {lang: len(each.groups) for lang, each in by.items()} for split,
            by in found.texts.items()} == {
        "test": {"en": 6, "hi": 6}, "dev": {"en": 10}, "train": {"en": 12},
    }  # fmt: skip
    # Joint models are references: their predictions on test texts are all that is read of them.
    assert {where[1] for where in found.readings if where[0] == "b"} == {"test"}
    assert not any(where[0] == "b" for where in found.states)
    result = task_tables(found)
    assert result is not None
    assert set(result["behaviour"]["references"]) == {"majority", "random_head", "probe", "joint"}


@pytest.mark.training
def test_all_seeds_of_a_study_start_from_one_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a recipe pretrains is one checkpoint: frozen embeddings are those of the base in the
    models of every seed.
    """
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(
        recipes.RECIPES,
        "multilingual-tiny",
        (Pretraining(layers=1, width=32, vocabulary=600, steps=2), 5),
    )
    train = {
        "languages": ["en"],
        "base": "pretrained:multilingual-tiny",
        "examples": 12,
        "dev_examples": 10,
        "epochs": 2,
    }
    tuning = {**train, "batch": 4, "learning_rate": 1e-3, "freeze_embeddings": True}
    asked = {
        **trained(""),
        "languages": ["en"],
        "models": [{"name": "a", "train": tuning}],
        "seeds": [0, 1],
    }
    study = parse_study(asked)
    assert run(study, tmp_path / "s").failed == ()
    found = records(open_store(tmp_path / "s"))
    assert [(model.model, model.seed) for model in found.models] == [("a/0", 0), ("a/1", 1)]
    pretrained = recipes.pretrained("multilingual-tiny")
    embeddings = load(str(pretrained), allow_untrained_head=True).hf.get_input_embeddings().weight
    from babelscope.training.models import obtain

    one, two = (obtain(study.models[0], study.tasks[0].data, seed, "en") for seed in (0, 1))
    assert one.fingerprint != two.fingerprint
    for model in (one, two):
        assert torch.equal(model.hf.get_input_embeddings().weight, embeddings)
    result = task_tables(found)
    assert result is not None
    (row,) = result["drift"]
    assert 0 < row["drift"]["layer 0"] < 0.1


def test_probes_are_cells_and_tables_fit_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base has probes of every layer with controls, a fine-tuned model of the first seed has
    one of the last layer, and both have one of the language: 3 layers x 2 kinds of labels x 2
    languages, and 2 languages.
    """

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a table fitted a probe")

    monkeypatch.setattr("babelscope.analyses.tradeoffs.probing.probe", never)
    found = records(store)
    assert set(found.probes) == {
        (name, lang) for name in ("", "en-0", "hi-0") for lang in ("", "en", "hi")
    }
    sizes = {
        where: len(read(store, "probes", [key]).to_pylist()) for where, key in found.probes.items()
    }
    assert sizes == {
        (name, lang): 12 if (name, bool(lang)) == ("", True) else 2 for name, lang in found.probes
    }
    assert tables(store, read_study(store))


def test_the_probe_of_the_last_layer_is_the_same_with_and_without_the_other_layers(
    store: Store,
) -> None:
    found = records(store)
    stored = {
        (split, lang): StoredTexts(
            found.states["", split, lang], tuple(texts()[split][lang])
        )
        for split in texts()
        for lang in LANGS
        if split == "test" or lang == "en"
    }  # fmt: skip
    every = class_probes(store, stored, "en", every=True)
    last = class_probes(store, stored, "en", every=False)
    assert last == [row for row in every if (row.layer, row.labels) == (2, "gold")]


def test_a_probe_without_its_states_fails_alone_with_the_reason(store: Store) -> None:
    absent = {("train", "en"): StoredTexts(("0" * 64,), tuple(texts()["train"]["en"]))}
    with pytest.raises(InputError, match="the hidden states of all texts; those in en could not"):
        class_probes(store, absent, "en", every=False)
