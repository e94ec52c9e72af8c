"""Captum's layer integrated gradients, used as well as it can be.

Texts of equal length go together, so nothing is padded; position ids are given outright, because
those that RoBERTa derives from the ids shift at a baseline of padding and the gap then never
closes; the rule is Gauss-Legendre; inner batches hold as many tokens as was found fastest for it
here. Of a prompted decoder it explains the log-odds of a label against the others, from the zero
vector at the text's tokens, as ours does where the padding token means something else.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from captum.attr import (  # type: ignore[import-untyped]
    IntegratedGradients,
    LayerIntegratedGradients,
)
from numpy.typing import NDArray

from babelscope.model.load import Model
from babelscope.types import Encoded, Target

LONGEST_BATCH = 64
"""Texts of one length that are given to one call, at most."""


@dataclass
class Peer:
    """Captum on one model; `backward` counts the tokens of its gradient passes."""

    model: Model
    tokens: int = 1024
    backward: int = 0

    def scores(
        self, rows: Sequence[Encoded], targets: Sequence[Target], steps: int
    ) -> list[NDArray[np.float64]]:
        """The scores of each text's content tokens after that many steps, the same for all."""
        found: list[NDArray[np.float64]] = [np.zeros(0)] * len(rows)
        groups: dict[int, list[int]] = {}
        for at, row in enumerate(rows):
            groups.setdefault(len(row.ids), []).append(at)
        with self.model.inference_mode():
            for length, members in groups.items():
                most = max(1, min(LONGEST_BATCH, self.tokens // length))
                for start in range(0, len(members), most):
                    mine = members[start : start + most]
                    tables = self._attribute(
                        [rows[at] for at in mine], [targets[at] for at in mine], steps
                    )
                    for at, scores in zip(mine, tables):
                        found[at] = scores[rows[at].content]
        return found

    def _attribute(
        self, rows: Sequence[Encoded], targets: Sequence[Target], steps: int
    ) -> list[NDArray[np.float64]]:
        ids = torch.from_numpy(np.stack([row.ids for row in rows]))
        content = torch.from_numpy(np.stack([row.content for row in rows]))
        if self.model.generates:
            return self._attribute_prompts(ids, content, targets, steps)
        reference = torch.where(content, self.model.tokenizer.pad_token_id, ids)
        first, length = self.model.first_position, ids.shape[1]
        positions = torch.arange(first, first + length).expand(len(rows), length)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = LayerIntegratedGradients(self._call, self.model.embeddings).attribute(
                ids,
                reference,
                additional_forward_args=(positions,),
                target=[target.index for target in targets],
                n_steps=steps,
                method="gausslegendre",
                internal_batch_size=max(len(rows), self.tokens // length),
            )
        return list(tables.detach().double().sum(dim=-1).numpy())

    def _attribute_prompts(
        self, ids: torch.Tensor, content: torch.Tensor, targets: Sequence[Target], steps: int
    ) -> list[NDArray[np.float64]]:
        embedded = self.model.embeddings(ids).detach()
        positions = torch.arange(ids.shape[1]).expand(len(ids), ids.shape[1])
        tables = IntegratedGradients(self._log_odds).attribute(
            embedded,
            embedded * ~content[..., None],
            additional_forward_args=(positions, torch.tensor([each.index for each in targets])),
            n_steps=steps,
            method="gausslegendre",
            internal_batch_size=max(len(ids), self.tokens // ids.shape[1]),
        )
        return list(tables.detach().double().sum(dim=-1).numpy())

    def _log_odds(
        self, embedded: torch.Tensor, positions: torch.Tensor, index: torch.Tensor
    ) -> Any:
        """Of a label with a single token; a label's prior moves it by a constant."""
        if torch.is_grad_enabled():
            self.backward += embedded.shape[0] * embedded.shape[1]
        tokens = [words[0] for words in self.model.verbalizer.values()]
        logits = self.model.hf(
            inputs_embeds=embedded,
            attention_mask=torch.ones(embedded.shape[:2], dtype=torch.long),
            position_ids=positions,
            logits_to_keep=1,
        ).logits[:, -1, [ids[0] for ids in tokens]]
        chosen = torch.nn.functional.one_hot(index, logits.shape[1]).bool()
        others = logits.masked_fill(chosen, -torch.inf).logsumexp(dim=1)
        return logits[chosen] - others

    def _call(self, ids: torch.Tensor, positions: torch.Tensor) -> Any:
        if torch.is_grad_enabled():
            self.backward += ids.numel()
        return self.model.hf(
            input_ids=ids, attention_mask=torch.ones_like(ids), position_ids=positions
        ).logits
