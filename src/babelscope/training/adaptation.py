"""A short pretraining of a checkpoint on the texts of a task, before it is fine-tuned on labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from babelscope.errors import InputError
from babelscope.files import writing_folder
from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.inference_state import Progress
from babelscope.model.load import fastest
from babelscope.model.pretrained import read_config, read_weights
from babelscope.model.scopes import enough_threads, quiet
from babelscope.model.tokenizers import load_tokenizer
from babelscope.random import keyed
from babelscope.training.pretraining_losses import mask_tokens
from babelscope.types import Example

LONGEST = 128
"""Tokens of a text that are read at most."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """The settings of an adaptation."""

    steps: int
    learning_rate: float = 5e-5
    batch: int = 16
    seed: int = 0


def adapt(
    base: str,
    examples: Sequence[Example],
    output: str | Path,
    settings: Adaptation,
    *,
    revision: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """The checkpoint after some steps of its own objective on these texts, all weights trained;
    labels are not read.

        loss = cross entropy of masked tokens, the shares of `pretraining_losses.LIMITS`; of a
          decoder, of the next token

    AdamW with linear decay after a warm-up of a tenth; texts are sampled with replacement. A text
    longer than LONGEST is cut.

    *Laws*: the same texts, settings and number of threads give the same weights; the vocabulary
    stays. Source: Gururangan et al. 2020 (task-adaptive pretraining).
    """
    place, revision = resolve(base, revision)
    tokenizer = load_tokenizer(base, revision=revision)
    rows = _token_ids(tokenizer, examples)
    hf, masked = _language_model(place, revision)
    torch.manual_seed(settings.seed)
    hf.to(fastest()).train()
    with quiet(), enough_threads(hf):
        _train(hf, partial(_loss, hf, tokenizer, masked), rows, settings, progress)
        hf.eval().to("cpu")
        with writing_folder(Path(output)) as part:
            hf.save_pretrained(part)
            tokenizer.save_pretrained(part)
    return Path(output)


def _train(
    hf: Any, loss_of: Callable[[Sequence[list[int]]], Tensor], rows: Sequence[list[int]],
    settings: Adaptation, progress: Progress | None,
) -> None:  # fmt: skip
    steps, warm = settings.steps, max(1, settings.steps // 10)
    optimizer = torch.optim.AdamW(hf.parameters(), lr=settings.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, 1 - step / steps)
    )
    rng = keyed("adaptation", settings.seed)
    for step in range(steps):
        chosen = rng.integers(len(rows), size=settings.batch).tolist()
        loss = loss_of([rows[at] for at in chosen])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(hf.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if progress is not None:
            progress(step + 1, steps)


def _token_ids(tokenizer: Any, examples: Sequence[Example]) -> list[list[int]]:
    """The texts of the examples that hold a token which is not special or unknown."""
    texts = [text for row in examples for text in row.texts]
    read = tokenizer(texts, truncation=True, max_length=LONGEST, verbose=False) if texts else {}
    special = set(tokenizer.all_special_ids)
    rows = [list(row) for row in read.get("input_ids", ()) if not special.issuperset(row)]
    if not rows:
        raise InputError("adapting a checkpoint needs texts that its tokenizer knows; none are")
    return rows


def _language_model(place: str, revision: str | None) -> tuple[Any, bool]:
    """The checkpoint with its own head, and whether that fills masks."""
    with quiet():
        try:
            kind = read_config(place, revision).model_type
            masked = kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES
            auto = AutoModelForMaskedLM if masked else AutoModelForCausalLM
            hf, info = read_weights(auto, place, revision)
        except Exception as error:  # of a damaged file: whatever its reader raises
            raise not_found(place, error) from error
    missing = [name for name in sorted(info["missing_keys"]) if "position_ids" not in name]
    if missing:
        raise InputError(
            f"{place} has no language model to adapt (untrained: {missing[0]}); leave out "
            "'adaptation'"
        )
    return hf, masked


def _loss(hf: Any, tokenizer: Any, masked: bool, rows: Sequence[list[int]]) -> Float[Tensor, ""]:
    ids = torch.full((len(rows), max(map(len, rows))), tokenizer.pad_token_id or 0)
    attended = torch.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
        attended[number, : len(row)] = 1
    labels = torch.where(attended == 1, ids, -100)
    if masked:
        ids, chosen = mask_tokens(ids, attended, tokenizer)
        labels = torch.where(chosen, labels, -100)
    inputs = (each.to(hf.device) for each in (ids, attended, labels))
    loss: Tensor = hf(**dict(zip(("input_ids", "attention_mask", "labels"), inputs))).loss
    return loss
