"""Every figure of a report as files of their own: SVG always, PNG and PDF where their library is
installed; no browser is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from babelscope.display.chart import figure_svg
from babelscope.display.export import pdf, png
from babelscope.display.section import Section
from babelscope.files import naming, write_bytes, write_text


def figure_files(listed: Sequence[Section]) -> dict[str, str]:
    """The figures of all sections as SVG, by file name without its ending."""
    files = {}
    for section in listed:
        for number, figure in enumerate(section.charts, 1):
            files[f"{section.name}-{number}-{_safe(figure.name)}"] = figure_svg(figure)
        for name, svg in section.figures.items():
            files[f"{section.name}-{_safe(name.removesuffix('.svg'))}"] = svg
    return files


def write_figures(listed: Sequence[Section], folder: Path) -> list[Path]:
    """Writes every figure as SVG, and as PNG and PDF where that is possible; returns the files."""
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, svg in figure_files(listed).items():
        write_text(folder / f"{name}.svg", svg)
        written.append(folder / f"{name}.svg")
        for ending, library, convert in ((".png", "resvg_py", png), (".pdf", "vl_convert", pdf)):
            if find_spec(library) is not None:
                write_bytes(folder / f"{name}{ending}", convert(svg))
                written.append(folder / f"{name}{ending}")
    return written


def _safe(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name)[:60]
