"""From the YAML file of an experiment to its page."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from babelscope.study.config import parse_study
from babelscope.types import Estimate
from experiments.study_sets import cut_folder, parse_studies

HERE = Path(__file__).resolve().parent
PAGES = HERE.parent / "docs" / "results"
SHARED = Path(os.environ.get("BABELSCOPE_SHARED") or HERE.parents[1] / "shared")
"""Public data and models: the folder `shared` beside the repository; files say `../shared`."""
NAMES = sorted(path.stem for path in HERE.glob("*.yaml"))


def read(file: Path) -> dict[str, Any]:
    """What a YAML file says, with the folders of public data and of cuts in their place; nothing
    if there is none."""
    text = file.read_text("utf-8") if file.is_file() else ""
    text = text.replace("../shared", str(SHARED)).replace("../cuts", str(cut_folder()))
    values: dict[str, Any] = yaml.safe_load(text) or {}
    return values


def module(name: str) -> ModuleType:
    return importlib.import_module(f"experiments.{name.replace('-', '_')}")


def parsed(name: str, size: str | None = None) -> Any:
    """A checked study, several of them, or a `Spec`; the folder `size` (`pilots`, `full`) has other
    values of some fields."""
    values = read(HERE / f"{name}.yaml")
    values |= read(HERE / values.pop("study")) if "study" in values else {}
    values |= read(HERE / size / f"{name}.yaml") if size else {}
    if "studies" in values:
        return parse_studies(values, f"{name}.yaml")
    kind = getattr(module(name), "Spec", None)
    return kind.model_validate(values) if kind else parse_study(values, f"{name}.yaml")


def render(name: str, values: Mapping[str, Any]) -> str:
    """The page of an experiment from its template."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.globals |= {"table": table}
    environment.filters |= {"shown": shown, "p": p_value, "num": number}
    environment.filters |= {"moved": moved, "turned": turned}
    return environment.get_template(f"{name}.md.j2").render(**values)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def moved(cells: Sequence[float], at: int) -> float:
    """By how much a column differs from the first; nothing where either is undefined."""
    step = abs(cells[at] - cells[0])
    return step if isfinite(step) else 0.0


def turned(cells: Sequence[float]) -> bool:
    """Whether the first and the last column lie on different sides of 1."""
    return (cells[0] - 1) * (cells[-1] - 1) < 0


def number(value: float, form: str) -> str:
    """A number in a format of Python; a dash where it is undefined."""
    return format(value, form) if isfinite(value) else "–"


def shown(estimate: Estimate, form: str = ".3f") -> str:
    """`0.412 (0.380 to 0.440)`."""
    low, high = number(estimate.low, form), number(estimate.high, form)
    return f"{number(estimate.mean, form)} ({low} to {high})"


def p_value(p: float) -> str:
    """A p with three decimals; a very small one by its magnitude."""
    return f"{p:.1e}" if p < 0.0005 else f"{p:.3f}"
