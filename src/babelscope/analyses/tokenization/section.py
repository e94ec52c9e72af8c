"""The tokenization section: measures by language and tokenizer, segmented sentences,
interventions.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from rich.table import Table
from rich.text import Text

from babelscope.analyses import ANALYSES
from babelscope.analyses.tokenization.counts import Tokenization
from babelscope.analyses.tokenization.figure import figure
from babelscope.analyses.tokenization.grids import TITLES, cell, columns_of, grids, with_interval
from babelscope.analyses.tokenization.headline import (
    headline,
    read_and_unread,
    slopes_csv,
    unread_text,
)
from babelscope.analyses.tokenization.tables import NAME, Tables
from babelscope.display.chart import figure_html
from babelscope.display.numbers import number
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.sheets import csv_text
from babelscope.display.terminal import plain, table
from babelscope.files import plain as plain_json
from babelscope.types import TokenizedText

BARE = "·"
"""A token without a character of its own."""
SHOWN = 3
"""Translation groups whose segmentation is shown."""


def terminal_tables(tokenization: Tokenization) -> list[Table]:
    """One table per measure: languages down, tokenizers across; in a narrow terminal intervals go
    below their means.
    """
    listed = []
    for name, grid in grids(tokenization).items():
        columns = columns_of(grid)
        shown = Table(title=TITLES[name], title_justify="left")
        shown.add_column("", no_wrap=True)
        for each in columns:
            shown.add_column(Text(plain(each)), overflow="fold")
        for lang, row in grid.items():
            shown.add_row(Text(plain(lang)), *(Text(cell(row, each)) for each in columns))
        listed.append(shown)
    return listed


def section(tables: Tables) -> Section:
    """Fertility and the other measures by language, segmented sentences, responses to
    re-segmentation.

    *Laws*: the same numbers give the same text; names never become markup.
    """
    grid_by_measure = grids(tables.measures)
    figures = [figure(name, grid) for name, grid in grid_by_measure.items()]
    body = render(
        "section.html.j2",
        folder=Path(__file__).parent,
        sections=[
            (TITLES[name], figure_html(figure), grid, columns_of(grid))
            for figure, (name, grid) in zip(figures, grid_by_measure.items())
        ],
        examples=segmented(tables.texts),
        interventions=tables.interventions,
        segmenters=tables.measures.segmenters,
        limits=tables.measures.limits,
        with_interval=with_interval,
        cell=cell,
        number=number,
    )
    return Section(
        NAME,
        "Tokenization",
        ANALYSES[NAME].question,
        answer(tables.measures),
        body,
        (
            *terminal_tables(tables.measures),
            *_response_tables(tables),
            _segmenters(tables.measures),
        ),
        _plain(tables),
        _intervention_csv(tables) | {"tokenization.csv": _csv(tables)},
        charts=tuple(figures),
        headline=headline(tables),
    )


def answer(measures: Tokenization) -> Markup:
    """Where words take the most and the fewest tokens, with intervals."""
    words, unread = read_and_unread(measures)
    if not words:
        return Markup("No tokenizer has a defined number of tokens per word here.")
    most, least = (pick(words, key=lambda row: row.estimate.mean) for pick in (max, min))
    if most is least:
        sentence = Markup("A word takes {} tokens in {} with {}.")
        return sentence.format(
            with_interval(most.estimate), most.lang, most.tokenizer
        ) + unread_text(unread)
    sentence = Markup(
        "A word takes the most tokens in {} with {}, {}, and the fewest in {} with {}, {}."
    )
    return sentence.format(
        most.lang,
        most.tokenizer,
        with_interval(most.estimate),
        least.lang,
        least.tokenizer,
        with_interval(least.estimate),
    ) + unread_text(unread)


def segmented(
    rows: Sequence[TokenizedText],
) -> list[tuple[str, list[tuple[str, str, list[list[str]]]]]]:
    """Up to three translation groups as every tokenizer segments them: (language, tokenizer, words
    as lists of tokens).
    """
    counts = Counter(row.group for row in rows)
    groups = sorted(counts, key=lambda group: (-counts[group], group))[:SHOWN]
    return [
        (group, [(row.lang, row.tokenizer, _pieces(row)) for row in rows if row.group == group])
        for group in groups
    ]


def _pieces(row: TokenizedText) -> list[list[str]]:
    """The tokens of every word, as characters of the text.

    *Law*: no character is shown twice: of tokens that begin at the same character, such as the mark
    of a new word and the character after it, all but the last are dots.
    """
    words = []
    for text, spans, offsets in zip(row.texts, row.words, row.offsets):
        for start, stop in spans:
            inside = [(max(a, start), min(b, stop)) for a, b in offsets if a < stop and b > start]
            begins = [a for a, _ in inside[1:]]
            pieces = [
                BARE if a == begin else _visible(text[a:b])
                for (a, b), begin in zip(inside, [*begins, -1])
            ]
            words.append(pieces or [text[start:stop]])
    return words


def _visible(piece: str) -> str:
    """A vowel sign or a tone mark that begins a token stands on a dotted circle: alone, no font can
    draw it."""
    return f"◌{piece}" if unicodedata.category(piece[:1] or " ").startswith("M") else piece


def _plain(tables: Tables) -> dict[str, Any]:
    measures = tables.measures
    return {
        "measures": [
            {
                "tokenizer": row.tokenizer,
                "lang": row.lang,
                "measure": row.measure,
                **plain_json(asdict(row.estimate)),
            }
            for row in measures.measured
        ],
        "agreement": [
            {
                "first": row.first,
                "second": row.second,
                "lang": row.lang,
                **plain_json(asdict(row.estimate)),
            }
            for row in measures.agreed
        ],
        "segmenters": dict(measures.segmenters),
        "limits": dict(measures.limits),
        "interventions": [
            plain_json(asdict(row)) for doses in tables.interventions for row in doses.outcomes
        ],
    }


def _csv(tables: Tables) -> str:
    return csv_text(pd.DataFrame(_plain(tables)["measures"]))


def _intervention_csv(tables: Tables) -> dict[str, str]:
    rows = [asdict(row) for doses in tables.interventions for row in doses.outcomes]
    if not rows:
        return {}
    return {"interventions.csv": csv_text(pd.DataFrame(rows)), "slopes.csv": slopes_csv(tables)}


def _segmenters(measures: Tokenization) -> Text:
    return Text(
        "\n".join(
            f"words of {plain(lang)}: {plain(name)}" for lang, name in measures.segmenters.items()
        )
    )


def _response_tables(tables: Tables) -> list[Table]:
    listed = []
    for doses in tables.interventions:
        rows = [
            (arm, lang, dose, mean, lost) for (arm, lang, dose), (mean, lost) in doses.flips.items()
        ]
        head = ("way", "language", "dose", "tokens per word", "left out")
        listed.append(
            table(f"{doses.model}: doses; texts whose prediction changed are left out", head, rows)
        )
        slopes = [
            (row.arm, row.lang, row.method, row.outcome, row.means[0][1].mean,
             row.means[-1][1].mean, row.by_fertility.mean,
             row.by_fertility.low, row.by_fertility.high, row.by_fertility.n)
            for row in doses.responses
        ]  # fmt: skip
        names = (
            "way",
            "language",
            "method",
            "outcome",
            "first dose",
            "last dose",
            "slope",
            "low",
            "high",
            "n",
        )
        listed.append(
            table(
                f"{doses.model}: slopes by tokens per word within texts, with 95 % intervals",
                names,
                slopes,
            )
        )
    return listed
