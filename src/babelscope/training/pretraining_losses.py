"""The losses of pretraining: masked tokens, and aligned translations."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize

from babelscope.training.pretraining_batches import Batch
from babelscope.training.pretraining_spec import Pretraining

TEMPERATURE = 0.1
LIMITS = (0.15, 0.4)
"""Every sequence has its own share of masked tokens, sampled uniformly between these."""


def pretraining_loss(
    model: Any, tokenizer: Any, batch: Batch, recipe: Pretraining
) -> Float[Tensor, ""]:
    length = max(map(len, batch.ids))
    ids = torch.full((len(batch.ids), length), tokenizer.pad_token_id)
    for number, row in enumerate(batch.ids):
        ids[number, : len(row)] = torch.tensor(row)
    attended = (ids != tokenizer.pad_token_id).long()
    hidden, chosen = mask_tokens(ids, attended, tokenizer)
    states = model.base_model(input_ids=hidden, attention_mask=attended).last_hidden_state
    head = model.cls if hasattr(model, "cls") else model.lm_head
    loss = cross_entropy(head(states[chosen]), ids[chosen])
    if batch.pairs and recipe.pull:
        loss = loss + recipe.pull * _alignment(states, batch)
    return loss


def _alignment(states: Float[Tensor, "row token width"], batch: Batch) -> Float[Tensor, ""]:
    """The mean of the contrastive losses of the first tokens and of aligned words."""
    firsts = [states[[pair[side] for pair in batch.pairs], 0] for side in (0, 1)]
    losses = [contrast(*firsts)]
    if batch.tokens:
        first, at, second, to = (torch.tensor(column) for column in zip(*batch.tokens))
        numbers = {name: number for number, name in enumerate(dict.fromkeys(batch.meanings))}
        same = torch.tensor([numbers[name] for name in batch.meanings])
        losses.append(
            contrast(states[first, at], states[second, to], same[:, None] == same[None, :])
        )
    return torch.stack(losses).mean()


def mask_tokens(
    ids: Int[Tensor, "row token"], attended: Int[Tensor, "row token"], tokenizer: Any
) -> tuple[Int[Tensor, "row token"], Tensor]:
    """The ids with some masked, and where these are."""
    special = torch.isin(ids, torch.tensor(tokenizer.all_special_ids)) | (attended == 0)
    low, high = LIMITS
    share = low + (high - low) * torch.rand(len(ids), 1)
    chosen = (torch.rand(ids.shape) < share) & ~special
    chosen[0, int((~special[0]).nonzero()[0])] = True  # never nothing
    chance = torch.rand(ids.shape)
    hidden = torch.where(chosen & (chance < 0.8), tokenizer.mask_token_id, ids)
    return torch.where(
        chosen & (chance >= 0.9), torch.randint(0, len(tokenizer), ids.shape), hidden
    ), chosen


def contrast(
    first: Float[Tensor, "pair width"],
    second: Float[Tensor, "pair width"],
    same: Bool[Tensor, "pair pair"] | None = None,
) -> Float[Tensor, ""]:
    """Cross entropy of each state's partner among all states of other concepts, in both
    directions."""
    alike = normalize(first, dim=-1) @ normalize(second, dim=-1).T / TEMPERATURE
    if same is not None:
        alike = alike.masked_fill(same & ~torch.eye(len(alike), dtype=torch.bool), -torch.inf)
    right = torch.arange(len(alike))
    return (cross_entropy(alike, right) + cross_entropy(alike.T, right)) / 2
