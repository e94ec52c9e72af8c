"""A study from its models to the numbers of its report; trust; evaluation."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from babelscope import corpus as builtin
from babelscope.analyses.explanations import EXPLANATIONS
from babelscope.analyses.faithfulness import findings, grids, pairings
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import with_tasks
from babelscope.analyses.faithfulness.tables import tables
from babelscope.analyses.stored import stored_keys
from babelscope.analyses.trust.panel import trust
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec
from babelscope.files import canonical
from babelscope.methods.explain import explain
from babelscope.methods.suitability import suitable
from babelscope.model.load import load
from babelscope.reporting.build import report
from babelscope.reporting.examples import accuracies, predictions
from babelscope.store import Store, failures, open_store, read, read_attributions, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.evaluate import evaluate
from baseline.checkpoints import saved
from baseline.methods import READING, keep
from baseline.values import Values, put
from zoo import shared

LANGS = ["en", "hi"]


def values() -> Values:
    entries: Values = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        models = {name: saved(root / name, seed) for name, seed in (("multi", 1), ("mono", 2))}
        outcome = run(parse_study(study(models)), root / "store")
        put(entries, "stores/run", [outcome.filled, outcome.found, len(outcome.failed)])
        stored(entries, root / "store", models)
        reported(entries, root / "store", root / "page")
        panels(entries, models)
    return entries


def study(models: dict[str, str]) -> dict[str, Any]:
    """Two models, two languages, three methods, three metrics and a setting of one of them."""
    return {
        "name": "baseline",
        "tasks": [
            {"name": "sentiment", "data": {"builtin": "sentiment", "examples": 8}},
            {"name": "gold", "target": "gold", "quantity": "log_odds",
             "data": {"builtin": "sentiment", "examples": 4, "seed": 1, "languages": ["en"]}},
        ],
        "languages": LANGS,
        "models": [{"name": name, "source": folder} for name, folder in models.items()],
        "methods": ["random", "occlusion", "input_x_gradient"],
        "faithfulness": {
            "metrics": ["normalised_comprehensiveness", "sufficiency", "rationale_auroc",
                        {"name": "sufficiency", "options": {"unit": "token"}}],
            "pairings": [{"multilingual": "multi", "monolingual": "mono"}],
            "samples": 2,
        },
        "trust": {"explanations": 1},
    }  # fmt: skip


def stored(entries: Values, place: Path, models: dict[str, str]) -> None:
    """Explanations, measures and panels as they are read back."""
    store = open_store(place, create=False)
    put(entries, "stores/failures", [item.reason for item in failures(store)])
    for item in read_attributions(store):
        keep(
            entries,
            f"stores/attributions/{item.model}/{item.task}/{item.method}/{item.seed}/{item.id}",
            item,
        )
    for kind in ("measures", "panels"):
        table = read(store, kind).to_pandas()
        if kind == "panels":
            table = pd.concat([table, pd.DataFrame(other_panels(store, models))])
        names = [
            name
            for name in ("model", "task", "lang", "method", "metric", "options", "seed", "id")
            if name in table
        ]
        if kind == "panels":
            table["panel"] = [
                json.loads(item) if isinstance(item, str) else item for item in table["panel"]
            ]
        put(entries, f"stores/{kind}", table.sort_values(names, ignore_index=True))


def other_panels(store: Store, models: dict[str, str]) -> list[dict[str, Any]]:
    """The panels of further samples of random scores, which a study no longer asks for."""
    rows = []
    for task in study(models)["tasks"]:
        data = DataSpec(**task["data"])
        for name, folder in models.items():
            model = load(folder, name=name)
            for lang in data.languages or LANGS:
                place = (name, task["name"], lang, "random")
                first, *_ = (
                    attribution
                    for attribution in read_attributions(store)
                    if attribution.seed
                    and (attribution.model, attribution.task, attribution.lang, attribution.method)
                    == place
                )
                (panel,) = trust(model, [first], labelled=examples(data, lang))
                kept = panel.stored()
                rows.append({**asdict(kept), "options": canonical(dict(kept.options))})
    return rows


def reported(entries: Values, place: Path, page: Path) -> None:
    """The report's CSV files, its findings and its tables."""
    report(place, page)
    for name in ("summary", "measures", "disparities"):
        put(
            entries,
            f"stores/report/{name}",
            pd.read_csv(StringIO((page / f"{name}.csv").read_text("utf-8"))),
        )
    store = open_store(place, create=False)
    described = read_study(store)
    faithfulness = tables(store, described)
    assert faithfulness is not None
    summary, paired = faithfulness.summary, faithfulness.pairs
    assert paired is not None
    known = read_named(store, "attributions", stored_keys(store, described, EXPLANATIONS))
    right = accuracies(predictions(with_tasks(known)))
    put(entries, "stores/brief", findings.in_brief(summary, right))
    put(entries, "stores/overview", findings.overview(summary))
    for metric in summary.metrics:
        put(entries, f"stores/grids/{metric}", grids.grids(summary, metric))
    put(entries, "stores/comparisons", grids.comparisons(summary))
    put(entries, "stores/undefined", grids.undefined(summary))
    for name in ("by_language", "by_method", "over_tasks", "beside", "published"):
        put(entries, f"stores/pairings/{name}", getattr(pairings, name)(paired))
    kinds, curve = pairings.specifications(paired, paired.pairings[0])
    put(entries, "stores/pairings/specifications", {"kinds": kinds, "curve": curve})


def panels(entries: Values, models: dict[str, str]) -> None:
    """Trust of explanations, evaluation, and which methods work."""
    model, other = load(models["multi"]), load(models["mono"])
    rows = [row for lang in LANGS for row in builtin.read("sentiment", lang, "dev", 12)]
    explained = [builtin.read("sentiment", lang, "test", 1)[0] for lang in LANGS]
    for method in ("integrated_gradients", "attention", "smooth_gradient"):
        attributions = explain(model, explained, method, seed=1)
        for panel in trust(model, attributions, draws=2, seeds=2, siblings=[other], labelled=rows):
            key = f"stores/trust/{method}/{panel.explanation.lang}"
            put(
                entries,
                key,
                {"checks": panel.checks, "stages": panel.stages, "untrained": panel.untrained},
            )
    put(entries, "stores/evaluate/classes", evaluate(model, rows))
    read_ = [row for lang in ("en", "zh") for row in builtin.read("reading", lang, "test", 4)]
    put(entries, "stores/evaluate/answers", evaluate(shared("bert", "question-answering"), read_))
    for name in ("bert", "gpt2"):
        works = {
            panel.method: [panel.works, panel.reason]
            for panel in suitable(shared(name, "text-classification"))
        }
        put(entries, f"stores/suitable/{name}", works)
    reader = shared("bert", "question-answering")
    (lone,) = trust(reader, explain(reader, READING[:1], "occlusion"), draws=1, seeds=1)
    put(entries, "stores/trust/reader", {"checks": lone.checks, "stages": lone.stages})
