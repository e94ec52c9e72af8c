"""Laws of the options of fine-tuning, on tiny models in float64 without dropout."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, EvalPrediction

from babelscope import corpus
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.model.load import load
from babelscope.model.tasks import TASKS, task_functions
from babelscope.training import base as bases
from babelscope.training import small
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import finetune
from babelscope.training.models import train, trained_name
from babelscope.training.recipe import Recipe
from babelscope.training.spec import StageSpec, TrainSpec
from babelscope.training.trainer import Job, build_trainer

TRAIN = corpus.read("sentiment", "en", "train", 16)
DEV = corpus.read("sentiment", "en", "dev", 8)
LABELS = ["negative", "positive"]
SHORT = Recipe(learning_rate=1e-3, epochs=2, batch=8, warmup=0.0)
CLASSIFICATION = TASKS["text-classification"]


def make_base(folder: Path, architecture: str = "bert", layers: int = 1) -> Path:
    """An untrained model in float64 without dropout."""
    rows = [*TRAIN, *corpus.read("sentiment", "hi", "train", 16)]
    texts = [text for row in rows for text in row.texts]
    small.make(folder, architecture, texts, LABELS, layers=layers, width=32, vocabulary=500)
    model = AutoModelForSequenceClassification.from_pretrained(folder).double()
    for name in model.config.to_dict():
        if "dropout" in name or name.endswith("pdrop"):
            setattr(model.config, name, 0.0)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("options") / "base")


def weights(folder: Path) -> dict[str, Any]:
    return dict(AutoModelForSequenceClassification.from_pretrained(folder).state_dict())


def largest_difference(one: Path, other: Path) -> float:
    first, second = weights(one), weights(other)
    assert first.keys() == second.keys()
    return max(float((first[name] - second[name]).abs().max()) for name in first)


@pytest.mark.training
@pytest.mark.parametrize(
    "changes",
    [{"batch": 4, "accumulation": 2}, {"batch": 2, "accumulation": 4},
     {"gradient_checkpointing": True}],
    ids=str,
)  # fmt: skip
def test_the_same_steps_by_other_means(changes: dict[str, Any], base: Path, tmp_path: Path) -> None:
    """k batches of b are one of k x b, and recomputed activations give the same gradients."""
    plain = finetune(base, TRAIN, DEV, tmp_path / "plain", SHORT)
    other = finetune(base, TRAIN, DEV, tmp_path / "other", replace(SHORT, **changes))
    assert largest_difference(base, plain) > 1e-4
    assert largest_difference(plain, other) < 1e-9


@pytest.mark.training
@pytest.mark.parametrize("warmup", [5, 0.25])
def test_learning_rates_of_the_warm_up(warmup: float, base: Path, tmp_path: Path) -> None:
    """Of 20 steps the first 5 rise by a fifth each, the other 15 fall by a fifteenth."""
    recipe = Recipe(learning_rate=3e-3, warmup=warmup)
    training = task_functions(CLASSIFICATION).training
    assert training is not None
    job = Job(str(base), None, CLASSIFICATION, training, LABELS, recipe, None)
    trainer, *_ = build_trainer(job, TRAIN, DEV, tmp_path, None)
    trainer.create_optimizer_and_scheduler(20)
    rates = []
    for _ in range(20):
        rates.append(trainer.lr_scheduler.get_last_lr()[0])
        trainer.optimizer.step()
        trainer.lr_scheduler.step()
    expected = [3e-3 * (step / 5 if step < 5 else (20 - step) / 15) for step in range(20)]
    assert rates == pytest.approx(expected)


@pytest.mark.training
def test_early_stopping_keeps_the_best_epoch(base: Path, tmp_path: Path) -> None:
    """With the opposite labels in dev an early epoch is the best: patience 2 stops two epochs
    later, and the weights are those that patience 1 keeps.
    """
    wrong = [
        replace(row, label="negative" if row.label == "positive" else "positive") for row in TRAIN
    ]
    recipe = replace(SHORT, epochs=9, patience=2, learning_rate=3e-3)
    stopped = finetune(base, TRAIN, wrong, tmp_path / "stopped", recipe)
    record = json.loads((stopped / "training.json").read_text())
    losses = [row["eval_loss"] for row in record["dev"]]
    assert record["kept"] == 1 + losses.index(min(losses)) == len(losses) - 2
    assert len(losses) < recipe.epochs
    sooner = finetune(base, TRAIN, wrong, tmp_path / "sooner", replace(recipe, patience=1))
    assert largest_difference(stopped, sooner) == 0


@pytest.mark.training
def test_the_epoch_is_chosen_by_the_mean_over_languages(base: Path, tmp_path: Path) -> None:
    """Twelve rows of one language and four of another, mixed: each language counts once."""
    others = [replace(row, lang="xx") for row in DEV[:4]]
    dev = [row for pair in zip(TRAIN, others) for row in pair] + TRAIN[4:12]
    recipe = replace(SHORT, epochs=3, select="score")
    folder = finetune(base, TRAIN, dev, tmp_path / "model", recipe)
    record = json.loads((folder / "training.json").read_text())
    scores = [row["eval_mean_over_languages"] for row in record["dev"]]
    assert record["kept"] == 1.0 + scores.index(max(scores))
    accuracies = [each for each in evaluate(load(folder), dev) if each.measure == "accuracy"]
    shares = [score.estimate.mean for score in accuracies]
    assert max(scores) == pytest.approx(sum(shares) / 2)


def test_every_window_of_a_language_counts_for_that_language(base: Path, tmp_path: Path) -> None:
    """Contexts of several windows: the mean over languages is that of each language's windows."""
    task = TASKS["question-answering"]
    training = task_functions(task).training
    assert training is not None
    rows = {lang: corpus.read("reading", lang, "dev", 6) for lang in ("en", "hi")}
    rows["en"] = [replace(row, texts=(row.texts[0], row.texts[1] * 3)) for row in rows["en"]]
    mixed = [row for pair in zip(*rows.values()) for row in pair]
    recipe = replace(SHORT, select="score", max_length=48)
    job = Job(str(base), None, task, training, [], recipe, None)
    trainer, tokenizer, _ = build_trainer(job, mixed, mixed, tmp_path, None)
    sizes = [len(training.rows(tokenizer, part, [], 48)) for part in rows.values()]
    assert len(trainer.eval_dataset) == sum(sizes) > len(mixed)
    labels = [
        np.array([row[name] for row in trainer.eval_dataset])
        for name in ("start_positions", "end_positions")
    ]
    logits = [np.eye(48)[each] for each in labels]  # every window is right, but
    for each in logits:
        each[sizes[0] :] = np.eye(48)[47]  # those of the second language point at the last place
    scores = trainer.compute_metrics(EvalPrediction(tuple(logits), tuple(labels)))
    assert scores["accuracy"] == pytest.approx(sizes[0] / sum(sizes))
    assert scores["mean_over_languages"] == 0.5


def test_inputs_in_half_precision_have_few_different_lengths(base: Path, tmp_path: Path) -> None:
    """Batches are padded to multiples of 32 tokens, but not beyond the limit of 40; in float32 to
    the longest input. Padding is masked, so that the logits are the same."""
    training = task_functions(CLASSIFICATION).training
    assert training is not None
    rows = [replace(TRAIN[0], texts=(" ".join(["."] * count),)) for count in (3, 31, 60)]
    lengths = {}
    for precision in ("float32", "bfloat16"):
        recipe = replace(SHORT, precision=precision, max_length=40)
        job = Job(str(base), None, CLASSIFICATION, training, LABELS, recipe, None)
        trainer, *_ = build_trainer(job, [*rows, DEV[0]], DEV, tmp_path, None)
        batches = [trainer.data_collator([trainer.train_dataset[at]]) for at in range(3)]
        lengths[precision] = [batch["input_ids"].shape[1] for batch in batches]
    assert lengths["float32"] == [5, 33, 40]  # with [CLS] and [SEP]
    assert lengths["bfloat16"] == [32, 40, 40]
    model = trainer.model.float().eval()
    short = {name: values[:, :5] for name, values in batches[0].items() if name != "labels"}
    assert batches[0]["attention_mask"].sum() == 5
    assert torch.allclose(model(**batches[0]).logits, model(**short).logits, atol=1e-6)


@pytest.mark.parametrize("architecture", small.ARCHITECTURES)
def test_a_base_with_fewer_layers_is_its_lowest_ones(architecture: str, tmp_path: Path) -> None:
    """Weights and states of the kept layers are those of the whole model, to the bit."""
    folder = make_base(tmp_path / "base", architecture, layers=3)
    whole, tokenizer = bases.load_base(str(folder), None, CLASSIFICATION, LABELS, None)
    lower, _ = bases.load_base(str(folder), None, CLASSIFICATION, LABELS, 2)
    assert lower.config.num_hidden_layers == 2
    before = whole.state_dict()
    assert all(torch.equal(weight, before[name]) for name, weight in lower.state_dict().items())
    inputs = tokenizer(["the hotel was good"], return_tensors="pt")
    states = [
        model.eval()(**inputs, output_hidden_states=True).hidden_states for model in (whole, lower)
    ]
    assert len(states[0]) == 4
    assert len(states[1]) == 3
    # The last state of GPT-2 is normalised
    kept = 2 if architecture == "gpt2" else 3
    assert all(torch.equal(one, other) for one, other in zip(states[0][:kept], states[1][:kept]))
    with pytest.raises(InputError, match="has 3 layers; 4 cannot be kept"):
        bases.load_base(str(folder), None, CLASSIFICATION, LABELS, 4)


@pytest.mark.training
def test_a_second_stage_starts_from_the_first(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a learning rate of almost 0 the second stage ends where the first did; the first is in the
    cache under the name that it has alone.
    """
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path))
    data = DataSpec(builtin="sentiment")
    spec = TrainSpec(
        languages=["en"], base=str(base), examples=16, dev_examples=10, epochs=1, batch=8,
        learning_rate=1e-3, then=[StageSpec(languages=["hi"], learning_rate=1e-300)],
    )  # fmt: skip
    last = train(spec, data, 0)
    first = train(spec.model_copy(update={"then": []}), data, 0)
    assert first != last
    assert largest_difference(first, last) == 0 < largest_difference(base, first)
    assert json.loads((last / "training.json").read_text())["languages"] == ["hi"]
    assert len([path for path in (tmp_path / "models").iterdir() if path.is_dir()]) == 2
    assert spec.all_languages == ["en", "hi"]
    with pytest.raises(ValueError, match="'then' needs a 'base'"):
        TrainSpec(languages=["en"], then=[StageSpec(languages=["hi"])])


@pytest.mark.training
def test_precision(base: Path, tmp_path: Path) -> None:
    """In bfloat16 the weights differ and are stored in float32; float16 needs a GPU."""
    start = tmp_path / "base"
    AutoModelForSequenceClassification.from_pretrained(base).float().save_pretrained(start)
    AutoTokenizer.from_pretrained(base).save_pretrained(start)
    plain = finetune(start, TRAIN, DEV, tmp_path / "plain", SHORT)
    half = finetune(start, TRAIN, DEV, tmp_path / "half", replace(SHORT, precision="bfloat16"))
    assert 0 < largest_difference(plain, half) < 0.02
    assert {weight.dtype for weight in weights(half).values()} == {torch.float32}
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="'float16' needs a GPU; use bfloat16"):
            finetune(base, TRAIN, DEV, tmp_path / "no", replace(SHORT, precision="float16"))


@pytest.mark.training
def test_a_length_of_the_recipe_replaces_that_of_the_tokenizer(base: Path, tmp_path: Path) -> None:
    """A tokenizer that says 10 tokens gives 10; with max_length it is 24, also when explained."""
    folder = tmp_path / "base"
    model = AutoModelForSequenceClassification.from_pretrained(base)
    model.save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.model_max_length = 10
    tokenizer.save_pretrained(folder)
    recipe = replace(SHORT, epochs=1)
    assert load(finetune(folder, TRAIN, DEV, tmp_path / "short", recipe)).limit == 10
    longer = finetune(folder, TRAIN, DEV, tmp_path / "long", replace(recipe, max_length=24))
    assert load(longer).limit == 24


@pytest.mark.training
def test_a_decoder_without_a_padding_token_is_padded_with_its_end_token(tmp_path: Path) -> None:
    """Its head reads the last token of each text, however long the others of the batch are."""
    folder = make_base(tmp_path / "base", "gpt2")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.eos_token, tokenizer.pad_token = tokenizer.convert_ids_to_tokens(5), None
    tokenizer.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"pad_token_id": None}))
    assert AutoTokenizer.from_pretrained(folder).pad_token_id is None
    trained = load(finetune(folder, TRAIN, DEV, tmp_path / "model", SHORT))
    assert trained.hf.config.pad_token_id == trained.tokenizer.pad_token_id == 5
    texts = [row.texts[0] for row in sorted(TRAIN, key=lambda row: len(row.texts[0]))[::15]]
    together = trained.hf(**trained.tokenizer(texts, padding=True, return_tensors="pt")).logits
    for row, text in zip(together, texts):
        alone = trained.hf(**trained.tokenizer([text], return_tensors="pt")).logits[0]
        torch.testing.assert_close(row, alone, rtol=1e-9, atol=1e-9)


@pytest.mark.training
def test_every_epoch_logs_a_line(
    base: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="babelscope.training"):
        finetune(base, TRAIN, DEV, tmp_path / "model", SHORT)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(":")[0] for line in lines] == ["epoch 1 of 2", "epoch 2 of 2"]
    assert all("training loss 0." in line and "dev loss 0." in line for line in lines)
    assert lines[1].endswith("0:00:00 remaining")


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Recipe(lora=4), "needs the package peft: pip install"),
        (Recipe(lora=4, head_only=True), "leave out freeze_embeddings"),
        (Recipe(precision="half"), "precision 'half' is not one of: float32"),
        (Recipe(select="luck"), "select 'luck' is not one of: loss, score"),
        (Recipe(accumulation=0), "accumulation must be at least 1; it is 0"),
        (Recipe(epochs=0), "epochs must be at least 1; it is 0"),
        (Recipe(batch=0), "batch must be at least 1; it is 0"),
        (Recipe(warmup=-1), "warmup must be at least 0; it is -1"),
        (Recipe(weight_decay=float("nan")), "weight_decay must be at least 0; it is nan"),
        (Recipe(learning_rate=-1.0), "learning_rate must be a number above 0; it is -1.0"),
        (Recipe(learning_rate=float("nan")), "learning_rate must be a number above 0; it is nan"),
        ({"epochs": 1}, "a recipe is a Recipe.*, not dict"),
    ],
    ids=str,
)
def test_recipes_that_are_refused(
    recipe: Any, message: str, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bases, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=message):
        finetune(base, TRAIN, DEV, tmp_path / "model", recipe)


def test_labels_that_are_no_classes_are_refused(base: Path, tmp_path: Path) -> None:
    scores = [replace(row, label=label) for row, label in zip(TRAIN, ["0.5", "1.0", "0.25", "2"])]
    with pytest.raises(InputError, match=r"the label 0\.25 is a number with a fraction"):
        finetune(base, scores, scores, tmp_path / "model", SHORT)
    row = {"question": "who?", "context": "she was there", "answers": [{"text": "Ada"}]}
    with pytest.raises(InputError, match=r"the row 1 has no label \(nor an answer that is where"):
        finetune(base, [row], [row], tmp_path / "model", SHORT)


@pytest.mark.training
def test_lora_is_merged_into_the_weights(base: Path, tmp_path: Path) -> None:
    folder = finetune(base, TRAIN, DEV, tmp_path / "model", replace(SHORT, lora=2))
    before, after = weights(base), weights(folder)
    assert before.keys() == after.keys()
    changes = {name: after[name] - before[name] for name in before}
    changed = {name for name, change in changes.items() if change.abs().max() > 0}
    assert any(name.startswith("classifier") for name in changed)  # the head is trained in full
    inside = {name for name in changed if not name.startswith("classifier")}
    assert inside, "no matrix of the encoder was trained"
    for name in inside:  # W + 2 B A, with A and B of rank 2
        singular = torch.linalg.svdvals(changes[name].double())
        assert singular[2] < 1e-5 * singular[0], name


NAMES = (
    ({"languages": ["en"]}, "70710d76088e868a7f23d17b", "aac378a61151cb359ef76c1a"),
    (
        {"languages": ["en", "hi"], "architecture": "gpt2", "layers": 3, "width": 64},
        "f39551fc33819ab553e7c2a2", "84cfc226c76bc942844bbd43",
    ),
    (
        {"languages": ["en"], "base": "pretrained:multilingual", "examples": 50},
        "97baca02b3471c62fc8e730d", "b909eb345229b03aaa156fa0",
    ),
    (
        {"languages": ["hi"], "base": "org/name", "revision": "main", "freeze_layers": 1,
         "head_only": True},
        "d73c5cc13b0bd9c955d7379d", "38f0a0caee9666c69177294c",
    ),
)  # fmt: skip
"""Specifications of earlier versions, and the names of their models in the cache with the seeds 0
and 3."""
CHANGES: tuple[dict[str, Any], ...] = (
    {"warmup": 50}, {"max_length": 64}, {"accumulation": 2}, {"precision": "bfloat16"},
    {"gradient_checkpointing": True}, {"patience": 1}, {"dev_languages": ["en", "hi"]}, {"lora": 4},
    {"layers": 2},
)  # fmt: skip


@pytest.mark.parametrize(("fields", "first", "second"), NAMES)
def test_models_keep_their_names_in_the_cache(
    fields: dict[str, Any], first: str, second: str
) -> None:
    spec = TrainSpec(**fields)
    assert [trained_name(spec, [], [], seed) for seed in (0, 3)] == [first, second]
    if spec.base is not None:
        others = [trained_name(spec.model_copy(update=each), [], [], 0) for each in CHANGES]
        assert len({first, *others}) == 1 + len(CHANGES)
