"""From a store to the files of a paper: its tables, its figures, and a list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from babelscope.display.chart import figure_svg
from babelscope.display.export import pdf
from babelscope.display.sheets import csv_text
from babelscope.errors import InputError, StoreError
from babelscope.files import write_together
from babelscope.options import suggestion
from babelscope.reporting.papers import PAPERS, Element, Paper
from babelscope.reporting.papers.formats import latex, markdown
from babelscope.reporting.papers.tex_document import document
from babelscope.store import open_store, read_study

NOTHING = "the study holds nothing of it"
UNDEFINED = "every value of it is undefined"
STUDIED = {"task": "tasks", "lang": "languages", "model": "models"}
"""Columns whose rows are in the order of the study file, and the parts of it."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of an element: its files, or the reason why there are none."""

    name: str
    caption: str
    files: tuple[str, ...]
    reason: str = ""


def write_paper(store: str | Path, paper: str, output: str | Path) -> list[Written]:
    """Writes every table of the paper as CSV, Markdown and LaTeX, and every figure as SVG and PDF
    with its data as CSV, into `output`: all of them or none. `tables.tex` is a document with all
    tables, `index.md` lists every element, also those that the store holds nothing of.

    *Laws*: the same store gives the same bytes; a text of the store becomes no command or markup of
    a table.
    """
    row = _paper(paper)
    opened = open_store(store, create=False)
    study = read_study(opened)
    material = row.material(opened, study)
    if material is None:
        raise StoreError(
            f"{opened.path} holds nothing of {row.name}; run its study first: "
            f"babelscope study run {row.study}"
        )
    files: dict[str, str | bytes] = {}
    listed = []
    for element in row.elements:
        table = in_study_order(element.frame(material), study)
        named = _files(element, table)
        files |= named
        reason = "" if named else NOTHING if table.empty else UNDEFINED
        listed.append(Written(element.name, element.caption, tuple(named), reason))
    listed += [Written(each.name, each.caption, (), each.reason) for each in row.missing]
    tables = {
        name.removesuffix(".tex"): str(text)
        for name, text in files.items()
        if name.endswith(".tex")
    }
    files |= {
        "tables.tex": document([*tables], [*tables.values()]),
        "index.md": _index(row, listed),
    }
    write_together(Path(output), files)
    return listed


def _paper(name: str) -> Paper:
    if name not in PAPERS:
        raise InputError(f"there is no paper {name!r}; {suggestion(name, PAPERS)}")
    return PAPERS[name]


def in_study_order(table: pd.DataFrame, study: Mapping[str, Any]) -> pd.DataFrame:
    """The rows with tasks, languages and models as the study file has them; those of the same
    place, and names that are not in it, keep their order."""
    keys = {column: _places(study, part) for column, part in STUDIED.items() if column in table}
    if table.empty or not keys:
        return table
    ranks = pd.DataFrame(
        {
            column: table[column].astype(str).map(keys[column]).fillna(len(keys[column]))
            for column in table.columns
            if column in keys
        }
    )
    order = ranks.sort_values(list(ranks.columns), kind="stable").index
    return table.loc[order].reset_index(drop=True)


def _places(study: Mapping[str, Any], part: str) -> dict[str, int]:
    named = [each if isinstance(each, str) else each["name"] for each in study.get(part, ())]
    return {name: place for place, name in enumerate(named)}


def _files(element: Element, table: pd.DataFrame) -> Mapping[str, str | bytes]:
    """By file name; nothing for an empty table."""
    if table.empty:
        return {}
    files: dict[str, str | bytes] = {f"{element.name}.csv": csv_text(table)}
    if element.draw is not None:
        svg = drawn_svg(element, table)
        if not svg:
            return {}
        files |= {f"{element.name}.svg": svg} | _as_pdf(element.name, svg)
    else:
        caption = f"{element.caption} {element.note}".strip()
        files[f"{element.name}.md"] = markdown(table, caption)
        files[f"{element.name}.tex"] = latex(table, caption, f"tab:{element.name}")
    return files


def drawn_svg(element: Element, table: pd.DataFrame) -> str:
    """The figure of an element as SVG; empty where nothing in it is defined."""
    if element.draw is None:
        raise InputError(f"{element.name} is a table, not a figure")
    figure = replace(element.draw(table), name=element.name, title=element.caption)
    return figure_svg(figure) if figure.charts else ""


def _as_pdf(name: str, svg: str) -> dict[str, str | bytes]:
    """Nothing where the libraries of the extra `figures` are not installed."""
    try:
        return {f"{name}.pdf": pdf(svg)}
    except InputError:
        return {}


def _index(paper: Paper, listed: list[Written]) -> str:
    notes = {element.name: element.note for element in paper.elements}
    rows = pd.DataFrame(
        [
            (
                each.name,
                each.caption,
                ", ".join(each.files) or each.reason,
                notes.get(each.name, ""),
            )
            for each in listed
        ],
        columns=["element", "content", "files, or why there are none", "otherwise than published"],
    )
    return markdown(rows, f"# {paper.name}\n\n{paper.citation}")
