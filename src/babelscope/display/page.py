"""Templates to HTML, every value escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from babelscope.display.numbers import number, percent


def render(template: str, *, folder: Path | None = None, **context: Any) -> Markup:
    """The template with every value escaped that is not marked as HTML already.

    Templates are looked up in `folder` first (those of an analysis lie beside its code), then among
    the shared ones.
    """
    return Markup(_environment(folder).get_template(template).render(**context))


@cache
def _environment(folder: Path | None) -> Environment:
    shared = Path(__file__).parent / "templates"
    environment = Environment(
        loader=FileSystemLoader([folder, shared] if folder else [shared]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent}
    return environment
