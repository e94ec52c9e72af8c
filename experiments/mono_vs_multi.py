"""Multilingual against monolingual models: the small study of that name, from its store."""

from __future__ import annotations

from typing import Any

from babelscope.analyses.faithfulness import pairings
from babelscope.analyses.faithfulness.pairings_section import side_by_side
from babelscope.analyses.faithfulness.tables import tables
from babelscope.display.curve import curve_svg
from experiments.paired_models import claim_name, readings, with_accuracy

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
    significant = [claim for claim in claims if claim.adjusted < 0.05]
    texts = side_by_side(pairs, contents.attributions)
    first = (texts[0].task, texts[0].group)
    return {
        "study": study,
        "samples": study["analyses"]["faithfulness"]["samples"],
        "method": METHOD,
        "texts": len(pairs.table.drop_duplicates(TEXT)),
        "right": len(pairs.rows().drop_duplicates(TEXT)),
        "readings": readings(pairs),
        "claims": with_accuracy(pairs, claims),
        "significant": [f"{claim_name(each)} ({each.across.effect:+.3f})" for each in significant],
        "equivalent": [claim_name(each) for each in claims if each.alike.p < 0.05],
        "by_language": with_accuracy(pairs, pairings.by_language(pairs), 2),
        "by_method": with_accuracy(pairs, pairings.by_method(pairs)),
        "published": pairings.published(pairs),
        "covariates": pairings.beside(pairs),
        "curves": curves,
        "figures": figures,
        "rationales": [each for each in texts if (each.task, each.group) == first],
    }
