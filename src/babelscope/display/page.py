"""Templates to HTML, every value escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from babelscope.display.numbers import number, p_value, percent


def render(template: str, *, folder: Path | None = None, **context: Any) -> Markup:
    """The template with every value escaped that is not marked as HTML already.

    Templates are looked up in `folder` first (those of an analysis lie beside its code), then among
    the shared ones.
    """
    return Markup(_environment(folder).get_template(template).render(**context))


def page_scripts(scripts: Sequence[str]) -> Markup:
    """The scripts of a page, each in an element of its own; those that are empty are left out."""
    return Markup("\n").join(
        Markup("<script>{}</script>").format(Markup(script)) for script in scripts if script
    )


def policy(scripts: Sequence[str] = ()) -> Markup:
    """The content security policy of a page: it loads nothing, and runs these scripts alone.

        script-src 'sha256-...' for each script; 'none' where there is none

    *Laws*: a script that is not listed is not run, whether an element, an attribute (onerror) or an
    address (javascript:); neither frames, forms nor another base are allowed. Styles may be inline:
    figures set widths and colours, and a style runs nothing.
    """
    hashes = " ".join(
        f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        for script in scripts
        if script
    )
    return Markup(
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "script-src {}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'\">"
    ).format(Markup(hashes or "'none'"))


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
    environment.filters |= {"number": number, "percent": percent, "p_value": p_value}
    environment.globals |= {"policy": policy, "page_scripts": page_scripts}
    return environment
