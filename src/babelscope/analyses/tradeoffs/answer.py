"""What fine-tuning cost, in one sentence that is as strong as the intervals allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from babelscope.display.numbers import number, value_range


class Cost(NamedTuple):
    """By how much a model is below the probe in a language that is not its own."""

    source: str
    target: str
    value: float
    low: float
    high: float


def answer(tables: Mapping[str, Mapping[str, Any]]) -> Markup:
    """One sentence for each task; the name of the task precedes it where there are several."""
    sentences = []
    for name, each in tables.items():
        sentence = _sentence(each)
        sentences.append(Markup("{}: {}").format(name, sentence) if len(tables) > 1 else sentence)
    return Markup(" ").join(sentences)


def costs(tables: Mapping[str, Any]) -> list[Cost]:
    """The models that learnt their own language and are significantly below the probe in another,
    largest cost first."""
    gain, sources, targets = (
        tables["behaviour"]["gain"].get("probe"),
        tables["sources"],
        tables["targets"],
    )
    listed = []
    for source, target in tables["behaviour"]["harmed"] or ():
        row, place = sources.index(source), targets.index(target)
        value, low, high = (gain[edge][row][place] for edge in ("value", "low", "high"))
        listed.append(Cost(source, target, -value, -high, -low))
    return sorted(listed, key=lambda cost: -cost.value)


def _sentence(tables: Mapping[str, Any]) -> Markup:
    others = [(s, t) for s in tables["sources"] for t in tables["targets"] if s != t]
    if tables["behaviour"]["harmed"] is None:
        return Markup(
            "There is no probe to compare with (it needs the base, and training and development "
            "texts), so nothing "
            "can be said about cost."
        )
    if not others:
        return Markup(
            "No model was tested outside its own language, so nothing can be said about cost."
        )
    listed, open_ = costs(tables), _not_concluded(tables["behaviour"]["unlearnt"])
    if not listed and len(tables["behaviour"]["unlearnt"]) == len(tables["sources"]):
        return Markup("Whether fine-tuning did harm cannot be decided.") + open_
    if not listed:
        return (
            Markup(
                "No model is significantly below the probe outside its own language: no cost shown."
            )
            + open_
        )
    first, *rest = listed
    more = ", ".join(f"{cost.source} → {cost.target} {number(cost.value, 2)}" for cost in rest)
    text = Markup(
        'Fine-tuning on <span data-lang="{0.source}">{0.source}</span> cost '
        '<span data-lang="{0.target}">{0.target}</span> {1} of accuracy against a probe on the '
        "base "
        "(95 % interval {2}){3}."
    )
    bounds = value_range(first.low, first.high, 2)
    more = f"; also {more}" if rest else ""
    return text.format(first, number(first.value, 2), bounds, more) + open_


def _not_concluded(unlearnt: Sequence[Mapping[str, str]]) -> Markup:
    """The models of which no cost can be concluded, with the reason."""
    text = Markup(
        ' Nothing can be concluded about the model fine-tuned on <span data-lang="{0}">{0}</span>: '
        "{1}."
    )
    return Markup("").join(text.format(row["source"], row["reason"]) for row in unlearnt)
