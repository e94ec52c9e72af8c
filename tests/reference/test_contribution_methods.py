"""The reference implementations of the methods that take layers apart once more, where biases and
several heads matter.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from contributions import (
    reference_alti,
    reference_attention_flow,
    reference_decompx,
    reference_globenc,
    reference_parts,
    reference_value_zeroing,
)

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.training.small import ARCHITECTURES, make_model, make_tokenizer
from conftest import PAIRS, TEXTS

DATA = [TEXTS[0], TEXTS[4], PAIRS[0]]
REFERENCES = {
    "attention_flow": reference_attention_flow, "value_zeroing": reference_value_zeroing,
    "alti": reference_alti, "globenc": reference_globenc, "decompx": reference_decompx,
}  # fmt: skip


@cache
def biased(architecture: str) -> Model:
    """Three layers of two heads, with biases and norm weights as large as the rest."""
    tokenizer = make_tokenizer(
        architecture, [*TEXTS, *(text for pair in PAIRS for text in pair)], 300
    )
    torch.manual_seed(11)
    made = make_model(architecture, tokenizer, ["no", "yes"], layers=3, width=64).double().eval()
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.2)
            else:
                weight.normal_(1.0 if name.endswith("weight") else 0.0, 0.3)
    return load((made, tokenizer))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("method", REFERENCES)
def test_method_equals_its_reference_with_biases_and_heads(architecture: str, method: str) -> None:
    model = biased(architecture)
    for one, row in zip(explain(model, DATA, method), encode(model, as_examples(DATA))):
        np.testing.assert_allclose(
            one.scores, REFERENCES[method](model, row, one.target_index), rtol=0, atol=1e-9
        )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_references_parts_sum_to_the_logits(architecture: str) -> None:
    """Nothing of the output is nobody's; the reference would not do as a measure otherwise."""
    model = biased(architecture)
    (row,) = encode(model, as_examples(TEXTS[0]))
    types = {"token_type_ids": torch.from_numpy(row.types)[None]} if row.types is not None else {}
    logits = model.hf(torch.from_numpy(row.ids)[None], **types).logits[0].detach()
    torch.testing.assert_close(reference_parts(model, row).sum(0), logits, rtol=0, atol=1e-9)
