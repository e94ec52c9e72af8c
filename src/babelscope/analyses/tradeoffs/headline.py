"""What did fine-tuning on one language cost the others? The largest cost, with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from babelscope.analyses.tradeoffs.answer import Cost, costs
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.numbers import listed, number, value_range
from babelscope.display.section import Answer, Reference

FILE = "tradeoffs.csv"
MARGIN = 0.05
"""A loss of accuracy that counts as none."""
EDGES = ("value", "low", "high")


def headline(tables: Mapping[str, Mapping[str, Any]]) -> Answer:
    """A cost is shown where a model that learnt its own language is significantly below a probe on
    the base elsewhere."""
    probed = {
        name: each for name, each in tables.items() if each["behaviour"]["harmed"] is not None
    }
    if not probed:
        text = "There is no probe on the base to compare with, so nothing can be said about cost."
        return Answer("unmeasured", Markup(text))
    known = {name: _losses(each) for name, each in probed.items()}
    if not any(known.values()):
        text = "No model was tested outside its own language."
        return Answer("unmeasured", Markup(text))
    shown = [(name, cost) for name, each in probed.items() for cost in costs(each)]
    texts = max(each["texts"] for each in probed.values())
    first = next(each for name, each in probed.items() if known[name])
    if not shown:
        return _none(known, _unlearnt(probed), _chart(first), texts)
    task, cost = max(shown, key=lambda pair: pair[1].value)
    others = [f"{language_name(c.source)} → {language_name(c.target)}" for _, c in shown
              if c is not cost]  # fmt: skip
    also = Markup("; a cost is also shown for {}").format(listed(others)) if others else ""
    where = f" on {task}" if len(tables) > 1 else ""
    sentence = Markup(
        "Fine-tuning on {} cost {} {} of accuracy{} against a probe on the base (interval {}){}."
    ).format(
        language_name(cost.source), language_name(cost.target), number(cost.value), where,
        value_range(cost.low, cost.high), also,
    )  # fmt: skip
    return Answer("yes", sentence, _references(task, cost), _chart(first), texts, "A cost is shown")


def _none(
    known: Mapping[str, list[Cost]], unlearnt: list[str], chart: Chart | None, texts: int
) -> Answer:
    task, worst = max(
        ((task, cost) for task, each in known.items() for cost in each), key=lambda p: p[1].value
    )
    learnt = _not_learnt(unlearnt)
    small = all(cost.high < MARGIN for each in known.values() for cost in each)
    lead = "Even at worst" if small and not unlearnt else "No significant cost is shown: at worst"
    amount = number(abs(worst.value))
    word = "below" if worst.value >= 0 else "above"
    bounds = (worst.low, worst.high) if worst.value >= 0 else (-worst.high, -worst.low)
    sentence = Markup(
        "{}, the accuracy of the model fine-tuned on {} is {} {} that of a probe on the base in {} "
        "(interval {}).{}"
    ).format(
        lead, language_name(worst.source), amount, word, language_name(worst.target),
        value_range(*bounds), learnt,
    )  # fmt: skip
    verdict = "no" if small and not unlearnt else "undecided"
    says = "No cost" if verdict == "no" else ""
    return Answer(verdict, sentence, _references(task, worst), chart, texts, says)


def _not_learnt(unlearnt: list[str]) -> str:
    if len(unlearnt) < 2:
        which = f" The model fine-tuned on {unlearnt[0]}" if unlearnt else ""
        return which and f"{which} did not learn its own language."
    last = f"{', on '.join(unlearnt[:-1])} and on {unlearnt[-1]}"
    return f" The models fine-tuned on {last} did not learn their own languages."


def _losses(tables: Mapping[str, Any]) -> list[Cost]:
    """By how much every model is below the probe outside its own language."""
    gain = tables["behaviour"]["gain"]["probe"]
    losses = []
    for row, source in enumerate(tables["sources"]):
        for place, target in enumerate(tables["targets"]):
            value, low, high = (gain[edge][row][place] for edge in EDGES)
            if source != target and None not in (value, low, high):
                losses.append(Cost(source, target, -value, -high, -low))
    return losses


def _references(task: str, cost: Cost) -> tuple[Reference, ...]:
    row = {"task": task, "source": cost.source, "target": cost.target}
    columns = (("gain", -cost.value), ("gain_low", -cost.high), ("gain_high", -cost.low))
    return tuple(Reference(FILE, row, column, value) for column, value in columns)


def _unlearnt(tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [row for each in tables.values() for row in each["behaviour"]["unlearnt"]]
    return [language_name(lang) for lang in dict.fromkeys(row["source"] for row in rows)]


def _chart(tables: Mapping[str, Any]) -> Chart:
    rows = []
    for cost in _losses(tables):
        name = f"{language_name(cost.source)} → {language_name(cost.target)}"
        said = f"{name}: {number(-cost.value)} [{number(-cost.high)}, {number(-cost.low)}]"
        rows.append(Row(name, (Mark(-cost.value, -cost.high, -cost.low, said),)))
    title = "accuracy less that of a probe on the base, by language fine-tuned on and tested in"
    return dot_plot(title, "gain over the probe", rows[:8], zero=True, width=300, small=True)
