"""The classifiers without attention, in float64: what they compute, and which methods they take."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfTransformer

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.fingerprints import signature
from babelscope.model.heads import head_grid
from babelscope.model.inference import Query
from babelscope.model.load import Model, load
from babelscope.model.networks import NETWORKS
from babelscope.model.networks.tf_idf import inverse_frequencies
from babelscope.training.small import make, make_model, make_tokenizer
from babelscope.types import Example
from conftest import TEXTS

LABELS = ["negative", "positive"]
REVIEW = "Good food, good rooms and very good friends"


@cache
def network(architecture: str) -> Model:
    tokenizer = make_tokenizer(architecture, [*TEXTS, REVIEW.lower()], 400, 32)
    torch.manual_seed(5)
    hf = make_model(architecture, tokenizer, LABELS, layers=1, width=32, positions=32).double()
    with torch.no_grad():
        for weight in hf.parameters():
            if weight.ndim > 1 and weight is not hf.get_input_embeddings():
                weight.normal_(0, 0.4)
        if architecture == "tf-idf":
            ids = tokenizer(TEXTS, add_special_tokens=False)["input_ids"]
            hf.idf.copy_(inverse_frequencies(ids, len(tokenizer)))
        else:
            hf.encoder.embeddings.weight[tokenizer.pad_token_id] = 0
    return load((hf.eval(), tokenizer), name=architecture)


def logits(model: Model, *rows: list[int], attended: list[bool] | None = None) -> np.ndarray:
    seen = None if attended is None else np.array(attended)
    queries = [Query(np.array(ids, np.int64), attended=seen) for ids in rows]
    return np.stack([output.numpy() for output in inference.outputs(model, queries)])


def test_frequencies_by_hand() -> None:
    """Two texts: 0 is in both, ln(3/3) + 1 = 1; 1 is in one, twice, ln(3/2) + 1; 2 in none."""
    expected = [1, np.log(1.5) + 1, np.log(3) + 1]
    np.testing.assert_allclose(inverse_frequencies([[0, 1, 1], [0]], 3), expected, atol=1e-15)


def test_weights_are_those_of_scikit_learn() -> None:
    model = network("tf-idf")
    size, special = len(model.tokenizer), model.tokenizer.all_special_ids
    texts = [model.tokenizer(text, add_special_tokens=False)["input_ids"] for text in TEXTS]
    counts = np.array([np.bincount(ids, minlength=size) for ids in texts])
    counts[:, special] = 0
    expected = TfidfTransformer(smooth_idf=True, norm="l2").fit_transform(counts).toarray()
    assert (counts.max(axis=1) > 1).any(), "a word occurs twice"
    for text, row in zip(TEXTS, expected):
        ids = torch.tensor(model.tokenizer(text)["input_ids"])[None]
        weights = torch.zeros(size, dtype=torch.float64)
        weights.index_add_(0, ids[0], model.hf.place_weights(ids)[0])
        np.testing.assert_allclose(weights, row, atol=1e-14)
        # The perceptron as it is written: two rectified layers and the classes
        hf, layers = model.hf, model.hf.hidden
        first = torch.relu(weights @ layers.words.weight + layers.bias)
        second = torch.relu(first @ layers.second.weight.T + layers.second.bias)
        classes = second @ hf.classifier.weight.T + hf.classifier.bias
        np.testing.assert_allclose(hf(ids).logits[0].detach(), classes.detach(), atol=1e-12)


def test_order_and_special_tokens_change_nothing_about_counts() -> None:
    counting, reading = network("tf-idf"), network("fully-connected")
    for model, blind in ((counting, True), (reading, False)):
        ids = model.tokenizer(REVIEW, add_special_tokens=False)["input_ids"]
        whole = logits(model, ids)
        assert np.allclose(logits(model, ids[::-1]), whole, atol=1e-12) == blind
        tokenizer = model.tokenizer
        around = [tokenizer.cls_token_id, *ids, tokenizer.mask_token_id, tokenizer.unk_token_id]
        assert np.allclose(logits(model, around), whole, atol=1e-12) == blind
    # Nothing is counted: the biases alone
    np.testing.assert_array_equal(logits(counting, [2, 3]), logits(counting, [4]))


@pytest.mark.parametrize("architecture", NETWORKS)
def test_padding_and_the_batch_change_nothing(architecture: str) -> None:
    model = network(architecture)
    rows = [model.tokenizer(text)["input_ids"] for text in TEXTS]
    together = logits(model, *rows)
    alone = np.concatenate([logits(model, row) for row in rows])
    np.testing.assert_allclose(together, alone, atol=1e-12)
    ids, padding = rows[2], model.tokenizer.pad_token_id
    padded = torch.tensor([[*ids, *[padding] * 9]])
    mask = torch.tensor([[1] * len(ids) + [0] * 9])
    plain = model.hf(input_ids=padded, attention_mask=mask).logits.detach()
    np.testing.assert_allclose(plain, alone[2:3], atol=1e-12)
    # What nobody attends to is as if it were not there
    hidden = logits(model, [*ids, rows[0][3]], attended=[True] * len(ids) + [False])
    np.testing.assert_allclose(hidden, alone[2:3], atol=1e-12)


@pytest.mark.parametrize("architecture", NETWORKS)
def test_every_method_runs_or_is_refused_before_anything_is_computed(architecture: str) -> None:
    model = network(architecture)
    refused = {
        "tf-idf": {row.name for row in METHODS.values() if row.gradients or row.attentions},
        "fully-connected": {
            row.name for row in METHODS.values() if row.attentions or row.family == "propagation"
        },
    }[architecture]
    for name in METHODS:
        before = model.inference.queries
        if name in refused:
            with pytest.raises(UnsupportedModel, match=f"^{name} .*; use [a-z ]+") as error:
                explain(model, REVIEW, name)
            assert "\n" not in str(error.value)
            assert model.inference.queries == before
            continue
        (attribution,) = explain(model, REVIEW, name)
        assert np.isfinite(attribution.scores).all()
        if METHODS[name].complete:
            effect = attribution.value - (attribution.reference_value or 0.0)
            tolerance = 0.01 if METHODS[name].gradients else 1e-9
            assert sum(attribution.scores) == pytest.approx(effect, abs=tolerance), name


def test_repeated_words_share_their_effect() -> None:
    """Six places, 64 sets: all of them. Counting words, all copies score alike, and their sum is
    what the text adds to one without words."""
    for architecture in NETWORKS:
        model = network(architecture)
        (attribution,) = explain(model, " ".join(["good"] * 6), "kernel_shap", target="positive")
        gap = attribution.value - attribution.reference_value
        assert sum(attribution.scores) == pytest.approx(gap, abs=1e-12)
        alike = np.ptp(attribution.scores) < 1e-12
        assert alike == (architecture == "tf-idf")


def test_metrics_that_change_embeddings_are_refused_where_words_are_counted() -> None:
    for architecture in NETWORKS:
        model = network(architecture)
        marked = Example("1", ("not good food",), "en", words=(((0, 3), (4, 8), (9, 13)),),
                         rationale=((False, True, False),))  # fmt: skip
        attributions = explain(model, marked, "occlusion")
        for metric, row in METRICS.items():
            if row.embeddings and architecture == "tf-idf":
                with pytest.raises(UnsupportedModel, match="counts words and has no word embed"):
                    measure(model, attributions, metric)
                continue
            (value,) = measure(model, attributions, metric)
            assert np.isfinite(value.value) or value.reason
    with pytest.raises(UnsupportedModel, match="tf-idf cannot be used here: TfIdfFor"):
        explain(network("tf-idf"), REVIEW, "occlusion", options={"operator": "mean_embedding"})


def test_a_hash_of_all_that_outputs_depend_on() -> None:
    model = network("tf-idf")
    other = Model(deepcopy(model.hf), model.tokenizer, "other", model.task)
    assert other.fingerprint == model.fingerprint
    changed = Model(deepcopy(model.hf), model.tokenizer, "other", model.task)
    changed.hf.idf[7] += 1e-3
    assert changed.fingerprint != model.fingerprint
    changed.hf.idf[:] += 1e-3
    assert signature(changed) != signature(model)


@pytest.mark.parametrize("architecture", NETWORKS)
def test_a_folder_holds_the_model(tmp_path: Path, architecture: str) -> None:
    model = network(architecture)
    model.hf.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    again = load(tmp_path, name="again")
    assert again.fingerprint == model.fingerprint
    rows = [model.tokenizer(text)["input_ids"] for text in TEXTS]
    np.testing.assert_array_equal(logits(again, *rows), logits(model, *rows))
    assert again.family == architecture


def test_words_are_tokens() -> None:
    tokenizer = make_tokenizer("tf-idf", ["Good food, good. b a", "food c"], 12)
    assert tokenizer.convert_ids_to_tokens(tokenizer("GOOD food, bad")["input_ids"]) == [
        "[CLS]", "good", "food", ",", "[UNK]", "[SEP]"
    ]  # fmt: skip
    # Five special tokens; food and good twice, then in the order of the alphabet
    ranked = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    assert ranked[5:] == ["food", "good", ",", ".", "a", "b", "c"]
    assert make_tokenizer("fully-connected", ["a b"], 12)("a b")["input_ids"] == [5, 6]
    with pytest.raises(InputError, match="does not fit tf-idf; choose one of: words"):
        make_tokenizer("tf-idf", ["a"], 300, kind="bpe")


def test_places_are_fixed(tmp_path: Path) -> None:
    folder = make(tmp_path / "m", "fully-connected", TEXTS, LABELS, width=32, positions=8)
    model = load(folder, allow_untrained_head=True)
    assert model.limit == 8
    assert model.hf.encoder.hidden.in_features == 8 * 32
    text = "good food and " * 5
    (encoded,) = encode(model, [Example("1", (text,), "en")])
    assert (len(encoded.ids), encoded.truncated_from) == (8, 15)
    with pytest.raises(ValueError, match="has 9 tokens, and the network 8 places"):
        model.hf(torch.zeros(1, 9, dtype=torch.long))
    with pytest.raises(UnsupportedModel, match="no number of layers and heads"):
        head_grid(model)


def test_a_vocabulary_beyond_the_counts_is_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "m", "tf-idf", TEXTS, LABELS, width=32, vocabulary=60)
    make_tokenizer("tf-idf", TEXTS, 400).save_pretrained(folder)
    with pytest.raises(InputError, match="its model counts 60 ids"):
        load(folder, allow_untrained_head=True)
