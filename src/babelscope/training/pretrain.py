"""Pretraining of small encoders on parallel text, so that what one language teaches transfers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM

from babelscope.errors import InputError
from babelscope.files import dumps, write_text, writing_folder
from babelscope.model.inference_state import Progress
from babelscope.model.scopes import enough_threads, quiet
from babelscope.training import small
from babelscope.training.pretraining_batches import Row, batches, encode_row
from babelscope.training.pretraining_losses import pretraining_loss
from babelscope.training.pretraining_spec import Pretraining as Pretraining
from babelscope.training.start_vectors import start_vectors
from babelscope.types import Example

ENCODERS = ("bert", "xlm-roberta")


def pretrain(
    examples: Sequence[Example],
    output: str | Path,
    recipe: Pretraining,
    *,
    progress: Progress | None = None,
) -> Path:
    """An encoder with its tokenizer, pretrained on texts that are translations if they share a
    `group`.

    Three losses on random batches:

    * masked language modelling: each sequence has a share of its tokens, sampled between LIMITS,
      replaced (8 in 10 by the mask, 1 by a random token, 1 kept) and predicted;
    * translation language modelling: the same on a text beside its translation (`together`);
    * contrastive alignment, weighted by `pull`: of two translations that are encoded separately, a
      word's state and its translation's are nearer (cosine) than those of the other words of the
      batch, and so are the two first tokens; cross entropy at TEMPERATURE in both directions. Words
      are aligned where their `concepts` are known; else only the first tokens are.

    With one language only the first remains.

    *Laws*: the same examples, recipe and number of threads give the same weights; no label is used.
    Sources: BERT (Devlin et al. 2019); TLM (Conneau &
    Lample 2019, 3.3); alignment of contextual states (Cao et al. 2020; in-batch contrast as in
    InfoNCE, van den Oord et al. 2018). Choices of ours: masked shares vary, because a small model
    must learn both to use the context and to find the translation.
    """
    final = Path(output)
    if (final / "config.json").exists():
        return final
    if recipe.architecture not in ENCODERS:
        raise InputError(
            f"pretraining is for {' and '.join(ENCODERS)}, not {recipe.architecture!r}"
        )
    rows, tokenizer = rows_by_group(examples, recipe)
    torch.manual_seed(recipe.seed)
    classifier = small.make_model(
        recipe.architecture, tokenizer, ["0", "1"], layers=recipe.layers, width=recipe.width
    )
    model = AutoModelForMaskedLM.from_config(classifier.config)
    if recipe.start:
        with torch.no_grad():
            model.get_input_embeddings().weight.copy_(
                start_vectors(rows, len(tokenizer), recipe.width)
            )
    with quiet(), enough_threads(model):
        _train(model, tokenizer, rows, recipe, progress)
        model.config.id2label = model.config.label2id = None
        with writing_folder(final) as part:
            model.save_pretrained(part)
            tokenizer.save_pretrained(part)
            write_text(part / "pretraining.json", dumps(asdict(recipe)))
    return final


def rows_by_group(
    examples: Sequence[Example], recipe: Pretraining
) -> tuple[list[dict[str, Row]], Any]:
    """Translations by group and language."""
    if not examples:
        raise InputError("pretraining needs texts; none were given")
    texts = [text for row in examples for text in row.texts]
    tokenizer = small.make_tokenizer(
        recipe.architecture, texts, recipe.vocabulary, kind=recipe.tokenizer
    )
    groups: dict[str, dict[str, Row]] = {}
    for example in examples:
        groups.setdefault(example.group, {})[example.lang] = encode_row(example, tokenizer)
    return list(groups.values()), tokenizer


def _train(
    model: Any,
    tokenizer: Any,
    rows: Sequence[dict[str, Row]],
    recipe: Pretraining,
    progress: Progress | None,
) -> None:
    rng = random.Random(recipe.seed)
    decayed = [weight for weight in model.parameters() if weight.ndim > 1]
    plain = [weight for weight in model.parameters() if weight.ndim < 2]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=(0.9, 0.98))
    warm = max(1, recipe.steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / warm) * max(0.02, 1 - step / recipe.steps)
    )
    model.train()
    for step, batch in enumerate(batches(rows, recipe, tokenizer, rng)):
        loss = pretraining_loss(model, tokenizer, batch, recipe)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if progress is not None:
            progress(step + 1, recipe.steps)
    model.eval()
