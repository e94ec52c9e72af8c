"""The architectures that the rule engine is meant for: classifiers without a tokenizer, fed
embeddings.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor

from architectures import MODELS, build_hf
from babelscope.model.load import Model

COMMON: dict[str, Any] = {"vocab_size": 60, "num_labels": 3, "pad_token_id": 0}
ENDS: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
RULED = [name for name in MODELS if name not in ("t5", "mamba")]

every = pytest.mark.parametrize("name", RULED)


def made(name: str, biased: bool = False) -> tuple[Model, Tensor]:
    """A model with weights that matter, and embeddings of two texts."""
    hf.logging.set_verbosity_error()
    auto, settings = hf.AutoModelForSequenceClassification, {**COMMON, **ENDS}
    model = build_hf(auto, name, settings, seed=0, spread=0.3, biased=biased)
    ids = torch.randint(5, 60, (2, 9))
    whole = Model(hf=model, tokenizer=None, name=name, task="text-classification")
    return whole, model.get_input_embeddings()(ids).detach()


def relevance(model: Model, embedded: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Logits, and gradient times input of one of them."""
    leaf = embedded.clone().requires_grad_(True)
    attended = torch.ones(embedded.shape[:2], dtype=torch.long) if mask is None else mask
    out = model.hf(inputs_embeds=leaf, attention_mask=attended).logits
    (gradient,) = torch.autograd.grad(out[:, 1].sum(), leaf)
    return out.detach(), gradient * embedded
