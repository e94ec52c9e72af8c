"""Models of reviews: from scratch (an encoder, a decoder, a state-space model), or fine-tuned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import MambaConfig, MambaForCausalLM

from babelscope import options
from babelscope.data.corpora.yelp_hat import consensus
from babelscope.model.load import Model, load
from babelscope.training.cache import cache_folder
from babelscope.training.finetune import finetune, fingerprint
from babelscope.training.small import make_model
from babelscope.training.tokenizers import make_tokenizer
from babelscope.types import Example
from experiments.cached import cached_weights
from experiments.public_models import PublicModel, public_model

LABELS = ("negative", "positive")
CONTINUATIONS = {"negative": "bad", "positive": "good"}
"""Of a state-space model, which has no classification head."""
POSITIONS = 256
READERS = 3
"""All readers of a review."""


class Training(options.Spec):
    """How a model is trained from scratch."""

    layers: int
    width: int
    vocabulary: int
    length: int
    """Tokens of a review that are read in training."""
    batch: int
    epochs: int
    learning_rate: float


class ReviewModels(options.Spec):
    """Which models are trained on reviews."""

    folder: Path
    """Of Yelp-HAT."""
    trained_on: list[str]
    """Parts of the corpus."""
    scratch: list[str]
    """Architectures of models from scratch."""
    training: Training
    checkpoints: list[str]
    """Of the hub, fine-tuned on these reviews."""
    dev: int
    """Reviews of these that choose the epoch."""
    models: list[PublicModel]
    """Models of other reviews."""


def review_models(
    spec: ReviewModels, train: Sequence[Example]
) -> Iterator[tuple[Model, Sequence[str]]]:
    """Each model, and the methods that are too slow for it."""
    for name in spec.scratch:
        yield scratch_model(name, train, spec.training), ()
    for base in spec.checkpoints:
        place = cache_folder() / "experiments" / f"reviews-{base}"
        yield load(finetune(base, train[spec.dev :], train[: spec.dev], place)), ()
    for each in spec.models:
        model = public_model(each)
        if model is not None:
            yield model, each.omitted


def reviews(folder: Path, part: str) -> list[Example]:
    """Reviews of Yelp-HAT with the words that all readers marked."""
    files = [folder / "processed_data" / f"ham_{part}.csv{end}" for end in ("", ".gz")]
    return list(consensus(next(filter(Path.is_file, files)), "en", part, votes=READERS))


def scratch_model(architecture: str, train: Sequence[Example], spec: Training) -> Model:
    """A model trained on the reviews; its weights are kept in the user's cache."""
    kind = "bert" if architecture == "bert" else "gpt2"
    texts = [row.texts[0] for row in train]
    tokenizer = make_tokenizer(kind, texts, spec.vocabulary, POSITIONS)
    torch.manual_seed(0)
    name = f"{architecture} {spec.layers} x {spec.width}"
    if architecture == "mamba":
        hf = _state_space(tokenizer, spec)
        model = load((hf, tokenizer), task="text-generation", verbalizer=CONTINUATIONS, name=name)
    else:
        hf = make_model(
            architecture,
            tokenizer,
            LABELS,
            layers=spec.layers,
            width=spec.width,
            positions=POSITIONS,
        )
        model = load((hf, tokenizer), name=name)
    identity = {"train": fingerprint(train), "training": spec.model_dump()}
    cached_weights(hf, f"reviews-{architecture}", identity, lambda: _train(model, train, spec))
    return model


def _state_space(tokenizer: Any, spec: Training) -> Any:
    config = MambaConfig(
        hidden_size=spec.width,
        num_hidden_layers=spec.layers,
        state_size=8,
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return MambaForCausalLM(config)


def _train(model: Model, train: Sequence[Example], spec: Training) -> None:
    """Cross-entropy of the two classes; of a language model, of the two continuations after every
    token: after the last token alone, a state-space model memorises its training texts and does
    not generalise."""
    ids = [torch.tensor(model.tokenizer(row.texts[0])["input_ids"][: spec.length]) for row in train]
    labels = torch.tensor([row.label == "positive" for row in train]).long()
    optimiser = torch.optim.AdamW(model.hf.parameters(), lr=spec.learning_rate)
    generator = torch.Generator().manual_seed(0)
    model.hf.train()
    torch.set_num_threads(1)
    for _ in range(spec.epochs):
        order = torch.randperm(len(ids), generator=generator)
        for batch in order.split(spec.batch):
            optimiser.zero_grad()
            logits, row = _class_logits(model, [ids[at] for at in batch])
            torch.nn.functional.cross_entropy(logits, labels[batch][row]).backward()
            optimiser.step()


def _class_logits(model: Model, rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Logits of the classes, and the row that each belongs to."""
    padding = model.tokenizer.pad_token_id
    batch = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=padding)
    present = torch.arange(batch.shape[1]) < torch.tensor([len(row) for row in rows])[:, None]
    logits = model.hf(input_ids=batch, attention_mask=present.long()).logits
    if not model.verbalizer:
        return logits, torch.arange(len(rows))
    continuations = [model.verbalizer[label][0][0] for label in LABELS]
    return logits[present][:, continuations], torch.nonzero(present)[:, 0]
