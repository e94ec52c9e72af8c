"""Adapters that peft trained: their predictions are those of peft's own model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import peft
import pytest
import torch
from huggingface_hub.errors import HfHubHTTPError
from transformers import (
    BertForSequenceClassification,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
)

from babelscope.errors import InputError, UntrainedHead
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model import adapters, checkpoints
from babelscope.model.load import load
from conftest import tiny

pytestmark = pytest.mark.training
TEXT = "the food was not good"
TARGETS = {"bert": ["query", "value"], "llama": ["q_proj", "v_proj"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tuned`, a BERT classifier of three labels; `base`, its encoder; `decoder`, a Llama."""
    place = tmp_path_factory.mktemp("bases")
    bert, gpt2 = tiny("bert"), tiny("gpt2")
    tokenizer = gpt2.tokenizer
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    for name, hf, words in (
        ("tuned", bert.hf, bert.tokenizer),
        ("base", bert.hf.bert, bert.tokenizer),
        ("decoder", LlamaForCausalLM(config), tokenizer),
    ):
        hf.save_pretrained(place / name)
        words.save_pretrained(place / name)
    return place


def trained(hf: Any, tokenizer: Any, output: Path, kind: str, **options: Any) -> torch.Tensor:
    """An adapter after three steps, saved; the logits of the text with it."""
    config = peft.LoraConfig(r=2, target_modules=TARGETS[kind], **options)
    torch.manual_seed(0)
    model = peft.get_peft_model(hf, config)
    inputs = tokenizer(TEXT, return_tensors="pt")
    optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], 0.5)
    for _ in range(3):
        optimizer.zero_grad()
        model(**inputs).logits.square().mean().backward()
        optimizer.step()
    model.save_pretrained(output)
    with torch.no_grad():
        logits: torch.Tensor = model.eval()(**inputs).logits
    return logits


def logits_of(model: Any) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = model.hf(**model.tokenizer(TEXT, return_tensors="pt")).logits
    return logits


def test_an_adapter_is_merged_into_a_classifier(folder: Path, tmp_path: Path) -> None:
    plain = load(folder / "tuned")
    hf = BertForSequenceClassification.from_pretrained(folder / "tuned", dtype=torch.float64)
    expected = trained(hf, plain.tokenizer, tmp_path / "a", "bert", task_type="SEQ_CLS")
    model = load(folder / "tuned", adapter=str(tmp_path / "a"))
    torch.testing.assert_close(logits_of(model), expected)
    assert (logits_of(plain) - expected).abs().max() > 1e-3
    assert model.labels == plain.labels
    assert model.name == f"{folder / 'tuned'} with {tmp_path / 'a'}"
    attributions = explain(model, TEXT, "input_x_gradient")
    assert len(measure(model, attributions, "comprehensiveness")) == 1
    with pytest.raises(InputError, match="another model than"):
        measure(plain, attributions, "comprehensiveness")


@pytest.mark.parametrize("kind", ["bert", "llama"])
def test_the_head_and_its_classes_come_from_the_adapter(
    folder: Path, tmp_path: Path, kind: str
) -> None:
    """Also on a base whose own head is for another task: four classes on a language model."""
    base, classes = {
        "bert": (folder / "base", BertForSequenceClassification),
        "llama": (folder / "decoder", LlamaForSequenceClassification),
    }[kind]
    hf = classes.from_pretrained(base, num_labels=4)
    tokenizer = tiny("bert" if kind == "bert" else "gpt2").tokenizer
    expected = trained(hf, tokenizer, tmp_path / "a", kind, task_type="SEQ_CLS")
    for model in (load(base, adapter=str(tmp_path / "a")), load(tmp_path / "a")):
        assert model.task == "text-classification"
        assert len(model.labels) == 4
        torch.testing.assert_close(logits_of(model), expected)
    if kind == "bert":
        with pytest.raises(UntrainedHead, match="no trained weights for"):
            load(base)


def test_an_adapter_of_the_hub_is_loaded_with_its_base(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository org/lora has an adapter at the revision v1, and no config.json."""
    hf = BertForSequenceClassification.from_pretrained(folder / "tuned")
    expected = trained(hf, tiny("bert").tokenizer, tmp_path / "lora", "bert", task_type="SEQ_CLS")

    def metadata(url: tuple[str, str | None]) -> None:
        if url != ("adapter_config.json", "v1"):
            raise HfHubHTTPError(url[0], response=MagicMock())

    monkeypatch.delenv("BABELSCOPE_MIRROR", raising=False)
    monkeypatch.setattr(checkpoints, "try_to_load_from_cache", lambda *args, **options: None)
    monkeypatch.setattr(checkpoints, "hf_hub_url", lambda place, file, revision: (file, revision))
    monkeypatch.setattr(checkpoints, "get_hf_file_metadata", metadata)
    downloads = []
    monkeypatch.setattr(
        adapters, "snapshot_download",
        lambda place, revision, **rest: downloads.append((place, revision))
        or str(tmp_path / "lora"),
    )  # fmt: skip
    assert torch.allclose(logits_of(load("org/lora", revision="v1")), expected, atol=1e-5)
    assert downloads == [("org/lora", "v1")]


def test_an_adapter_of_a_language_model(folder: Path, tmp_path: Path) -> None:
    plain = load(folder / "decoder")
    hf = LlamaForCausalLM.from_pretrained(folder / "decoder")
    expected = trained(hf, plain.tokenizer, tmp_path / "a", "llama", task_type="CAUSAL_LM")
    model = load(tmp_path / "a", name="tuned")
    assert (model.task, model.name) == ("text-generation", "tuned")
    torch.testing.assert_close(logits_of(model), expected)


def test_what_is_no_fitting_adapter_is_refused_in_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama = LlamaForCausalLM.from_pretrained(folder / "decoder")
    config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    peft.get_peft_model(llama, config).save_pretrained(tmp_path / "prompt")
    llama = LlamaForCausalLM.from_pretrained(folder / "decoder")
    trained(llama, tiny("gpt2").tokenizer, tmp_path / "lora", "llama", task_type="CAUSAL_LM")
    (tmp_path / "nameless").mkdir()
    (tmp_path / "nameless" / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA"}))
    for source, adapter, message in (
        ("decoder", tmp_path / "prompt", "is of the type PROMPT_TUNING, which cannot be merged"),
        ("tuned", tmp_path / "lora", "holds no trained weights|does not fit"),
        ("tuned", tmp_path / "missing", "there is no adapter folder"),
        ("tuned", folder / "base", "holds no adapter that can be read"),
        (tmp_path / "nameless", None, "does not name its base; load the base with adapter="),
        (tmp_path / "lora", tmp_path / "lora", "is an adapter itself"),
    ):
        with pytest.raises(InputError, match=message) as refused:
            load(folder / source, adapter=None if adapter is None else str(adapter))
        assert "\n" not in str(refused.value)
    monkeypatch.setattr(adapters, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="is loaded by peft, which is not installed"):
        load(folder / "tuned", adapter=str(tmp_path / "lora"))
