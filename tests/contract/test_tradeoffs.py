"""The trade-off study from models to page: readings do not depend on company, the store is read back, bad input is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM
from typer.testing import CliRunner

from babelscope import corpus
from babelscope.analyses.tradeoffs import readings as reading_module
from babelscope.analyses.tradeoffs.attention import spread
from babelscope.analyses.tradeoffs.cells import (
    BASE,
    Dump,
    Tuned,
    answers,
    dump,
    parallel_corpus,
    state_parts,
    tuned_model,
)
from babelscope.analyses.tradeoffs.drift import language_loss, weight_drift
from babelscope.analyses.tradeoffs.outer_tables import grid
from babelscope.analyses.tradeoffs.readings import PART, label_order, parts, read_texts
from babelscope.analyses.tradeoffs.section import page
from babelscope.analyses.tradeoffs.tables import tables
from babelscope.cli import app
from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.files import (
    plain,
)
from babelscope.model import activations
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.store import open_store
from babelscope.study.config import parse_study
from babelscope.study.tradeoffs import prepared
from babelscope.training import recipes
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.pretrain import Pretraining
from babelscope.types import Example
from conftest import TEXTS, tiny

RUN = CliRunner()
LABELS = ("negative", "neutral", "positive")
LANGS = ("en", "hi")
MIXED = [Example(str(at), (text,), "en", label=LABELS[at % 3]) for at, text in enumerate(TEXTS)]


def numbers(one: Any) -> np.ndarray:
    reading, states = one
    parts_ = (
        reading.logits,
        reading.nats,
        reading.share,
        reading.content,
        reading.sink,
        states.mean,
        states.first,
        states.last,
    )
    return np.concatenate([np.asarray(part, dtype=float) for part in parts_])


def test_a_text_is_read_alike_in_any_company(model: Model) -> None:
    together = read_texts(model, MIXED, LABELS, {})
    budget = model.inference.budget
    for at, one in enumerate(MIXED):
        (alone,) = read_texts(model, [one], LABELS, {})
        np.testing.assert_allclose(numbers(alone), numbers(together[at]), atol=1e-6, rtol=1e-6)  # states are float32
        np.testing.assert_allclose(alone.reading.logits, together[at].reading.logits, atol=1e-9)
        np.testing.assert_allclose(alone.reading.share, together[at].reading.share, atol=1e-9)
    try:
        model.inference.budget = 40
        small = read_texts(model, MIXED[::-1], LABELS, {})[::-1]
    finally:
        model.inference.budget = budget
    for one, other in zip(together, small):
        np.testing.assert_allclose(one.reading.logits, other.reading.logits, atol=1e-9)
        np.testing.assert_allclose(one.reading.nats, other.reading.nats, atol=1e-9)


def test_readings_are_those_of_a_plain_call(bert: Model) -> None:
    row = encode(bert, MIXED[:1])[0]
    with torch.no_grad(), bert.visible_attention():
        output = bert.hf(input_ids=torch.from_numpy(row.ids)[None], output_attentions=True, output_hidden_states=True)
    ((reading, states),) = read_texts(bert, MIXED[:1], LABELS, {})
    np.testing.assert_allclose(reading.logits, output.logits[0].numpy(), atol=1e-9)
    inner = torch.stack(output.hidden_states)[:, 0].numpy()
    np.testing.assert_allclose(np.reshape(states.mean, (3, -1)), inner[:, 1:-1].mean(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.reshape(states.first, (3, -1)), inner[:, 0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.reshape(states.last, (3, -1)), inner[:, -1], rtol=1e-5, atol=1e-6)
    expected = spread(torch.stack(output.attentions)[:, 0].numpy(), ~row.content)
    np.testing.assert_allclose(np.reshape(reading.sink, (2, 2)), expected.sink, atol=1e-9)
    np.testing.assert_allclose(np.reshape(reading.share, (2, 2)), expected.share, atol=1e-9)


def test_a_decoder_is_measured_against_what_it_sees() -> None:
    found = read_texts(tiny("gpt2"), MIXED[:3], LABELS, {})
    assert all(0 < share < 1 for one in found for share in one.reading.share if share == share)


def test_classes_are_matched_by_name_or_refused(bert: Model) -> None:
    turned = ("positive", "negative", "neutral")
    one, other = (read_texts(bert, MIXED[:2], names, {}) for names in (LABELS, turned))
    for here, there in zip(one, other):
        np.testing.assert_array_equal(here.reading.logits[[2, 0, 1]], there.reading.logits)
        assert LABELS[here.reading.gold] == turned[there.reading.gold]
    assert label_order(bert, ("POSITIVE", "neutral", "Negative")) == [2, 1, 0]
    with pytest.raises(InputError, match="negative, neutral, positive, the study has good, bad, so"):
        label_order(bert, ("good", "bad", "so"))
    with pytest.raises(InputError, match="classes are matched by name"):
        label_order(bert, ("negative", "positive"))


def test_two_stacks_are_refused() -> None:
    model = tiny("bert")
    replaced = Model(model.hf, model.tokenizer, "two", model.task)
    replaced.__dict__["is_encoder_decoder"] = True
    with pytest.raises(UnsupportedModel, match="one stack of layers"):
        activations.activations(replaced, [], lambda row, inside: None)


def test_parts_are_whole_and_none_is_too_small() -> None:
    for many in (3, PART, PART + 2, 2 * PART + 4):
        rows = [replace(MIXED[0], id=str(at), group=str(at)) for at in range(many)]
        cut = list(parts(rows))
        assert [row.id for some in cut for row in some] == [row.id for row in rows]
        assert min(len(some) for some in cut) >= min(many, 4)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Tiny models as checkpoints: two sources by two seeds, a base with its language model head, others with other classes."""
    root = tmp_path_factory.mktemp("tradeoffs")
    found = {}
    start = tiny("bert", ("mixed", "negative", "positive"))
    for at, name in enumerate(("base", "en-0", "en-1", "hi-0", "hi-1", "turned", "other")):
        labels = {"turned": ("positive", "mixed", "negative"), "other": ("a", "b", "c")}.get(
            name, ("mixed", "negative", "positive")
        )
        model = tiny("bert", labels)
        torch.manual_seed(at)
        hf = type(model.hf)(model.hf.config).float()
        if name == "base":
            hf = AutoModelForMaskedLM.from_config(start.hf.config).float()
        hf.save_pretrained(root / name)
        start.tokenizer.save_pretrained(root / name)
        found[name] = str(root / name)
    return found


def texts(many: int = 12) -> dict[str, dict[str, list[Example]]]:
    labels = ("mixed", "negative", "positive")
    made: dict[str, dict[str, list[Example]]] = {}
    for split in ("test", "dev", "train"):
        made[split] = {}
        for lang in LANGS:
            rows = corpus.read("sentiment", lang, split, many)
            made[split][lang] = [replace(row, label=labels[at % 3]) for at, row in enumerate(rows)]
    return made


def models(folders: dict[str, str], names: tuple[str, ...] = ("en-0", "en-1", "hi-0", "hi-1")) -> list[Tuned]:
    tuned = [Tuned(name[:2], int(name[3:]), folders[name]) for name in names]
    return [*tuned, Tuned(BASE, 0, folders["base"], BASE)]


@pytest.fixture(scope="module")
def held(folders: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Dump:
    return dump(open_store(tmp_path_factory.mktemp("store")), models(folders), parallel_corpus(texts()))


def test_the_store_gives_back_what_was_read(held: Dump, folders: dict[str, str]) -> None:
    one = held.models[0]
    found = answers(held, one, "test", "hi")
    rows = held.corpus.texts["test"]["hi"]
    fresh = read_texts(load(one.folder), list(rows), held.labels, held.corpus.clusters)
    np.testing.assert_allclose(found.logits, [each.reading.logits for each in fresh], atol=1e-5)
    assert found.groups == tuple(row.group for row in rows)
    np.testing.assert_allclose(
        found.heads["share"], np.mean([np.reshape(each.reading.share, (2, 2)) for each in fresh], axis=0), atol=1e-6
    )
    (states,) = state_parts(held, one, "test", "hi", "mean")
    np.testing.assert_allclose(states[4].ravel(), fresh[4].states.mean, atol=1e-5)


def test_a_second_dump_reads_nothing_and_parts_change_nothing(
    held: Dump, folders: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a text was read again")

    with monkeypatch.context() as patched:
        patched.setattr("babelscope.analyses.tradeoffs.cells.read_texts", never)
        again = dump(held.store, models(folders), parallel_corpus(texts()))
    assert again.cells == held.cells
    monkeypatch.setattr(reading_module, "PART", 5)
    cut = dump(open_store(tmp_path / "s"), models(folders)[:1], parallel_corpus(texts()))
    assert len(cut.cells[cut.models[0], "test", "en"]) > 1
    one, other = (answers(each, each.models[0], "test", "en") for each in (held, cut))
    np.testing.assert_allclose(one.logits, other.logits, atol=1e-5)
    np.testing.assert_allclose(one.heads["nats"], other.heads["nats"], atol=1e-6)


def test_the_tables_hold_together(held: Dump) -> None:
    found = tables(held)
    behaviour = found["behaviour"]
    given = grid(held)
    accuracy = np.array(behaviour["accuracy"]["value"])
    for row, source in enumerate(given.sources):
        for place, target in enumerate(given.targets):
            mine = [answers(held, one, "test", target) for one in held.models if one.source == source]
            assert accuracy[row, place] == pytest.approx(np.mean([(a.logits.argmax(1) == a.gold).mean() for a in mine]))
    assert set(behaviour["references"]) == {"majority", "random_head", "probe"}
    gain = np.array(behaviour["gain"]["probe"]["value"])
    np.testing.assert_allclose(gain, accuracy - np.array(behaviour["references"]["probe"]["value"]))
    for row in found["errors"]:
        assert sum(map(sum, row["confusion"])) == found["texts"] * len(found["seeds"])
    assert {row["pooling"] for row in found["activations"]} == {"mean", "first", "last"}
    for row in found["activations"]:
        for kind in ("to_base", "between_sources", "between_seeds"):
            assert row["pooling"] != "mean" or row[kind][0][0] <= 1 + 1e-9
    assert {row["layer"] for row in found["probing"]} == {0, 1, 2}
    assert {(row["source"], row["target"]) for row in found["forgetting"]} == {(a, b) for a in LANGS for b in LANGS}
    assert set(found["drift"][0]["drift"]) == {"embeddings", "layer 0", "layer 1"}
    assert set(found["drift"][0]["language_loss"]) == set(LANGS)
    assert any("two seeds" in note for note in found["notes"])
    assert any("few" in note for note in found["notes"])


def test_one_seed_one_language_and_an_absent_class_are_said(folders: dict[str, str], tmp_path: Path) -> None:
    some = texts()
    only = {"test": {"en": [row for row in some["test"]["en"] if row.label != "mixed"]}}
    found = tables(
        dump(open_store(tmp_path / "s"), models(folders, ("en-0", "hi-0")), parallel_corpus(only)), language_model=False
    )
    said = " / ".join(found["notes"])
    for piece in ("one language only", "not tested in their own language: hi", "one seed", "no dev split", "in test: mixed"):
        assert piece in said
    assert np.isnan(found["errors"][0]["recall"][0])
    assert found["errors"][0]["absent"] == 1
    assert found["behaviour"]["harmed"] is None
    assert np.isnan(np.array(found["behaviour"]["preference"]["value"])[1]).all()


def test_languages_are_cut_to_what_they_share(folders: dict[str, str]) -> None:
    some = texts()
    some["test"]["hi"] = some["test"]["hi"][3:]
    some["test"]["en"][-1] = replace(some["test"]["en"][-1], label=None)
    made = parallel_corpus(some)
    assert len(made.texts["test"]["en"]) == len(made.texts["test"]["hi"]) == 8
    assert [row.group for row in made.texts["test"]["en"]] == [row.group for row in made.texts["test"]["hi"]]
    assert "en, test: 3 examples that other languages lack were left out" in made.notes
    broken = replace(some["test"]["hi"][0], texts=("a\bb",))
    cut = parallel_corpus({"test": {"en": some["test"]["en"], "hi": [broken, *some["test"]["hi"][1:]]}})
    assert "hi, test: 1 examples with an empty text or control characters were left out" in cut.notes
    assert broken.group not in {row.group for rows in cut.texts["test"].values() for row in rows}
    assert "en, test: 1 examples without a gold label were left out" in made.notes
    without = {"test": {"en": some["test"]["en"], "hi": [replace(row, label=None) for row in some["test"]["hi"]]}}
    with pytest.raises(InputError, match="test examples in hi have no gold label"):
        parallel_corpus(without)


def test_languages_that_share_no_text_are_compared_unpaired(folders: dict[str, str], tmp_path: Path) -> None:
    """Each language is judged on its own texts, unequal in number; what needs translations is left out, and said to be."""
    some = texts()
    apart = {
        split: {"en": by_lang["en"][:9], "hi": [replace(row, group=f"other {row.group}") for row in by_lang["hi"]]}
        for split, by_lang in some.items()
    }
    given = parallel_corpus(apart)
    assert not given.parallel
    assert [len(rows) for rows in given.texts["test"].values()] == [9, 12]
    assert any("en, hi share no test text: languages are compared unpaired" in note for note in given.notes)
    held = dump(open_store(tmp_path / "s"), models(folders), given)
    found = tables(held, language_model=False)
    assert (found["texts"], found["parallel"], found["alignment"]) == (21, False, [])
    accuracy = np.array(found["behaviour"]["accuracy"]["value"])
    for row, source in enumerate(found["sources"]):
        for place, target in enumerate(found["targets"]):
            mine = [answers(held, one, "test", target) for one in held.models if one.source == source]
            assert accuracy[row, place] == pytest.approx(np.mean([(a.logits.argmax(1) == a.gold).mean() for a in mine]))
    for row in found["errors"]:
        assert "flips" not in row
        assert sum(map(sum, row["confusion"])) == {"en": 18, "hi": 24}[row["target"]]
    over = {(row["source"], row["target"]): row for row in found["confidence"]}
    beyond = over["en", "hi"]["over_beyond_own"]
    assert beyond["value"] == pytest.approx(over["en", "hi"]["over"]["value"] - over["en", "en"]["over"]["value"])
    assert beyond["low"] < beyond["value"] < beyond["high"]
    for name in ("majority", "random_head", "probe"):
        assert np.isfinite(np.array(found["behaviour"]["gain"][name]["value"])).all()
    assert all("language_effect" not in row for row in found["attention"])
    assert {row["target"] for row in found["forgetting"]} == set(LANGS)
    drawn = page(plain(found), {})
    assert "compared unpaired" in drawn
    assert "on translations" not in drawn
    assert "not compared with one another" in drawn


def test_rows_of_one_premise_are_one_cluster() -> None:
    rows = [Example(f"p{at}", (f"premise {at // 3}", f"hypothesis {at}"), "en", label="a") for at in range(9)]
    assert len(set(parallel_corpus({"test": {"en": rows}}).clusters.values())) == 3
    alone = [Example(f"p{at}", ("the same text",), "en", label="a") for at in range(9)]
    assert len(set(parallel_corpus({"test": {"en": alone}}).clusters.values())) == 9, "single texts are their own"


def test_turned_classes_are_mapped_and_other_ones_refused(folders: dict[str, str], tmp_path: Path) -> None:
    given, place = parallel_corpus({"test": texts()["test"]}), open_store(tmp_path / "s")
    first, turned = Tuned("en", 0, folders["en-0"]), Tuned("hi", 0, folders["turned"])
    found = dump(place, [first, turned], given)
    own = load(folders["turned"])
    rows = list(given.texts["test"]["en"])
    plain = np.array([each.reading.logits for each in read_texts(own, rows, own.labels, given.clusters)])
    order = [own.labels.index(name) for name in found.labels]
    np.testing.assert_allclose(answers(found, turned, "test", "en").logits, plain[:, order], atol=1e-5)
    with pytest.raises(InputError, match="has the classes a, b, c, the study has mixed, negative, positive"):
        dump(place, [first, Tuned("hi", 0, folders["other"])], given)
    strange = {"test": {lang: [replace(row, label="odd") for row in rows_] for lang, rows_ in given.texts["test"].items()}}
    with pytest.raises(InputError, match="has the gold label 'odd', the models know mixed, negative, positive"):
        dump(place, [first], parallel_corpus(strange))
    with pytest.raises(UntrainedHead):
        dump(place, [Tuned("en", 0, folders["base"])], given)


def test_drift_and_masked_loss(folders: dict[str, str]) -> None:
    one = load(folders["en-0"])
    assert all(each.relative == 0 for each in weight_drift(one, one))
    moved = load(folders["en-0"])
    with torch.no_grad():
        for weight in moved.hf.base_model.parameters():
            weight.mul_(1.25)
    assert [each.relative for each in weight_drift(one, moved)] == pytest.approx([0.25] * 3, rel=1e-5)
    assert [each.part for each in weight_drift(one, moved)] == ["embeddings", "layer 0", "layer 1"]
    rows = texts()["test"]["hi"]
    before = language_loss(folders["base"], None, rows)
    base = load(folders["base"], task="text-classification", allow_untrained_head=True)
    np.testing.assert_allclose(language_loss(folders["base"], base, rows), before, atol=1e-5)
    changed = language_loss(folders["base"], one, rows)
    assert np.abs(np.array(changed) - before).max() > 1e-3
    np.testing.assert_allclose(language_loss(folders["base"], one, rows[::-1])[::-1], changed, atol=1e-5)
    with pytest.raises(UntrainedHead, match="no language model head"):
        language_loss(folders["en-0"], None, rows)


def test_a_decoders_loss_is_per_byte_of_what_was_read(tmp_path: Path) -> None:
    start = tiny("gpt2")
    torch.manual_seed(5)
    writer = AutoModelForCausalLM.from_config(start.hf.config).float().eval()
    with torch.no_grad():
        for weight in writer.parameters():
            weight.normal_(0, 0.2)
    writer.save_pretrained(tmp_path / "base")
    start.tokenizer.save_pretrained(tmp_path / "base")
    rows = [row for lang in ("en", "hi") for row in texts()["test"][lang]]
    found = language_loss(str(tmp_path / "base"), None, rows)
    for row, mine in zip(rows, found):
        cut = start.tokenizer(row.texts[0], truncation=True, return_offsets_mapping=True)
        ids, read = torch.tensor([cut["input_ids"]]), row.texts[0][: cut["offset_mapping"][-1][1]]
        with torch.no_grad():
            logits = writer(input_ids=ids).logits[0]
        lost = torch.nn.functional.cross_entropy(logits[:-1], ids[0, 1:], reduction="sum")
        assert mine == pytest.approx(float(lost) / len(read.encode()), rel=1e-4)
    tuned = load(str(tmp_path / "base"), task="text-classification", allow_untrained_head=True)
    np.testing.assert_allclose(language_loss(str(tmp_path / "base"), tuned, rows), found, atol=1e-5)
    with torch.no_grad():
        for weight in tuned.hf.base_model.parameters():
            weight.mul_(1.1)
    assert np.abs(np.array(language_loss(str(tmp_path / "base"), tuned, rows)) - found).max() > 1e-3


def test_where_a_model_was_tuned_is_read_or_asked(tmp_path: Path) -> None:
    (tmp_path / "training.json").write_text(json.dumps({"recipe": {"seed": 4, "head_only": True}, "languages": ["sw"]}))
    assert tuned_model(str(tmp_path)) == Tuned("sw", 4, str(tmp_path), "head_only")
    assert tuned_model(f"hi:7={tmp_path}") == Tuned("hi", 7, str(tmp_path), "head_only")
    (tmp_path / "training.json").write_text(json.dumps({"recipe": {}, "languages": ["sw", "en"]}))
    assert tuned_model(str(tmp_path)).kind == "joint"
    (tmp_path / "untold").mkdir()
    with pytest.raises(InputError, match="which language it was tuned on; write LANG="):
        tuned_model(str(tmp_path / "untold"))
    with pytest.raises(InputError, match="there is no folder nowhere"):
        tuned_model("nowhere")
    with pytest.raises(InputError, match="whole number, not 'x'"):
        tuned_model("en:x=nowhere")


def command(folders: dict[str, str], tmp_path: Path, *more: str) -> list[str]:
    given = ["tradeoffs", "--models", f"en={folders['a']}", "--models", f"hi={folders['b']}", "--base", folders["base"]]
    counts = ["--count", "8", "--train-count", "12", "--dev-count", "8"]
    return [*given, "--task", "sentiment", "--languages", "en,hi", *counts, *more]


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Checkpoints with the classes of the built-in reviews; a name that would be markup."""
    root, found = tmp_path_factory.mktemp("binary"), {}
    model = tiny("bert", ("negative", "positive"))
    for at, name in enumerate(("a", "b", "base")):
        torch.manual_seed(at)
        hf = type(model.hf)(model.hf.config) if name != "base" else AutoModelForMaskedLM.from_config(model.hf.config)
        hf.float().save_pretrained(root / name)
        model.tokenizer.save_pretrained(root / name)
        found[name] = str(root / name)
    return found


def test_the_command_tells_draws_and_prints_json(binary: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "t.html"
    more = ("--output", str(page), "--store", str(tmp_path / "store"))
    done = RUN.invoke(app, command(binary, tmp_path, *more), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    for piece in ("accuracy: tuned on", "gain over a probe", "over-confidence", "below the probe", "one seed"):
        assert piece in done.stdout
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "Trade-offs" in text
    again = RUN.invoke(app, command(binary, tmp_path, "--json", "--store", str(tmp_path / "store")), catch_exceptions=False)
    told = json.loads(again.stdout)
    assert told["sources"] == told["targets"] == ["en", "hi"]
    assert {"behaviour", "activations", "attention", "confidence", "errors", "probing", "forgetting", "drift"} <= set(told)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--output", "page.png"], r"--output page.png: the ending must be one of .html"),
        (["--languages", "en,xx"], "xx"),
        (["--languages", ","], "names no language"),
        (["--models", "en=other"], "are both of en, seed 0; write LANG:SEED=DIR"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(
    binary: dict[str, str], tmp_path: Path, change: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        RUN.invoke(app, command(binary, tmp_path, *change), catch_exceptions=False)


def test_models_or_a_study_but_not_both(binary: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give --models, --task and --languages, or --study FILE"):
        RUN.invoke(app, ["tradeoffs", "--task", "topic"], catch_exceptions=False)
    with pytest.raises(InputError, match="a --study names its own models"):
        RUN.invoke(app, command(binary, tmp_path, "--study", "any.yaml"), catch_exceptions=False)


def test_a_study_trains_its_models_and_knows_their_base(
    binary: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    tuned = {"base": binary["base"], "examples": 12, "dev_examples": 10, "epochs": 1}
    given = {
        "name": "s", "tasks": [{"name": "t", "data": {"builtin": "sentiment", "examples": 6}}], "languages": ["en", "hi"],
        "models": [
            {"name": "a", "train": {"languages": ["en"], **tuned}},
            {"name": "b", "train": {"languages": ["en", "hi"], **tuned}},
        ],
        "methods": ["random"],
    }  # fmt: skip
    made = prepared(parse_study(given))
    assert [(one.source, one.kind) for one in made.models] == [("en", "tuned"), ("joint", "joint"), (BASE, BASE)]
    assert made.base == binary["base"]
    assert {split: {lang: len(rows) for lang, rows in by.items()} for split, by in made.texts.texts.items()} == {
        "test": {"en": 6, "hi": 6}, "dev": {"en": 10}, "train": {"en": 12},
    }  # fmt: skip
    assert tuned_model(made.models[0].folder) == made.models[0], "what finetune leaves says the same"
    given["models"] = [{"name": "a", "source": binary["a"]}]
    with pytest.raises(InputError, match="'a' has no train with a base"):
        prepared(parse_study(given))


def test_all_seeds_of_a_study_start_from_one_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a recipe pretrains is one checkpoint: frozen embeddings are those of the base in the models of every seed."""
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(recipes.RECIPES, "multilingual-tiny", (Pretraining(layers=1, width=32, vocabulary=600, steps=2), 5))
    train = {"languages": ["en"], "base": "pretrained:multilingual-tiny", "examples": 12, "dev_examples": 10, "epochs": 2}
    tuning = {**train, "batch": 4, "learning_rate": 1e-3, "freeze_embeddings": True}
    given = {
        "name": "s", "tasks": [{"name": "t", "data": {"builtin": "sentiment", "examples": 6}}], "languages": ["en"],
        "models": [{"name": "a", "train": tuning}], "methods": ["random"], "seeds": [0, 1],
    }  # fmt: skip
    made = prepared(parse_study(given))
    base = load(made.base, allow_untrained_head=True)
    one, two = (load(model.folder) for model in made.models[:2])
    assert one.fingerprint != two.fingerprint
    for model in (one, two):
        assert torch.equal(model.hf.get_input_embeddings().weight, base.hf.get_input_embeddings().weight)
        moved = {part.part: part.relative for part in weight_drift(base, model)}
        assert 0 < moved["layer 0"] < 0.1


def test_tuning_the_head_leaves_everything_else_to_the_bit(binary: dict[str, str], tmp_path: Path) -> None:
    rows = corpus.read("sentiment", "en", "train", 12)
    folder = finetune(binary["a"], rows, rows, tmp_path / "out", Recipe(epochs=4, learning_rate=1e-2, batch=4, head_only=True))
    before, after = load(binary["a"]).hf, load(folder).hf
    for name, weight in before.base_model.state_dict().items():
        assert torch.equal(weight, after.base_model.state_dict()[name]), name
    assert not torch.equal(before.classifier.weight, after.classifier.weight)
    assert tuned_model(str(folder)) == Tuned("en", 0, str(folder), "head_only")
