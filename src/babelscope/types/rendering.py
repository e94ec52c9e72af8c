"""How values are shown in a notebook: by functions of `display`, imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

RENDERERS = {
    "Attribution": "babelscope.display.highlight:attribution_html",
    "AnswerExplanation": "babelscope.display.answers:answer_html",
    "Example": "babelscope.display.cards:example_html",
    "Measure": "babelscope.display.cards:measure_html",
}
"""The module and the function of each type; a row is a name, so that no type imports `display`."""


def rendered(value: Any) -> str:
    """The value as HTML that carries its own style and loads nothing."""
    module, _, function = RENDERERS[type(value).__name__].partition(":")
    return str(getattr(import_module(module), function)(value))
