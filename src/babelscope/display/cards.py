"""Single values as small cards for notebooks: a heading, and a name and a value in each row."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from markupsafe import Markup, escape

from babelscope.display.numbers import number
from babelscope.types import Example, Measure

CARD = "border:1px solid #8884;border-radius:8px;padding:.5em 1em;display:inline-block"
CELL = "text-align:start;vertical-align:top;padding:.1em 1em .1em 0"


def card(heading: str, facts: Mapping[str, object]) -> Markup:
    """A heading and a table of facts; those that are empty or None are left out.

    *Law*: neither names nor values become markup.
    """
    rows = Markup("").join(
        Markup('<tr><th scope="row" style="{0};font-weight:400;opacity:.75">{1}</th>'
               '<td style="{0}" dir="auto">{2}</td></tr>').format(CELL, name, _shown(value))
        for name, value in facts.items()
        if value not in (None, "", (), {})
    )  # fmt: skip
    table = Markup('<table style="border-collapse:collapse">{}</table>').format(rows)
    return Markup('<div style="{}"><b>{}</b>{}</div>').format(CARD, heading, table)


def example_html(example: Example) -> Markup:
    """An example with its label and what is annotated."""
    texts = {
        f"text {at}" if len(example.texts) > 1 else "text": text
        for at, text in enumerate(example.texts, 1)
    }
    group = example.group if example.group != example.id else None
    facts = {**texts, "language": example.lang, "label": example.label, "group": group}
    return card(f"Example {example.id}", facts)


def measure_html(measure: Measure) -> Markup:
    """A metric's value of one explanation, or why it has none."""
    value = number(measure.value) if isfinite(measure.value) else f"undefined: {measure.reason}"
    facts = {
        "value": value, "method": measure.method, "language": measure.lang,
        "model": measure.model, "example": measure.id,
    }  # fmt: skip
    return card(measure.metric.replace("_", " "), facts)


def _shown(value: object) -> Markup:
    if isinstance(value, float):
        return escape(number(value))
    return escape(", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value)
