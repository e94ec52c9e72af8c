"""More pieces, same words: slopes within texts, doses that change nothing, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from babelscope.analyses.tokenization.intervention import (
    AGREEMENT,
    graded,
    intervene,
    trained,
)
from babelscope.analyses.tokenization.responses import flips, responses
from babelscope.data.independence import clusters_by_task
from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.load import load
from babelscope.model.resegmentation import Resegmentation, fertility, resegment
from babelscope.stats.slopes import slope
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.small import make
from babelscope.types import Example
from conftest import TEXTS, tiny

ROWS = [Example(str(at), (text,), "en", label="positive") for at, text in enumerate(TEXTS[:2])]
OUTCOMES = ("normalised_comprehensiveness", "complexity", AGREEMENT)


def made_up(
    seed: int = 0, truth: float = -0.7
) -> tuple[list[float], list[float], list[str], list[str]]:
    """Instances with constants of their own, two to a group, and noise."""
    draw = np.random.default_rng(seed)
    names = [f"i{at}" for at in range(30) for _ in range(4)]
    groups = [f"g{at // 2}" for at in range(30) for _ in range(4)]
    doses = draw.uniform(1, 4, len(names))
    own = np.repeat(draw.normal(0, 5, 30), 4)
    return (
        doses.tolist(),
        (own + truth * doses + draw.normal(0, 0.5, len(names))).tolist(),
        names,
        groups,
    )


def test_the_slope_is_least_squares_with_a_constant_per_instance() -> None:
    x, y, names, groups = made_up()
    dummies = np.array(
        [[name == other for other in dict.fromkeys(names)] for name in names], dtype=float
    )
    expected = np.linalg.lstsq(np.column_stack([x, dummies]), np.array(y), rcond=None)[0][0]
    found = slope(x, y, names, groups)
    assert found.mean == pytest.approx(expected, abs=1e-9)
    assert found.low < found.mean < found.high
    assert found.n == 30
    order = np.random.default_rng(1).permutation(len(x))
    again = slope(*([many[at] for at in order] for many in (x, y, names, groups)))
    assert again.mean == pytest.approx(found.mean, abs=1e-12)
    assert again.low == pytest.approx(found.low, abs=1e-9)


def test_constants_of_instances_do_not_matter_and_scales_do() -> None:
    x, y, names, groups = made_up()
    found = slope(x, y, names, groups)
    shifted = [value + 100 * (name == "i3") for value, name in zip(y, names)]
    moved = [value + 7 * (name == "i5") for value, name in zip(x, names)]
    for other, factor in ((slope(x, shifted, names, groups), 1),
                               (slope(moved, y, names, groups), 1),
                          (slope(x, (3 * np.array(y)).tolist(), names, groups), 3),
                          (slope((2 * np.array(x)).tolist(), y, names, groups), 0.5)):  # fmt: skip
        assert other.mean == pytest.approx(factor * found.mean, abs=1e-9)
        assert other.high == pytest.approx(factor * found.high, abs=1e-9)
    line = slope(x, [2.5 * value for value in x], names, groups)
    assert (line.mean, line.low, line.high) == pytest.approx((2.5, 2.5, 2.5))


def test_what_has_one_dose_is_counted_as_undefined() -> None:
    found = slope(
        [1, 2, 1, 1, 1],
        [0, 1, 5, 6, float("nan")],
        ["a", "a", "b", "b", "c"],
        ["a", "a", "b", "b", "c"],
    )
    assert (found.mean, found.n, found.undefined) == (pytest.approx(1.0), 1, 2)
    assert isnan(slope([], [], [], []).mean)


def test_the_interval_covers_the_slope() -> None:
    hits = sum(
        one.low <= -0.7 <= one.high for one in (slope(*made_up(seed)) for seed in range(200))
    )
    assert 0.95 - 4 * np.sqrt(0.95 * 0.05 / 200) - 0.03 <= hits / 200, (
        "15 groups: percentile intervals are a little short"
    )


def test_a_dose_of_0_is_the_text_itself() -> None:
    """Whichever way: outcomes are those of the metric on the explanation, agreement is 1, and no
    prediction changes.
    """
    model = tiny("bert")
    cuts = [
        ("none", 0.0, None),
        ("characters", 0.0, Resegmentation("characters", 0.0)),
        ("same", 0.0, Resegmentation("same", 0.0)),
    ]
    found = intervene(model, ROWS, cuts, ["occlusion"], OUTCOMES)
    told = {(one.arm, one.id, one.outcome): one for one in found}
    for at, one in enumerate(explain(model, ROWS, "occlusion")):
        (row,) = encode(model, [ROWS[at]])
        for arm in ("none", "characters", "same"):
            assert told[arm, one.id, AGREEMENT].value == pytest.approx(1.0)
            assert told[arm, one.id, AGREEMENT].fertility == fertility(row)
            for name in OUTCOMES[:2]:
                assert told[arm, one.id, name].value == pytest.approx(
                    measure(model, [one], name)[0].value, abs=1e-9, nan_ok=True
                )
    assert all(one.kept for one in found)


def test_texts_whose_prediction_changes_are_left_out_and_counted() -> None:
    model = tiny("bert")
    cuts = graded(model, ["characters"], [0.0, 1.0], [], [], 0)
    found = intervene(model, ROWS, cuts, ["random"], [AGREEMENT, "complexity"])
    rows = encode(model, ROWS)
    both = explain(model, ROWS, "random")
    for row, one in zip(rows, both):
        (new,) = resegment(model, [row], Resegmentation("characters", 1.0))
        assert new is not None
        (out,) = inference.outputs(model, [inference.query(new)])
        same = model.labels[targets.predicted(model, new, out).index] == one.label
        mine = [each for each in found if each.id == row.example.id and each.dose == 1.0]
        assert all(each.kept == same for each in mine)
        assert all(isnan(each.value) != same or each.outcome == AGREEMENT for each in mine)
    for (arm, lang, dose), (mean, lost) in flips(found).items():
        assert (arm, lang) == ("characters", "en")
        kept = [each.kept for each in found if each.dose == dose and each.outcome == AGREEMENT]
        assert lost == pytest.approx(1 - np.mean(kept))
        assert mean >= 1


def test_responses_have_a_mean_per_dose_and_the_slope() -> None:
    model = tiny("xlm-roberta")
    cuts = graded(model, ["duplicate", "filler"], [0.0, 0.5, 1.0], [], [], 0)
    found = intervene(model, ROWS, cuts, ["occlusion"], ["complexity"])
    clusters = clusters_by_task(("", row.group, row.texts) for row in ROWS)
    for one in responses(found, clusters):
        mine = [each for each in found if each.arm == one.arm]
        assert [dose for dose, _ in one.means] == [0.0, 0.5, 1.0]
        for dose, mean in one.means:
            here = [each.value for each in mine if each.dose == dose and not isnan(each.value)]
            assert (
                mean.mean == pytest.approx(np.mean(here), nan_ok=True) if here else isnan(mean.mean)
            )
        expected = slope(
            [e.dose for e in mine],
            [e.value for e in mine],
            [e.id for e in mine],
            [e.group for e in mine],
        )
        assert one.by_dose.mean == pytest.approx(expected.mean, nan_ok=True)
    filled = [each.fertility for each in found if each.arm == "filler" and each.id == "0"]
    assert len(set(filled)) == 1, "a filler is no piece of a word"


def test_bad_interventions_are_refused() -> None:
    model = tiny("bert")
    with pytest.raises(InputError, match="same id"):
        intervene(model, [ROWS[0], ROWS[0]], [], ["random"], ["complexity"])
    with pytest.raises(InputError, match="no method"):
        intervene(model, ROWS, [], ["nothing"], ["complexity"])
    with pytest.raises(InputError, match="needs 'pieces'"):
        graded(model, ["truncate"], [1.0], [], [], 0)


@pytest.mark.training
@pytest.mark.slow
def test_a_model_learns_from_other_pieces_and_is_explained_in_them(tmp_path: object) -> None:
    """Tuned on single characters, it is right about them; the arm keeps the texts that all of its
    models get right.
    """
    texts = ["good food", "lovely room", "bad food", "awful room"]
    labels = ["positive", "positive", "negative", "negative"]
    rows = [Example(str(at), (texts[at % 4],), "en", label=labels[at % 4]) for at in range(32)]
    base = make(
        f"{tmp_path}/base",
        "bert",
        texts,
        ["negative", "positive"],
        layers=1,
        width=32,
        vocabulary=120,
    )
    recipe = Recipe(learning_rate=3e-3, epochs=12, batch=8)
    models = []
    for dose, how in ((0.0, None), (1.0, Resegmentation("characters"))):
        models.append(
            (
                dose,
                load(
                    finetune(base, rows, rows[:4], f"{tmp_path}/{dose}", recipe, resegmentation=how)
                ),
                how,
            )
        )
    found = trained("characters", models, rows[:4], ["occlusion"], [*OUTCOMES])
    assert all(one.kept for one in found)
    whole, spelt = (
        {one.id: one for one in found if one.dose == dose and one.outcome == AGREEMENT}
        for dose in (0.0, 1.0)
    )
    assert all(spelt[name].fertility > whole[name].fertility for name in whole)
    assert all(one.value == pytest.approx(1.0) for one in whole.values())
    assert METRICS["complexity"].bounds[0] <= next(
        one.value for one in found if one.outcome == "complexity"
    )
    flipped = [
        replace(row, label="negative") if row.label == "positive" else row for row in rows[:4]
    ]
    assert any(
        not one.kept for one in trained("characters", models, flipped, ["occlusion"], [AGREEMENT])
    )
