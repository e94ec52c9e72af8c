"""Every figure of a report as files of their own: SVG always, PNG and PDF where their library is
installed; no browser is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    return files


def section_svg(section: Section) -> str | None:
    """The figures of a section that share the legend of the first, as one SVG; None without any."""
    if not section.charts:
        return None
    first = section.charts[0]
    shared = [each for each in section.charts if each.legend == first.legend]
    title = first.title if len(shared) == 1 else section.title
    charts = tuple(chart for each in shared for chart in each.charts)
    note = first.note if len({each.note for each in shared}) == 1 else ""
    return figure_svg(replace(first, title=title, charts=charts, note=note))


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
