"""A decoder of a billion weights in bfloat16 on a CPU: how much memory an explanation and a metric
take.

    python -m benchmarks.large [LAYERS]

The weights are random and never written to a file. What is printed is the peak of the resident
memory so far (`resource.getrusage`), and the seconds that each step took.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from transformers import LlamaConfig, LlamaForSequenceClassification

from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.load import Model, load
from babelscope.training.small import make_tokenizer

LAYERS = 16
"""Those of Llama 3.2 1B, as are the sizes below."""
TEXT = "The food was not good, but the room was lovely."
VOCABULARY = 128_256


def llama(layers: int) -> Model:
    """Llama 3.2 1B with two classes and random weights, created in bfloat16."""
    tokenizer = make_tokenizer("gpt2", [TEXT], 400)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=layers,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=64,
        max_position_embeddings=2048,
        num_labels=2,
        id2label={0: "negative", 1: "positive"},
        pad_token_id=tokenizer.pad_token_id,
    )
    before = torch.get_default_dtype()
    torch.manual_seed(0)
    try:
        torch.set_default_dtype(torch.bfloat16)
        hf = LlamaForSequenceClassification(config).eval()
    finally:
        torch.set_default_dtype(before)
    return load((hf, tokenizer), name="llama-1b")


def peak() -> float:
    """The largest resident memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


@contextmanager
def reported(step: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{step}: {time.perf_counter() - start:.1f} s, peak {peak():.2f} GB", flush=True)


def main(layers: int = LAYERS) -> None:
    print(f"before: peak {peak():.2f} GB")
    with reported("model"):
        model = llama(layers)
    print(f"{sum(weight.numel() for weight in model.hf.parameters()) / 1e9:.2f} billion weights")
    attributions = []
    for method in ("occlusion", "input_x_gradient"):
        with reported(method):
            attributions += explain(model, TEXT, method, lang="en")
    with reported("comprehensiveness"):
        measures = measure(model, attributions, "comprehensiveness")
    for row in measures:
        print(f"{row.method}: comprehensiveness {row.value:.4f} {row.reason}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
