"""Multilingual against monolingual models: the small study of that name, from its store."""

from __future__ import annotations

from typing import Any

from babelscope.analyses.faithfulness import pairings
from babelscope.analyses.faithfulness.pairings import Pairs
from babelscope.analyses.faithfulness.pairings_section import accuracy, side_by_side
from babelscope.analyses.faithfulness.tables import tables
from babelscope.display.curve import curve_svg
from babelscope.stats.disparity import Claim, covariates

METHOD = "deeplift"
"""The method whose rationales the page shows."""
TEXT = ["pairing", "task", "lang", "id", "seed"]


def values(filled: tuple[Any, dict[str, Any]]) -> dict[str, Any]:
    store, study = filled
    contents = tables(store, study)
    assert contents is not None
    assert contents.pairs is not None
    pairs, claims = contents.pairs, pairings.over_tasks(contents.pairs)
    curves, figures = [], {}
    for pairing in pairs.pairings:
        kinds, curve = pairings.specifications(pairs, pairing)
        file = f"mono-vs-multi-{pairing.multilingual}-{'-'.join(pairing.monolingual)}.svg"
        figures[file] = curve_svg(kinds, curve, pairing.name)
        curves.append((pairing.name, file, curve))
    texts = side_by_side(pairs, contents.attributions)
    return {
        "study": study, "samples": study["analyses"]["faithfulness"]["samples"], "method": METHOD,
        "texts": len(pairs.table.drop_duplicates(TEXT)), "right": len(pairs.rows().drop_duplicates(TEXT)),
        "readings": readings(pairs), "claims": [(each, accuracy(pairs, each.place[0])) for each in claims],
        "significant": [f"{_named(each)} ({each.across.effect:+.3f})" for each in claims if each.adjusted < 0.05],
        "equivalent": [_named(each) for each in claims if each.alike.p < 0.05],
        "by_language": [(each, accuracy(pairs, *each.place[:2])) for each in pairings.by_language(pairs)],
        "by_method": [(each, accuracy(pairs, each.place[0])) for each in pairings.by_method(pairs)],
        "published": pairings.published(pairs), "covariates": pairings.beside(pairs), "curves": curves, "figures": figures,
        "rationales": [each for each in texts if (each.task, each.group) == (texts[0].task, texts[0].group)],
    }  # fmt: skip


def readings(pairs: Pairs) -> tuple[list[str], list[list[str]]]:
    """Accuracy and fertility of every model, a row for each task and language."""
    measures, each = ("accuracy", "fertility"), covariates(pairs.readings).reset_index()
    wide = each.pivot_table(list(measures), ["task", "lang"], "model", sort=False)
    columns = [(name, model) for name in measures for model in dict.fromkeys(each["model"])]
    rows = [[" ".join(map(str, place)), *(f"{row[column]:.2f}" for column in columns)] for place, row in wide.iterrows()]  # fmt: skip
    return ["", *(", ".join(column) for column in columns)], rows


def _named(claim: Claim) -> str:
    return f"{claim.place[0]}, {claim.place[1].removeprefix('normalised_').replace('_', ' ')}"
