"""A perceptron on TF-IDF weights of the tokenizer's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

FIRST, SECOND = 768, 150
"""Units of the two hidden layers in Leemann et al. 2024; smaller ones keep their ratio."""


class TfIdfConfig(PreTrainedConfig):  # type: ignore[misc]
    """Sizes of the perceptron, and the ids that are not counted."""

    model_type = "tf-idf"

    def __init__(
        self,
        vocab_size: int = 8000,
        hidden_size: int = FIRST,
        uncounted: Sequence[int] = (0,),
        pad_token_id: int = 0,
        **others: Any,
    ) -> None:
        self.vocab_size, self.hidden_size = vocab_size, hidden_size
        self.uncounted = sorted(uncounted)
        self.num_hidden_layers = 0  # none that pass states of tokens on
        super().__init__(pad_token_id=pad_token_id, **others)

    @property
    def second_size(self) -> int:
        """Units of the second hidden layer."""
        return max(1, int(self.hidden_size) * SECOND // FIRST)


class _Layers(torch.nn.Module):
    """Two rectified layers over the weighted words of a text."""

    def __init__(self, config: TfIdfConfig) -> None:
        super().__init__()
        self.words = torch.nn.EmbeddingBag(config.vocab_size, config.hidden_size, mode="sum")
        self.bias = torch.nn.Parameter(torch.zeros(config.hidden_size))
        self.second = torch.nn.Linear(config.hidden_size, config.second_size)

    def forward(self, input_ids: Tensor, weights: Tensor) -> Tensor:
        first = torch.relu(self.words(input_ids, per_sample_weights=weights) + self.bias)
        return torch.relu(self.second(first))


class TfIdfForSequenceClassification(PreTrainedModel):  # type: ignore[misc]
    """Counts of ids times their inverse document frequency, two rectified layers, classes.

        x = c * idf / ||c * idf||_2        logits = W_3 relu(W_2 relu(W_1 x + b_1) + b_2) + b_3

    c_v how often id v is attended to; special tokens and padding are not counted. A text without a
    counted id has x = 0.

    *Laws*: x is that of scikit-learn's TfidfTransformer(smooth_idf=True, norm="l2") on the same
    counts; the order of tokens, padding and special tokens change no number.
    *Left open by the paper*: how words are found; those of the tokenizer.
    Source: Leemann et al. 2024 (SLALOM), table 10.
    """

    config_class = TfIdfConfig
    base_model_prefix = "hidden"
    idf: Tensor

    def __init__(self, config: TfIdfConfig) -> None:
        super().__init__(config)
        self.register_buffer("idf", torch.ones(config.vocab_size))
        self.hidden = _Layers(config)
        self.classifier = torch.nn.Linear(config.second_size, config.num_labels)
        self.post_init()

    def _init_weights(self, module: torch.nn.Module) -> None:
        """Glorot's, as in scikit-learn's perceptron."""
        if isinstance(module, (torch.nn.Linear, torch.nn.EmbeddingBag)):
            torch.nn.init.xavier_uniform_(module.weight)
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.zeros_(module.bias)
        if isinstance(module, _Layers):
            torch.nn.init.zeros_(module.bias)

    def get_input_embeddings(self) -> None:
        """There are none: words are counted."""
        return None

    def place_weights(
        self, input_ids: Int[Tensor, "batch token"], attention_mask: Tensor | None = None
    ) -> Float[Tensor, "batch token"]:
        """What every place adds to the weight x of its word: idf / ||c * idf||, 0 where nothing is
        counted. Texts are short beside the vocabulary, so that x itself is never needed.
        """
        uncounted = torch.tensor(self.config.uncounted, device=input_ids.device)
        seen = (~torch.isin(input_ids, uncounted)).to(self.idf.dtype)
        if attention_mask is not None:
            seen = seen * attention_mask.to(self.idf.dtype)
        same = (input_ids[:, :, None] == input_ids[:, None, :]).to(self.idf.dtype)
        counts = (same @ seen[..., None]).squeeze(-1)
        idf = self.idf[input_ids]
        length = (seen * counts * idf**2).sum(dim=1, keepdim=True).sqrt()
        return seen * idf / length.clamp_min(torch.finfo(idf.dtype).tiny)

    def forward(
        self,
        input_ids: Int[Tensor, "batch token"],
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> SequenceClassifierOutput:
        weights = self.place_weights(input_ids, attention_mask)
        logits = self.classifier(self.hidden(input_ids, weights))
        loss = None
        if labels is not None:
            loss = self.loss_function(labels=labels, pooled_logits=logits, config=self.config)
        return SequenceClassifierOutput(loss=loss, logits=logits)


def inverse_frequencies(texts: Sequence[Sequence[int]], size: int) -> Float[Tensor, " word"]:
    """The smoothed inverse document frequency of every id below `size`.

        idf_v = ln((1 + n) / (1 + n_v)) + 1

    n the number of texts, n_v of those that hold v: as if one more text held every word.

    *Laws*: that of scikit-learn with smooth_idf=True; 1 of an id that is in all texts, and the
    largest of one that is in none.
    """
    holding = torch.zeros(size, dtype=torch.float64)
    for ids in texts:
        holding[torch.tensor(sorted(set(ids)), dtype=torch.long)] += 1
    return torch.log((1 + len(texts)) / (1 + holding)) + 1
