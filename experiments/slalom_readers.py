"""Models that judge reviews, for the experiments on real texts: an encoder, a decoder and a
state-space model.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from benchmarks.material import SHARED
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import MambaConfig, MambaForCausalLM

from babelscope.data.corpora.yelp_hat import consensus
from babelscope.model.load import Model, load
from babelscope.store import key
from babelscope.training.cache import cache_folder
from babelscope.training.finetune import fingerprint
from babelscope.training.small import make_model
from babelscope.training.tokenizers import make_tokenizer
from babelscope.types import Example

LABELS = ("negative", "positive")
WORDS = {"negative": "bad", "positive": "good"}
"""What a language model goes on with; a state-space model has no head for classes."""
TRAINED_ON = ("part3", "part4", "part5", "part6_100words", "part7")
VOCABULARY, WIDTH, LENGTH, BATCH, RATE = 4000, 64, 64, 32, 1e-3
EPOCHS = 3


def reviews(part: str, *, votes: int = 3) -> list[Example]:
    """Reviews of Yelp-HAT with the words that all readers marked."""
    folder = SHARED / "data" / "yelp-hat" / "processed_data"
    found = next(
        path
        for path in (folder / f"ham_{part}.csv", folder / f"ham_{part}.csv.gz")
        if path.is_file()
    )
    return list(consensus(found, "en", part, votes=votes))


def reader(architecture: str, train: Sequence[Example], layers: int) -> Model:
    """A small model from scratch on the reviews' first 64 tokens; trained once and kept in the
    user's cache.
    """
    tokenizer = make_tokenizer(
        "bert" if architecture == "bert" else "gpt2",
        [one.texts[0] for one in train],
        VOCABULARY,
        256,
    )
    torch.manual_seed(0)
    hf = _state_space(tokenizer, layers) if architecture == "mamba" else make_model(
        architecture, tokenizer, LABELS, layers=layers, width=WIDTH, positions=256)  # fmt: skip
    name = f"{architecture} {layers} x {WIDTH}"
    if architecture == "mamba":
        model = load((hf, tokenizer), task="text-generation", verbalizer=WORDS, name=name)
    else:
        model = load((hf, tokenizer), name=name)
    sizes = [VOCABULARY, WIDTH, LENGTH, EPOCHS]
    made = {
        "reader": architecture,
        "layers": layers,
        "train": fingerprint(train),
        "sizes": sizes,
        "scheme": 2,
    }
    kept = cache_folder() / "experiments" / f"reviews-{architecture}-{key(made)[:16]}.safetensors"
    if kept.is_file():
        hf.load_state_dict(load_file(kept), strict=False)  # tied weights are stored once
    else:
        _train(model, train)
        _keep(hf, kept)
    hf.eval()
    return model


def _state_space(tokenizer: Any, layers: int) -> Any:
    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": layers,
        "state_size": 8,
        "vocab_size": len(tokenizer),
    }
    return MambaForCausalLM(
        MambaConfig(
            **sizes, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id
        )
    )


def _train(model: Model, train: Sequence[Example]) -> None:
    """Cross-entropy of the two classes; of a language model between the two words after every token
    of the text: asked at the end alone, a state-space model learns its training texts by heart and
    nothing of others."""
    ids = [torch.tensor(model.tokenizer(one.texts[0])["input_ids"][:LENGTH]) for one in train]
    wanted = torch.tensor([one.label == "positive" for one in train]).long()
    optimiser = torch.optim.AdamW(model.hf.parameters(), lr=RATE)
    generator = torch.Generator().manual_seed(0)
    model.hf.train()
    torch.set_num_threads(1)
    for _ in range(EPOCHS):
        order = torch.randperm(len(ids), generator=generator)
        for chosen in order.split(BATCH):
            optimiser.zero_grad()
            logits, row = _class_logits(model, [ids[row] for row in chosen])
            torch.nn.functional.cross_entropy(logits, wanted[chosen][row]).backward()
            optimiser.step()


def _class_logits(model: Model, rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Logits of the classes, and the row that each belongs to."""
    padding = model.tokenizer.pad_token_id
    batch = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=padding)
    read = torch.arange(batch.shape[1]) < torch.tensor([len(row) for row in rows])[:, None]
    logits = model.hf(input_ids=batch, attention_mask=read.long()).logits
    if not model.verbalizer:
        return logits, torch.arange(len(rows))
    return logits[read][:, [model.verbalizer[label][0] for label in LABELS]], torch.nonzero(read)[
        :, 0
    ]


def _keep(hf: Any, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    seen: dict[int, str] = {}
    weights = {
        name: one
        for name, one in hf.state_dict().items()
        if seen.setdefault(one.data_ptr(), name) == name
    }
    save_file(weights, part)
    os.replace(part, kept)
