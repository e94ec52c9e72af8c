"""The heads section: which heads follow a syntactic relation, and which masks that gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from babelscope.analyses import ANALYSES
from babelscope.analyses.heads import figure
from babelscope.analyses.heads.ablation import Ablation, ablations_csv
from babelscope.analyses.heads.agreement import Agreement
from babelscope.analyses.heads.findings import answer
from babelscope.analyses.heads.grids import (
    Grid,
    ablation_grid,
    agreement_grid,
    kinds_grid,
    relations_grid,
    threshold_grids,
)
from babelscope.analyses.heads.headline import headline, relations_csv
from babelscope.analyses.heads.tables import NAME, ModelHeads, heads_csv
from babelscope.analyses.heads.terminal import terminal
from babelscope.display.chart import figure_html
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.model.head_masks import to_json
from babelscope.model.head_statistics import defined, numbers


def section(models: Sequence[ModelHeads]) -> Section:
    """The answer, a picture of the heads of every model, and the tables behind it."""
    charts = [[figure.head_figure(*each) for each in counted(model)] for model in models]
    body = render(
        "section.html.j2",
        folder=Path(__file__).parent,
        models=[
            (model, list(map(figure_html, figures)), _grids(model))
            for model, figures in zip(models, charts)
        ],
    )
    return Section(
        NAME,
        "Attention heads",
        ANALYSES[NAME].question,
        answer(models),
        body,
        terminal(models),
        data(models),
        {"heads.csv": heads_csv(models), "head_relations.csv": relations_csv(models)}
        | _csv(models),
        headline=headline(models),
        charts=tuple(each for figures in charts for each in figures),
    )


def _csv(models: Sequence[ModelHeads]) -> dict[str, str]:
    """The table of ablations, where there is one."""
    any_ablated = any(model.ablations for model in models)
    return {"head_ablations.csv": ablations_csv(models)} if any_ablated else {}


def counted(model: ModelHeads) -> list[figure.Counted]:
    """The statistics of every language with the mask that is shown."""
    return [(language.statistics, language.mask) for language in model.languages]


def data(models: Sequence[ModelHeads]) -> Any:
    """The numbers for `--json`: an object for one model, a list of objects for several."""
    listed = [{"model": model.model, "task": model.task, **_plain(model)} for model in models]
    return _plain(models[0]) if len(models) == 1 else listed


def _plain(model: ModelHeads) -> dict[str, Any]:
    languages = [
        {
            **numbers(language.statistics, language.mask.margin),
            "mask": json.loads(to_json(language.mask)),
            "curve": [step._asdict() for step in language.curve],
        }
        for language in model.languages
    ]
    names = (*Agreement._fields, "likeness")
    pairs = [defined([*pair, rank]) for pair, rank in zip(model.agreements, model.likeness)]
    transfer = [dict(zip(names, pair)) for pair in pairs]
    lines = [dict(zip(Ablation._fields, defined(list(each)))) for each in model.ablations]
    return {"languages": languages, "transfer": transfer} | ({"ablations": lines} if lines else {})


def _grids(model: ModelHeads) -> list[Grid]:
    grids = [relations_grid(language) for language in model.languages]
    grids += [kinds_grid(model), *threshold_grids(model)]
    grids += [ablation_grid(model)] if model.ablations else []
    return [*grids, agreement_grid(model)] if model.agreements else grids
