"""A fully connected network that reads words at fixed places."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

UNITS = 400
"""Units of the hidden layer in Leemann et al. 2024."""


class FullyConnectedConfig(PreTrainedConfig):  # type: ignore[misc]
    """Sizes of the network; `max_position_embeddings` is the number of places."""

    model_type = "fully-connected"

    def __init__(
        self,
        vocab_size: int = 8000,
        hidden_size: int = 128,
        intermediate_size: int = UNITS,
        max_position_embeddings: int = 128,
        pad_token_id: int = 0,
        **others: Any,
    ) -> None:
        self.vocab_size, self.hidden_size = vocab_size, hidden_size
        self.intermediate_size = intermediate_size
        self.max_position_embeddings = max_position_embeddings
        self.num_hidden_layers = 0  # none that pass states of tokens on
        super().__init__(pad_token_id=pad_token_id, **others)


class _Places(torch.nn.Module):
    """Embeddings of all places side by side, then rectified units."""

    def __init__(self, config: FullyConnectedConfig) -> None:
        super().__init__()
        self.places = config.max_position_embeddings
        self.embeddings = torch.nn.Embedding(
            config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id
        )
        self.hidden = torch.nn.Linear(self.places * config.hidden_size, config.intermediate_size)

    def forward(self, embedded: Tensor, attention_mask: Tensor | None) -> Tensor:
        count = embedded.shape[1]
        if count > self.places:
            raise ValueError(f"a text has {count} tokens, and the network {self.places} places")
        if attention_mask is not None:
            embedded = embedded * attention_mask[..., None].to(embedded.dtype)
        whole = torch.nn.functional.pad(embedded, (0, 0, 0, self.places - count))
        return torch.relu(self.hidden(whole.flatten(1)))


class FullyConnectedForSequenceClassification(PreTrainedModel):  # type: ignore[misc]
    """Word embeddings of all places side by side, one rectified layer, classes.

        logits = W_2 relu(W_1 [e_1; ...; e_P] + b_1) + b_2

    e_i the embedding of the token at place i of P, and 0 where there is none, or none that is
    attended to. Longer texts are truncated by the tokenizer.

    *Laws*: padding and the batch change no number; the order of tokens does.
    *Left open by the paper*: the width of the embeddings, and how they begin.
    Source: Leemann et al. 2024 (SLALOM), appendix A.
    """

    config_class = FullyConnectedConfig
    base_model_prefix = "encoder"

    def __init__(self, config: FullyConnectedConfig) -> None:
        super().__init__(config)
        self.encoder = _Places(config)
        self.classifier = torch.nn.Linear(config.intermediate_size, config.num_labels)
        self.post_init()

    def _init_weights(self, module: torch.nn.Module) -> None:
        if isinstance(module, (torch.nn.Linear, torch.nn.Embedding)):
            module.reset_parameters()

    def get_input_embeddings(self) -> torch.nn.Module:
        return self.encoder.embeddings

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Float[Tensor, "batch token dim"] | None = None,
        labels: Tensor | None = None,
    ) -> SequenceClassifierOutput:
        embedded = self.encoder.embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        logits = self.classifier(self.encoder(embedded, attention_mask))
        loss = None
        if labels is not None:
            loss = self.loss_function(labels=labels, pooled_logits=logits, config=self.config)
        return SequenceClassifierOutput(loss=loss, logits=logits)
