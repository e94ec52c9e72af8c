"""Small transformers that read the synthetic languages word by word, and the published fit of a
SLALOM.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from babelscope.data.synthetic import Language, sample
from babelscope.model import inference
from babelscope.model.load import Model, load
from babelscope.training.small import make_model
from babelscope.training.tokenizers import BERT_SPECIALS
from experiments.cached import cached_weights

WIDTH, BATCH, RATE = 64, 64, 1e-3


def word_tokenizer(language: Language, architecture: str) -> Any:
    """One token per word; special tokens around the text for encoders, none for a decoder."""
    specials = list(BERT_SPECIALS.values())
    made = Tokenizer(
        models.WordLevel(
            {name: at for at, name in enumerate([*specials, *language.words])}, unk_token="[UNK]"
        )
    )
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if architecture != "gpt2":
        around = [("[CLS]", 2), ("[SEP]", 3)]
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=around
        )
    names = {**BERT_SPECIALS, "bos_token": "[CLS]", "eos_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **names)


def queries(model: Model, sequences: Sequence[Sequence[int]]) -> list[inference.Query]:
    """The texts as the model reads them; word k of the language is token k + 5."""
    bare = model.hf.config.model_type == "gpt2"
    shift = len(BERT_SPECIALS)
    rows = [[word + shift for word in one] for one in sequences]
    return [inference.Query(np.array(row if bare else [2, *row, 3], np.int64)) for row in rows]


def answers(model: Model, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The log-odds of the positive class."""
    return np.array(
        [float(out[1] - out[0]) for out in inference.outputs(model, queries(model, sequences))]
    )


def trained(
    language: Language, architecture: str, layers: int, seed: int, steps: int, *, scale: float = 1.0
) -> Model:
    """A transformer from scratch on fresh texts of the language; trained once and kept in the
    user's cache.
    """
    tokenizer = word_tokenizer(language, architecture)
    torch.manual_seed(seed)
    hf = make_model(
        architecture, tokenizer, ["negative", "positive"], layers=layers, width=WIDTH, positions=64
    )
    model = load((hf, tokenizer))
    law = [
        language.value.tolist(),
        None if language.importance is None else language.importance.tolist(),
        scale,
    ]
    identity = {
        "language": law,
        "model": [architecture, layers, WIDTH, seed],
        "training": [steps, BATCH, RATE],
    }
    cached_weights(
        hf,
        f"words-{architecture}-{layers}",
        identity,
        lambda: _train(model, language, seed, steps, scale),
    )
    return model


def _train(model: Model, language: Language, seed: int, steps: int, scale: float) -> None:
    hf = model.hf
    examples, sequences = sample(language, steps * BATCH, seed=seed + 100, scale=scale)
    labels = torch.tensor([one.label == "positive" for one in examples]).long()
    optimiser = torch.optim.AdamW(hf.parameters(), lr=RATE)
    asked = [torch.from_numpy(query.ids) for query in queries(model, sequences)]
    hf.train()
    torch.set_num_threads(1)
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        ids = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
        optimiser.zero_grad()
        logits = hf(input_ids=ids, attention_mask=(ids != 0).long()).logits
        torch.nn.functional.cross_entropy(logits, labels[start : start + BATCH]).backward()
        optimiser.step()


def published_fit(
    sequences: Sequence[Sequence[int]], answer: NDArray[np.float64], size: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Adam as published: from zero, 60 epochs, batches of 128 in a fixed order, rate 5e-3, the sum
    of squares.
    """
    importance, value = torch.zeros(size, requires_grad=True), torch.zeros(size, requires_grad=True)
    rows, wanted = torch.tensor(np.array(sequences)), torch.from_numpy(answer).float()
    optimiser = torch.optim.Adam([importance, value], lr=5e-3)
    for _ in range(60):
        for start in range(0, len(rows), 128):
            batch = rows[start : start + 128]
            optimiser.zero_grad()
            found = (torch.softmax(importance[batch], -1) * value[batch]).sum(1)
            ((wanted[start : start + 128] - found) ** 2).sum().backward()
            optimiser.step()
    return importance.detach().double().numpy(), value.detach().double().numpy()
