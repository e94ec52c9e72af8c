"""AOPC and LOdds of a study's released code: every deviation by hand, and the written definition
without any."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics import METRICS
from babelscope.metrics.released_erasure import DEFAULT, sizes
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Encoded, Target
from conftest import PAIRS, TEXTS, tiny
from planted import WEIGHTS, planted_model

BIAS = 0.3


def p(*words: str) -> float:
    """The planted model's probability of these words."""
    return float(1 / (1 + np.exp(-sum(WEIGHTS[word] for word in words) - BIAS)))


def value(
    metric: str, model: Model, row: Encoded, scores: list[float], *deviations: str,
    index: int = 1, levels: int = 2,
) -> float:  # fmt: skip
    function = METRICS[f"released_{metric}"].function
    options = {"levels": levels, "deviations": deviations}
    (measured,) = function(model, [row], [np.array(scores)], [Target(index)], **options)
    return measured.value


def planted(text: str) -> tuple[Model, Encoded]:
    model = planted_model()
    (row,) = encode(model, as_examples(text))
    return model, row


def softmax(model: Model, ids: np.ndarray, types: np.ndarray | None) -> np.ndarray:
    """The probabilities of ids without padding, by the model's own call."""
    arguments = {"input_ids": torch.as_tensor(ids)[None]}
    if types is not None:
        arguments["token_type_ids"] = torch.as_tensor(types)[None]
    with torch.no_grad():
        return torch.softmax(model.hf(**arguments).logits[0], -1).double().numpy()


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("metric", ["aopc", "lodds"])
def test_without_deviations_it_is_the_written_definition(metric: str, architecture: str) -> None:
    model = tiny(architecture)
    rows = encode(model, as_examples([*TEXTS[:2], PAIRS[0]]), part="first")
    rng = np.random.default_rng(3)
    scores = [rng.normal(size=int(row.content.sum())) for row in rows]
    targets = [Target(1)] * len(rows)
    written = METRICS[metric].function(
        model, rows, scores, targets, unit="token", operator="pad", levels=9
    )
    here = METRICS[f"released_{metric}"].function(model, rows, scores, targets, deviations=())
    for left, right in zip(written, here):
        assert left.value == pytest.approx(right.value, abs=1e-12)


def test_which_levels_there_are() -> None:
    """Five words, two special tokens, four levels: shares of 5 are 1.25, 2.5, 3.75 and 5; of 7 they
    are 1.75, 3.5, 5.25 and 7, of which 5 at most are words."""
    assert sizes(5, 7, 4, frozenset()) == [1, 2, 4, 5]
    assert sizes(5, 7, 4, frozenset({"last"})) == [1, 2, 4]
    assert sizes(5, 7, 4, frozenset({"last", "levels"})) == [1, 2, 4, 4]
    assert sizes(5, 7, 4, frozenset({"budget"})) == [2, 4, 5]
    assert sizes(5, 7, 4, frozenset({"budget", "levels"})) == [2, 4, 5, 5]
    # The lowest of all tokens is a special one: no word is spared
    assert sizes(5, 7, 4, frozenset({"budget", "levels", "last"})) == [2, 4, 5, 5]


def test_the_lowest_token_is_never_erased() -> None:
    """Four words at two levels: two and four are erased; in the released code two and three."""
    model, row = planted("great good fine film")
    scores = [4.0, 3.0, 2.0, 1.0]
    full, two, three, four = p("great", "good", "fine", "film"), p("fine", "film"), p("film"), p()
    assert value("aopc", model, row, scores) == pytest.approx(full - (two + four) / 2)
    released = value("aopc", model, row, scores, "last")
    assert released == pytest.approx(full - (two + three) / 2)
    logs = np.log([two / full, three / full])
    assert value("lodds", model, row, scores, "last") == pytest.approx(logs.mean())


def test_absolute_differences_of_a_word_that_speaks_against() -> None:
    """Without its bad word the text is more positive: that is lost as well."""
    model, row = planted("good bad")
    full, one, none = p("good", "bad"), p("good"), p()
    assert one > full
    signed = value("aopc", model, row, [1.0, 2.0])
    assert signed == pytest.approx(full - (one + none) / 2)
    absolute = value("aopc", model, row, [1.0, 2.0], "absolute")
    assert absolute == pytest.approx((abs(full - one) + abs(full - none)) / 2)
    assert absolute > signed


def test_an_erased_token_has_the_id_0() -> None:
    """In XLM-R's vocabulary that is <s>: by the model's own call."""
    model = tiny("xlm-roberta")
    (row,) = encode(model, as_examples(TEXTS[0]))
    scores = list(-np.arange(float(row.content.sum())))
    full = softmax(model, row.ids, None)[1]
    erased = softmax(model, np.where(row.content, 0, row.ids), None)[1]
    assert abs(full - erased) > 1e-6
    released = value("aopc", model, row, scores, "erasure", levels=1)
    assert released == pytest.approx(full - erased, abs=1e-9)
    assert value("aopc", model, row, scores, levels=1) != pytest.approx(released)
    assert model.tokenizer.pad_token_id != 0


def test_without_types_both_texts_of_a_pair_are_of_the_first() -> None:
    model = tiny("bert")
    (row,) = encode(model, as_examples([PAIRS[0]]))
    scores = list(-np.arange(float(row.content.sum())))
    erased = np.where(row.content, model.tokenizer.pad_token_id, row.ids)
    for deviation, types in ((("types",), np.zeros_like(row.types)), ((), row.types)):
        change = softmax(model, row.ids, types)[1] - softmax(model, erased, types)[1]
        measured = value("aopc", model, row, scores, *deviation, levels=1)
        assert measured == pytest.approx(change, abs=1e-9)
    assert (row.types != 0).any()


def test_an_unknown_deviation_is_refused() -> None:
    model, row = planted("great fine")
    with pytest.raises(InputError, match="deviation 'pad' is not one of: erasure, budget, last"):
        value("aopc", model, row, [2.0, 1.0], "pad")
    with pytest.raises(InputError, match="levels must be at least 1, not 0"):
        value("aopc", model, row, [2.0, 1.0], levels=0)
    assert "absolute" not in DEFAULT
