"""Templates to text, text to files: everything escaped, nothing half written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup


def render(template: str, *, folder: Path | None = None, **context: Any) -> Markup:
    """The template with every value escaped that is not marked as HTML already.

    Templates are looked up in `folder` first (those of an analysis lie beside its code), then among
    the shared ones.
    """
    return Markup(_environment(folder).get_template(template).render(**context))


def write_together(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the files under other names, then renames them in order: a failure before the renames leaves none behind."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {folder / name: folder / f"{name}.part" for name in files}
    try:
        for part, text in zip(parts.values(), files.values()):
            with part.open("w", encoding="utf-8", newline="") as handle:
                handle.write(text)
                handle.flush()
                os.fsync(handle.fileno())
        for file, part in parts.items():
            os.replace(part, file)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


@cache
def _environment(folder: Path | None) -> Environment:
    shared = Path(__file__).parent / "templates"
    return Environment(
        loader=FileSystemLoader([folder, shared] if folder else [shared]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
