"""What explanations cost: means and factors by hand, sentences, clocks and counts."""

from __future__ import annotations

import json
import time
from math import isnan, log10
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from answer_checks import check_answer
from babelscope.analyses.costs import timing
from babelscope.analyses.costs.cells import runs
from babelscope.analyses.costs.section import cost_figure, section
from babelscope.analyses.costs.spec import Spec
from babelscope.analyses.costs.tables import Tables, _seconds, costs
from babelscope.errors import InputError
from babelscope.reporting.papers.slalom import Material
from babelscope.reporting.papers.slalom_costs import run_times
from babelscope.study.config import as_study, parse_block
from babelscope.study.grid import blocks
from ten_seconds import costs as derived

METHODS = {"kernel_shap": (4.0, 8.0), "gradient_norm": (0.01, 0.03), "random": (0.001, 0.001)}


def rows(methods: dict[str, tuple[float, ...]] = METHODS, **columns: Any) -> pd.DataFrame:
    """One row for every text of every method; the model reads ten tokens a second."""
    listed = [
        {"id": str(at), "group": str(at), "lang": "en", "model": "bert-6", "task": "yelp",
         "method": name, "base": name.partition("[")[0], "options": "{}", "seed": 0, "length": 7,
         "processor_seconds": seconds, "wall_seconds": 2 * seconds, "seconds": seconds,
         "tokens": int(1000 * seconds), "backward": 0, "queries": 3, "device": "cpu", "threads": 1}
        for name, values in methods.items()
        for at, seconds in enumerate(values)
    ]  # fmt: skip
    return pd.DataFrame(listed).assign(**columns)


def tables_of(frame: pd.DataFrame) -> Tables:
    return Tables(frame, costs(frame))


def test_means_and_factors_by_hand() -> None:
    """4 and 8 s: mean 6; 0.01 and 0.03 s: mean 0.02; 6 / 0.02 = 300. Random scores are no
    explanation: 0.001 / 0.02 = 0.05, and nothing is compared with them."""
    means = costs(rows()).set_index("method")
    np.testing.assert_allclose(means["seconds"], [6.0, 0.02, 0.001])
    np.testing.assert_allclose(means["times"], [300.0, 1.0, 0.05])
    np.testing.assert_allclose(means["wall_seconds"], [12.0, 0.04, 0.002])
    assert means.loc["kernel_shap", ["low", "high", "texts"]].tolist() == [4.0, 8.0, 2]


def test_factors_know_no_unit_and_no_order() -> None:
    frame = rows()
    hours = frame.assign(seconds=frame["seconds"] / 3600)
    np.testing.assert_allclose(costs(hours)["times"], costs(frame)["times"])
    shuffled = costs(frame.sample(frac=1.0, random_state=3)).set_index("method")
    pd.testing.assert_frame_equal(shuffled.loc[list(METHODS)], costs(frame).set_index("method"))


def test_what_is_measured_on_another_machine_is_not_compared() -> None:
    frame = pd.concat([rows(), rows({"lime": (0.001,)}, threads=8)], ignore_index=True)
    assert costs(frame).set_index("method").loc["lime", "times"] == 1.0
    assert costs(frame).set_index("method").loc["gradient_norm", "times"] == 1.0
    only = costs(rows({"random": (0.1,)}))
    assert isnan(only["times"][0]), "a control alone has nothing to be compared with"


def test_seconds_are_those_of_the_processor_or_of_an_accelerators_wall() -> None:
    frame = rows({"lime": (1.0, 2.0)}, device=["cpu", "cuda, some GPU"])
    assert _seconds(frame).tolist() == [1.0, 4.0]


@pytest.mark.parametrize(
    ("methods", "verdict"),
    [
        (METHODS, "yes"),
        ({"lime": (1.1, 2.9), "slalom": (1.0, 2.0)}, "no"),
        ({"lime": (9.0, 2.1), "slalom": (1.0, 2.0)}, "undecided"),
        ({"lime": (1.0, 2.0)}, "unmeasured"),
        ({"lime": (1.0, 2.0), "random": (0.01, 0.02)}, "unmeasured"),
        ({"random": (0.01, 0.02)}, "unmeasured"),
    ],
)
def test_the_sentence(methods: dict[str, tuple[float, ...]], verdict: str) -> None:
    """Yes where the dearest takes twice as long for every text, no where for none."""
    part = section(tables_of(rows(methods)))
    answer = check_answer(part)
    assert answer.verdict == verdict
    if set(methods) != {"random"}:
        expected, texts = derived(part)
        assert expected == verdict
        assert [text for text in texts if text not in answer.sentence] == []


def test_the_sentence_says_where_the_factor_is_largest() -> None:
    """bert-6: 6 s against 0.02 s, 300 times; of bert-2 only 12 times."""
    small = rows({"kernel_shap": (0.24, 0.24), "gradient_norm": (0.02, 0.02)}, model="bert-2")
    part = section(tables_of(pd.concat([rows(), small], ignore_index=True)))
    answer = check_answer(part)
    assert "(bert-6): 300 times as much" in answer.sentence
    assert "costs 6.0 s with kernel_shap and 0.020 s with gradient_norm" in answer.sentence
    assert "6,000 tokens" in answer.sentence
    assert part.charts[0].legend == ("bert-6", "bert-2")
    assert "bert-2" in part.body


def test_names_never_become_markup() -> None:
    part = section(tables_of(rows(model="<b>m</b>", task="<i>t</i>")))
    assert "<b>m</b>" not in part.body
    assert "<i>t</i>" not in part.body


def test_every_mark_of_the_figure_is_where_its_logarithm_is() -> None:
    """6 s, 0.02 s and 0.001 s: the second is log(0.02 / 0.001) / log(6 / 0.001) of the way from
    the third to the first."""
    import re

    chart = cost_figure(costs(rows())).charts[0]
    marks = re.findall(r'class="mark s0" transform="translate\(([\d.]+),', str(chart.marks))
    first, second, third = (float(x) for x in marks)
    share = log10(0.02 / 0.001) / log10(6 / 0.001)
    assert (second - third) / (first - third) == pytest.approx(share, abs=0.002)


def test_table_11_has_the_published_seconds() -> None:
    """Those of 1,000 samples of a BERT of 6 layers; methods without samples have one number."""
    frame = rows({"kernel_shap[samples=1000]": (4.0,), "kernel_shap[samples=7]": (0.1,),
                  "slalom": (0.2,), "gradient_norm": (0.02,)})  # fmt: skip
    samples = {"kernel_shap[samples=1000]": 1000, "kernel_shap[samples=7]": 7, "slalom": 10000}
    options = [
        json.dumps({"samples": samples[name]} if name in samples else {})
        for name in frame["method"]
    ]
    frame = frame.assign(options=options)
    table = run_times(Material(None, None, tables_of(frame))).set_index("method")
    numbers = table["published"].tolist()
    assert numbers[0] == 3.89
    assert isnan(numbers[1])
    assert numbers[2:] == [2.40, 0.01]
    assert table["samples"].tolist() == ["1000", "7", "10000", ""]
    shallow = run_times(Material(None, None, tables_of(frame.assign(model="bert-2"))))
    assert shallow["published"].isna().all(), "the paper's has 6 layers"
    assert run_times(Material(None, None)).empty


def test_methods_are_checked_when_the_study_is_read() -> None:
    with pytest.raises(InputError, match="there is no method 'lime2'"):
        parse_block("costs", {"methods": ["lime2"]})
    with pytest.raises(InputError, match="no option 'sample'"):
        parse_block("costs", {"methods": [{"name": "lime", "options": {"sample": 3}}]})
    with pytest.raises(InputError, match="listed twice"):
        parse_block("costs", {"methods": ["lime", {"name": "lime", "options": {"samples": 512}}]})
    assert parse_block("costs", {}) == Spec()


def test_clocks_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the work adds to the counts, whatever they were; the clocks go on by 3 and 5 s."""
    from babelscope.model.inference_state import Cache, InferenceState

    state = InferenceState(tokens=100, backward=10, distinct=4, cache=Cache())
    model: Any = SimpleNamespace(inference=state, device=SimpleNamespace(type="cpu"))
    clock = {"process": 1.0, "wall": 20.0}
    monkeypatch.setattr(time, "process_time", lambda: clock["process"])
    monkeypatch.setattr(time, "perf_counter", lambda: clock["wall"])

    def work() -> str:
        assert state.cache is None, "nothing from before is used"
        state.tokens, state.backward, state.distinct = 142, 17, 6
        clock.update(process=4.0, wall=25.0)
        return "done"

    result, spent = timing.timed(model, work)
    assert result == "done"
    assert spent == timing.Spent(3.0, 5.0, 42, 7, 2)
    assert state.cache is not None
    assert timing.device_name(model) == "cpu"


@pytest.mark.parametrize(
    ("named", "timed"),
    [
        (None, ["lime", "integrated_gradients", "lime"]),
        (["lime"], ["lime", "lime"]),
        (["random"], []),
    ],
)
def test_a_model_is_timed_by_the_methods_that_explain_it(
    named: list[str] | None, timed: list[str]
) -> None:
    listed = [{"name": "lime", "options": {"samples": 8}}, "integrated_gradients", "lime"]
    study = as_study({
        "name": "costs",
        "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 2}}],
        "languages": ["en"],
        "models": [{"name": "english", "source": "demo-en", "methods": named}],
        "methods": ["random", "lime"],
        "costs": {"methods": listed},
    })  # fmt: skip
    (block,) = blocks(study)
    assert [run.choice.name for run in runs(block, study.analyses["costs"])] == timed
