"""Masked relevance under given masks: equal to the slow reference implementations, and the laws of
the mask.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_methods import reference_propagation, rolled_out

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError
from babelscope.methods.explain import (
    explain,
)
from babelscope.model.encode import encode
from babelscope.model.head_masks import HeadMask, to_json, write_mask
from babelscope.model.load import Model
from conftest import TEXTS

DATA = TEXTS[:3]


def mask(keep: list[list[int]]) -> str:
    rows = tuple(tuple(bool(head) for head in layer) for layer in keep)
    none = tuple((None,) for _ in keep)
    return to_json(
        HeadMask(
            "any",
            "en",
            "0" * 64,
            ("nsubj",),
            "dep->head",
            "strip",
            none,
            0.05,
            0.8,
            "synt_pos",
            rows,
        )
    )


def scores(model: Model, method: str, keep: list[list[int]] | None = None) -> list[np.ndarray]:
    options = {} if keep is None else {"heads": mask(keep)}
    return [np.array(one.scores) for one in explain(model, DATA, method, options=options)]


@pytest.mark.parametrize("keep", [[[1, 0], [0, 1]], [[0, 1], [1, 1]]])
def test_masked_methods_equal_their_references(model: Model, keep: list[list[int]]) -> None:
    floats = [[float(head) for head in layer] for layer in keep]
    rows = encode(model, as_examples(DATA))
    for method in ("masked_lrp", "masked_attnlrp"):
        for one, row in zip(explain(model, DATA, method, options={"heads": mask(keep)}), rows):
            if method == "masked_lrp":
                expected = rolled_out(model, row, one.target_index, np.concatenate(floats))
            else:
                expected = reference_propagation(
                    model, row, one.target_index, conservative=False, mask=floats
                )
            np.testing.assert_allclose(one.scores, expected, atol=1e-8)


@pytest.mark.parametrize(
    ("method", "whole"), [("masked_lrp", "transatt"), ("masked_attnlrp", "attnlrp")]
)
def test_a_mask_of_ones_is_no_mask(model: Model, method: str, whole: str) -> None:
    for one, other in zip(scores(model, method, [[1, 1], [1, 1]]), scores(model, whole)):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_the_lowest_layer_counts_only_where_embeddings_are_read(model: Model) -> None:
    plain, low = (
        scores(model, "masked_lrp", [[1, 1], [1, 1]]),
        scores(model, "masked_lrp", [[0, 1], [1, 1]]),
    )
    assert all((a == b).all() for a, b in zip(plain, low))
    high = scores(model, "masked_lrp", [[1, 1], [0, 1]])
    assert any(np.abs(a - b).max() > 1e-6 for a, b in zip(plain, high))
    signed, below = scores(model, "attnlrp"), scores(model, "masked_attnlrp", [[0, 1], [1, 1]])
    assert any(np.abs(a - b).max() > 1e-6 for a, b in zip(signed, below))


def test_no_head_leaves_the_residual_path(model: Model) -> None:
    """The rollout of every text is still a share of 1: in [0, 1], with special tokens 1 in all."""
    for one in explain(model, DATA, "masked_lrp", options={"heads": mask([[0, 0], [0, 0]])}):
        assert min(one.scores) >= 0
        assert sum(one.scores) <= 1 + 1e-12
        assert one.flags == ("the head mask keeps no head",)


def test_a_mask_for_another_model_is_refused(bert: Model, tmp_path: object) -> None:
    with pytest.raises(
        InputError, match=r"is for 3 layers of 2 heads .* but .* has 2 layers of 2 heads"
    ):
        scores(bert, "masked_lrp", [[1, 1], [1, 1], [1, 1]])
    with pytest.raises(InputError, match=r"there is no head mask nowhere\.json"):
        explain(bert, DATA, "masked_attnlrp", options={"heads": "nowhere.json"})


def test_a_mask_file_is_its_json(bert: Model, tmp_path: object) -> None:
    from babelscope.model.head_masks import from_json

    text = mask([[1, 0], [0, 1]])
    file = write_mask(from_json(text), f"{tmp_path}/mask.json")
    for one, other in zip(
        scores(bert, "masked_lrp", [[1, 0], [0, 1]]),
        explain(bert, DATA, "masked_lrp", options={"heads": str(file)}),
    ):
        np.testing.assert_array_equal(one, other.scores)
