"""Integrated gradients against Captum's layer integrated gradients, with positions given
explicitly.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.model.encode import encode
from conftest import PAIRS, TEXTS, tiny

captum = pytest.importorskip("captum.attr", reason="captum is not installed (extra: peers)")


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("baseline", ["pad", "mask"])
def test_equal_to_captum(architecture: str, baseline: str) -> None:
    model = tiny(architecture)
    data = [*TEXTS, *PAIRS]
    found = explain(
        model, data, "integrated_gradients", options={"baseline": baseline, "tolerance": 1e-5}
    )
    for one, row in zip(found, encode(model, as_examples(data))):
        n = len(row.ids)
        positions = torch.arange(model.first_position, model.first_position + n)[None]
        types = (
            torch.zeros(1, n, dtype=torch.long)
            if row.types is None
            else torch.from_numpy(row.types)[None]
        )

        def call(ids: torch.Tensor, positions: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            rows = len(ids)
            return model.hf(
                ids,
                attention_mask=torch.ones_like(ids),
                position_ids=positions.expand(rows, -1),
                token_type_ids=types.expand(rows, -1),
            ).logits

        ids = torch.from_numpy(row.ids)[None]
        reference = ids.clone()
        reference[0, torch.from_numpy(row.content)] = getattr(
            model.tokenizer, f"{baseline}_token_id"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, delta = captum.LayerIntegratedGradients(call, model.embeddings).attribute(
                ids,
                reference,
                additional_forward_args=(positions, types),
                target=one.target_index,
                n_steps=120,
                return_convergence_delta=True,
            )
        assert abs(float(delta)) < 1e-4
        np.testing.assert_allclose(
            one.scores, theirs.sum(-1)[0].detach().numpy()[row.content], atol=1e-4
        )
        assert abs(sum(one.scores) - (one.value - one.reference_value)) < 1e-5
