"""Contextual calibration: what a prompt answers to a text without content is divided out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from babelscope.errors import InputError
from babelscope.model import inference
from babelscope.model.prompts import encode_prompt
from babelscope.types import Example

if TYPE_CHECKING:
    from babelscope.model.transformer import Model

CONTENT_FREE = ("N/A", "[MASK]", "")
"""The texts without content of the paper."""


def label_prior(model: Model) -> tuple[float, ...]:
    """The log-probability of each label for a text without content.

        q_y = (p_y / c_y) / sum_k (p_k / c_k),    c = mean of p(. | x) over x in CONTENT_FREE
        as logits:  z_y - log c_y

    p the probabilities over the labels, c those of content-free texts in the same prompt, with the
    same examples before them. This function returns log c.

    *Laws*: a text whose probabilities are c gets the same probability for every label; dividing by
    equal c changes nothing; of two labels the log-odds move by a constant, so that methods that
    explain differences give the same scores.
    *Left open by the paper*: the probabilities after the division, of which it only takes the
    largest; they are divided by their sum. Both texts of a pair are without content.
    Source: Zhao et al. 2021 (Calibrate before use), section 5: W = diag(c)^-1, b = 0; the three
    content-free texts are averaged as there.
    """
    if not model.verbalizer or model.prompt is None:
        raise InputError("calibration divides the probabilities of labels; give the prompt labels")
    plain = replace(model, prior=())
    texts = [
        Example(f"content-free {at}", (text,) * (model.texts or 1))
        for at, text in enumerate(CONTENT_FREE)
    ]
    queries = [inference.query(encode_prompt(plain, example)) for example in texts]
    shares = [torch.softmax(output, dim=0) for output in inference.outputs(plain, queries)]
    return tuple(torch.stack(shares).mean(dim=0).log().tolist())
