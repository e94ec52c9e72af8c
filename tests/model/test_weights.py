"""How the weights of a checkpoint are loaded, and what is refused in one line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.explain import explain
from babelscope.methods.suitability import suitable
from babelscope.model import memory, weights
from babelscope.model.functions import from_function
from babelscope.model.load import load
from babelscope.model.weights import Weights, gguf_file, loading_arguments
from conftest import tiny

TEXT = "the food was not good"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint in float64."""
    place = tmp_path_factory.mktemp("checkpoint")
    model = tiny("bert")
    model.hf.save_pretrained(place)
    model.tokenizer.save_pretrained(place)
    return place


def _mapped(file: Path) -> Counter[str]:
    """Kilobytes of a file that this process has in its memory, by kind."""
    kilobytes: Counter[str] = Counter()
    here = False
    for line in Path("/proc/self/smaps").read_text("utf-8").splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            here = rest[-1:] == [str(file)]
        elif here and rest[-1:] == ["kB"]:
            kilobytes[name.removesuffix(":")] += int(rest[0])
    return kilobytes


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux lists mappings")
def test_weights_stay_pages_of_their_file_which_workers_share(folder: Path) -> None:
    """Explaining writes none of them, which would copy them (then they were anonymous): pages of a
    file are in memory once for all processes that map it."""
    model = load(folder)
    explain(model, TEXT, ["integrated_gradients", "attnlrp", "occlusion"])
    pages = _mapped((folder / "model.safetensors").resolve())
    size = sum(weight.numel() * weight.element_size() for weight in model.hf.parameters())
    assert pages["Rss"] > 0.9 * size / 1024
    assert pages["Anonymous"] == 0
    model.hf.get_input_embeddings().weight.data.add_(1)
    assert _mapped((folder / "model.safetensors").resolve())["Anonymous"] > 0


def test_the_precision_is_the_requested_one_and_methods_say_what_they_need(folder: Path) -> None:
    model = load(folder, dtype="bfloat16")
    assert {weight.dtype for weight in model.hf.parameters()} == {torch.bfloat16}
    (attribution,) = explain(model, TEXT, "integrated_gradients")
    assert "computed in float32 with weights rounded to bfloat16" in attribution.flags
    (attribution,) = explain(model, TEXT, "occlusion")
    assert not any(flag.startswith("computed in") for flag in attribution.flags)
    assert {weight.dtype for weight in model.hf.parameters()} == {torch.bfloat16}
    assert {weight.dtype for weight in load(folder).hf.parameters()} == {torch.float64}


def test_a_conversion_that_does_not_fit_is_refused_beforehand(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a bfloat16 model each weight grows by two bytes, and both forms of the largest one are
    there at once; with a kilobyte less than that the method is refused, with as much it runs."""
    model = load(folder, dtype="bfloat16")
    counts = [weight.numel() for weight in (*model.hf.parameters(), *model.hf.buffers())
              if weight.dtype == torch.bfloat16]  # fmt: skip
    kilobytes = -(-2 * (sum(counts) + max(counts)) // 1024)
    free = tmp_path / "meminfo"
    monkeypatch.setattr(memory, "MEMORY", free)
    free.write_text(f"MemTotal: 1 kB\nMemAvailable: {kilobytes - 1} kB\n")
    with pytest.raises(UnsupportedModel, match="integrated_gradients needs the weights in float32"):
        explain(model, TEXT, "integrated_gradients")
    assert {weight.dtype for weight in model.hf.parameters()} == {torch.bfloat16}
    free.write_text(f"MemAvailable: {kilobytes} kB\n")
    (attribution,) = explain(model, TEXT, "integrated_gradients")
    assert attribution.scores
    free.write_text("MemAvailable: 0 kB\n")
    (whole,) = explain(load(folder, dtype="float32"), TEXT, "integrated_gradients")
    assert not any(flag.startswith("computed in") for flag in whole.flags)


def test_the_precision_may_be_that_of_torch(folder: Path) -> None:
    model = load(folder, dtype=torch.bfloat16)
    assert {weight.dtype for weight in model.hf.parameters()} == {torch.bfloat16}
    with pytest.raises(InputError, match="dtype 'int8' is not one of: float32"):
        load(folder, dtype=torch.int8)


def test_a_model_without_its_tokenizer_is_refused() -> None:
    model = tiny("bert")
    with pytest.raises(InputError, match=r"without its tokenizer; give both: \(model, tokenizer\)"):
        load(model.hf)
    with pytest.raises(InputError, match=r"give \(model, tokenizer\)"):
        load((model.tokenizer, model.hf))


def test_devices_are_passed_to_accelerate(folder: Path) -> None:
    model = load(folder, device_map={"": "cpu"})
    assert model.device == torch.device("cpu")
    (attribution,) = explain(model, TEXT, "occlusion")
    (plain,) = explain(load(folder), TEXT, "occlusion")
    assert attribution.scores == pytest.approx(plain.scores)
    with pytest.raises(InputError, match="device or device_map, not both"):
        load(folder, device="cpu", device_map="auto")
    with pytest.raises(InputError, match="'sideways' is no device of this machine, nor one of: au"):
        load(folder, device_map="sideways")


@pytest.mark.parametrize("method", ["occlusion", "input_x_gradient", "integrated_gradients"])
def test_weights_on_disk_give_the_same_explanation(folder: Path, method: str) -> None:
    """The second layer is read from its file at each call."""
    here = ("bert.embeddings", "bert.encoder.layer.0", "bert.pooler", "classifier")
    places = dict.fromkeys(here, "cpu") | {"bert.encoder.layer.1": "disk"}
    model = load(folder, device_map=places)
    assert "on cpu, disk" in model.description
    (attribution,) = explain(model, TEXT, method)
    (plain,) = explain(load(folder), TEXT, method)
    assert attribution.scores == pytest.approx(plain.scores)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "int8"}, "dtype 'int8' is not one of: float32"),
        ({"quantization": "2bit"}, "quantization '2bit' is not one of: 8bit, 4bit"),
        ({"quantization": "8bit"}, "needs bitsandbytes or torchao, and neither is installed"),
    ],
)
def test_what_is_unknown_or_not_installed_is_one_line(
    folder: Path, options: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=message) as refused:
        load(folder, **options)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_quantization_is_that_of_the_installed_library(monkeypatch: pytest.MonkeyPatch) -> None:
    configs = SimpleNamespace(
        BitsAndBytesConfig=lambda **options: ("bitsandbytes", options),
        TorchAoConfig=lambda config: ("torchao", config),
        Int8WeightOnlyConfig=lambda: "int8",
        Int4WeightOnlyConfig=lambda: "int4",
    )
    monkeypatch.setattr(weights, "import_module", lambda name: configs)
    monkeypatch.setattr(weights, "find_spec", lambda name: name == "bitsandbytes" or None)
    arguments = loading_arguments(Weights(quantization="4bit"))
    assert arguments == {"quantization_config": ("bitsandbytes", {"load_in_4bit": True})}
    monkeypatch.setattr(weights, "find_spec", lambda name: name == "torchao" or None)
    arguments = loading_arguments(Weights(quantization="8bit"))
    assert arguments == {"quantization_config": ("torchao", "int8")}


def test_methods_that_need_float32_are_refused_on_quantized_weights(folder: Path) -> None:
    model = load(folder)
    model.hf.hf_quantizer = object()  # as transformers marks them
    assert "quantized" in model.description
    with pytest.raises(UnsupportedModel, match=r"needs float32 weights, and those of .* quantized"):
        explain(model, TEXT, "integrated_gradients")
    works = {row.method: row.works for row in suitable(model)}
    assert works["occlusion"]
    assert works["input_x_gradient"]
    assert not works["lrp"]


def test_a_model_in_memory_is_not_loaded_again() -> None:
    model = tiny("bert")
    with pytest.raises(InputError, match="dtype is for checkpoints"):
        load((model.hf, model.tokenizer), dtype="bfloat16")
    with pytest.raises(InputError, match="revision is for checkpoints"):
        load((model.hf, model.tokenizer), revision="main")
    with pytest.raises(InputError, match="is loaded already; pass it as it is"):
        load(model)


def test_what_is_no_place_of_a_model_is_refused_in_one_line(folder: Path) -> None:
    with pytest.raises(InputError, match=r"safetensors is a file; name the folder with its"):
        load(folder / "model.safetensors")
    with pytest.raises(InputError, match=r"^the name of the model is empty; give a hub id or"):
        load("")
    with pytest.raises(InputError, match=r"is a folder here, which has no revisions"):
        load(folder, revision="main")
    with pytest.raises(InputError, match="device 'meta' cannot be used here"):
        load(folder, device="meta")


def test_the_file_of_a_gguf_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model-q8.gguf"
    file.write_bytes(b"GGUF")
    assert gguf_file(str(file)) == (str(tmp_path), "model-q8.gguf")
    assert gguf_file("org/name/model.gguf") == ("org/name", "model.gguf")
    assert gguf_file("org/name") == ("org/name", None)
    with pytest.raises(InputError, match="no GGUF file missing"):
        load("missing.gguf")
    with pytest.raises(InputError, match="holds no model that can be loaded"):
        load(file)  # its header is incomplete
    with pytest.raises(InputError, match=r"has no config\.json; name its GGUF file: .*model-q8"):
        load(tmp_path)
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="gguf, which is not installed"):
        load(file)


def test_a_model_describes_itself_in_one_line(folder: Path, tmp_path: Path) -> None:
    model = load(folder)
    size = sum(weight.numel() for weight in model.hf.parameters()) * 8 / 1e6
    start = "BertForSequenceClassification (text-classification); 3 labels: negative, neutral, "
    assert model.description.startswith(f"{start}positive; float64; ")
    assert model.description.endswith("MB on cpu")
    assert abs(float(model.description.split()[-4]) - size) <= 1
    (folder / "training.json").write_text(json.dumps({"languages": ["en", "hi"]}))
    assert "; fine-tuned on en, hi; float64" in load(folder).description
    function = from_function(len, labels=["spam"], outputs="scores", name="spam")
    assert function.description == "a function of texts to scores; 1 label: spam"
    assert "next token of" in tiny_language_model().description


def tiny_language_model() -> Any:
    from transformers import GPT2LMHeadModel

    model = tiny("gpt2")
    return load((GPT2LMHeadModel(model.hf.config), model.tokenizer))


def write_gguf(file: Path) -> torch.Tensor:
    """A Llama of one layer in float32, whose tokens are letters; its word embeddings."""
    import gguf

    width, inner, letters = 16, 32, [*"abcdefghijklmnopqrstuvwxyz", "Ġ"]
    tokens = ["<s>", "</s>", *letters, "ab"]
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 2)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3] + [1] * (len(letters) + 1))
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    shapes = {"token_embd": (len(tokens), width), "output": (len(tokens), width),
              "blk.0.ffn_gate": (inner, width), "blk.0.ffn_up": (inner, width),
              "blk.0.ffn_down": (width, inner)}  # fmt: skip
    shapes |= {f"blk.0.attn_{part}": (width, width) for part in ("q", "k", "v", "output")}
    norms = ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")
    generator = torch.Generator().manual_seed(0)
    tensors = {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}
    for name, tensor in (tensors | {name: torch.ones(width) for name in norms}).items():
        writer.add_tensor(f"{name}.weight", tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors["token_embd"]


def test_a_gguf_file_is_a_language_model(tmp_path: Path) -> None:
    embeddings = write_gguf(tmp_path / "tiny.gguf")
    model = load(tmp_path / "tiny.gguf", dtype="float32")
    assert model.task == "text-generation"
    torch.testing.assert_close(model.embeddings.weight.detach(), embeddings)
    (attribution,) = explain(model, "good food", "occlusion")
    assert len(attribution.words) == 2


def test_weights_of_a_gguf_file_are_dequantized(tmp_path: Path) -> None:
    """So that methods that need float32 run on them."""
    write_gguf(tmp_path / "tiny.gguf")
    model = load(tmp_path / "tiny.gguf", dtype="bfloat16")
    assert "bfloat16; " in model.description
    options = {"nodes": 2, "tolerance": 1e6}  # its weights are large, and its path is not smooth
    (attribution,) = explain(model, "good food", "integrated_gradients", options=options)
    assert "computed in float32 with weights rounded to bfloat16" in attribution.flags
