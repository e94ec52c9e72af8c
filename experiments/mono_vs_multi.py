"""The small mono/multi study, from its store: what differs, how surely, and how many ways to ask
agree.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.timing import table

from babelscope.analyses.faithfulness import pairings
from babelscope.analyses.faithfulness.pairings import Pairs, pairs
from babelscope.analyses.faithfulness.pairings_section import SideBySide, accuracy, side_by_side
from babelscope.display.curve import curve_svg
from babelscope.display.progress import bars
from babelscope.stats.disparity import covariates
from babelscope.store import open_store, read, read_study
from babelscope.study import config
from babelscope.study.run import Watch, run
from babelscope.training.cache import cache_folder
from babelscope.types import Estimate

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / "studies" / "mono-vs-multi-small.yaml"
FIGURES = ROOT / "docs" / "results"
SHOWN = "deeplift"
"""The method whose rationales the page shows."""


def said(one: Estimate) -> str:
    return f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f})"


def chance(p: float) -> str:
    """A p as it is read: never as nought."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def short(metric: str) -> str:
    return metric.removeprefix("normalised_").replace("_", " ")


def readings_table(found: Pairs) -> str:
    each = covariates(found.readings).reset_index()
    wide = each.pivot_table(["accuracy", "fertility"], ["task", "lang"], "model", sort=False)
    models = list(dict.fromkeys(each["model"]))
    rows = []
    for place, row in wide.iterrows():
        numbers = [f"{row[name, one]:.2f}" for name in ("accuracy", "fertility") for one in models]
        rows.append([" ".join(map(str, place)), *numbers])
    return table(
        ["", *(f"accuracy, {one}" for one in models), *(f"fertility, {one}" for one in models)],
        rows,
    )


def claims_table(found: Pairs) -> str:
    rows = [
        [one.place[0], short(one.place[1]), said(one.interval), one.across.n, chance(one.across.sign_flip),
         chance(one.adjusted), chance(one.alike.p), accuracy(found, one.place[0])]
        for one in pairings.over_tasks(found)
    ]  # fmt: skip
    head = [
        "pairing",
        "metric",
        "difference (95 %)",
        "units",
        "p",
        "Holm",
        "p of equivalence",
        "accuracies",
    ]
    return table(head, rows)


def places_table(found: Pairs, by: str) -> str:
    many = pairings.by_language(found) if by == "language" else pairings.by_method(found)
    rows = [
        [one.place[0], one.place[1], short(one.place[2]), f"{one.means[0]:.3f}", f"{one.means[1]:.3f}",
         said(one.paired.difference), chance(one.paired.p), chance(one.adjusted), one.paired.difference.n,
         accuracy(found, one.place[0], one.place[1] if by == "language" else None)]
        for one in many
    ]  # fmt: skip
    head = [
        "pairing",
        by,
        "metric",
        "multilingual",
        "monolingual",
        "difference (95 %)",
        "p",
        "Holm",
        "n",
        "accuracies",
    ]
    return table(head, rows)


def published_table(found: Pairs) -> str:
    def times(one: Estimate) -> str:
        return f"{one.mean:.2f} ({one.low:.2f} to {one.high:.2f})"

    many = pairings.published(found)
    rows = [
        [place[0], short(place[1]), times(one), times(two), said(both)]
        for place, (one, two, both) in many
    ]
    return table(
        [
            "pairing",
            "metric",
            "multilingual / random",
            "monolingual / random",
            "log of the quotient (95 %)",
        ],
        rows,
    )


def covariates_table(found: Pairs) -> str:
    rows = [
        [pairing, short(metric), name, f"{one.r:+.2f}", one.n, chance(one.p), f"{one.low:+.2f} to "
                                                                              f"{one.high:+.2f}",
         f"{one.within:+.2f}"]
        for pairing, metric, name, one in pairings.beside(found)
    ]  # fmt: skip
    return table(
        ["pairing", "metric", "covariate", "r", "points", "p", "one left out", "within tasks"], rows
    )


def curves(found: Pairs) -> str:
    """The pictures are written beside the page; here what they show."""
    lines = []
    for one in found.pairings:
        kinds, curve = pairings.specifications(found, one)
        name = f"mono-vs-multi-{one.multilingual}-{'-'.join(one.monolingual)}.svg"
        (FIGURES / name).write_text(str(curve_svg(kinds, curve, one.name)), "utf-8")
        lines.append(
            f"**{one.name}**: of {sum(effect.n > 0 for effect in curve.effects)} specifications "
            f"{curve.below:.0%} lie below 0 "
            f"({curve.significant_below:.0%} with their whole interval) and {curve.above:.0%} "
            "above "
            f"({curve.significant_above:.0%}); the median is {curve.median:+.3f}, its joint p "
            f"{chance(curve.p)}.\n\n![Specification curve of {one.name}]({name})"
        )
    return "\n\n".join(lines)


def rationales_table(shown: list[SideBySide]) -> str:
    models = [one.model for one in shown[0].rationales]
    rows = [
        [f"{one.lang}, {one.gold}: {one.text}", *(
            f"{'✓' if each.right else '✗'} "
            f"{' · '.join(f'**{word}**' if both else word for word, both in each.words[SHOWN])}"
            for each in one.rationales)]
        for one in shown
    ]  # fmt: skip
    return table(
        ["text", *models], [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    )


def page() -> str:
    asked, place = config.read_study(STUDY), cache_folder() / "experiments" / "mono-vs-multi-small"
    with bars(asked.name) as (stage, steps):
        outcome = run(asked, place, watch=Watch(stage, steps))
    if outcome.failed:
        raise SystemExit(f"{len(outcome.failed)} cells failed, first: {outcome.failed[0].reason}")
    store = open_store(place, create=False)
    study = read_study(store)
    found = pairs(store, study)
    assert found is not None
    shown = side_by_side(found, read(store, "attributions", study["keys"]))
    first = [
        one
        for one in shown
        if (one.task, one.group) in {(each.task, each.group) for each in shown[:1]}
    ]
    texts = len(found.table.drop_duplicates(["pairing", "task", "lang", "id", "seed"]))
    right = len(found.rows().drop_duplicates(["pairing", "task", "lang", "id", "seed"]))
    sizes = ", ".join(
        f"{row['name']} {row['parameters'] / 1e6:.2f} M parameters" for row in study["models"]
    )
    return TEXT.format(
        languages=", ".join(asked.languages), tasks=" and ".join(one.name for one in asked.tasks), sizes=sizes, texts=texts,
        right=right, examples=asked.tasks[0].data.examples, draws=asked.draws, seeds=len(asked.seeds),
        readings=readings_table(found), claims=claims_table(found), by_language=places_table(found, "language"),
        by_method=places_table(found, "method"), published=published_table(found), covariates=covariates_table(found),
        curves=curves(found), method=SHOWN, rationales=rationales_table(first), verdict=verdict(found),
    )  # fmt: skip


def verdict(found: Pairs) -> str:
    """What of the claims stands after correction, in a sentence."""
    many = pairings.over_tasks(found)
    sure = [
        f"{one.place[0]}, {short(one.place[1])} ({one.across.effect:+.3f})"
        for one in many
        if one.adjusted < 0.05
    ]
    alike = [f"{one.place[0]}, {short(one.place[1])}" for one in many if one.alike.p < 0.05]
    return (
        f"Below .05 after correction: {'; '.join(sure) or 'none'}. Surely smaller than 0.05 either "
        "way (p of equivalence below "
        f".05, not corrected): {'; '.join(alike) or 'none'}."
    )


TEXT = """# Multilingual against monolingual models

Are explanations of a multilingual model as faithful as those of a monolingual one? The design of Zhao & Aletras (NAACL
2024, [arXiv 2403.12809](https://arxiv.org/abs/2403.12809)) on small models that are pretrained and tuned here, without
network. The full study is `studies/mono-vs-multi.yaml`; this one is

    babelscope study run studies/mono-vs-multi-small.yaml --store small
    babelscope report small --output page

and this page is written from its store by `python -m experiments mono-vs-multi`. These models are tiny and the texts are
made by a grammar: what the page shows is that the study runs from end to end and what it says about *these* models, not
about mBERT or XLM-R.

* Languages {languages}; tasks {tasks}, {examples} test texts each, parallel in all languages; one model for every task
  and language, {seeds} seed(s).
* Models: {sizes}. The multilingual model is compared with monolingual ones of its own width and depth, and with ones of
  half its width that were pretrained for 300 steps in place of 2,500, as XLM-R large is with RoBERTa base in the paper: size
  and multilinguality then change together.
* Five methods, word by word; hard metrics by the mask token, soft ones by rank, so that all methods disturb a text
  equally.
* A value counts *above the floor*: less the mean of {draws} random scores on the same text and model. Positive
  differences mean that the multilingual model's explanations are more faithful. Of {texts} pairs of readings, {right}
  are right in both models; the tables use these.

## How good the models are

{readings}

Fertility is tokens per word. Where an accuracy is near chance (1/2 for sentiment, 1/6 for topic) the model was tuned badly, and
its explanations are of a model that knows little: read those rows as a trial of the study, not as a finding.

## Over tasks and languages

{claims}

Each task in each language is one unit. The interval resamples units, seeds and translation groups; p is by exact sign
flips over the units, Holm over all rows; equivalence asks whether the difference is surely smaller than 0.05.
Accuracies: multilingual / monolingual.

{verdict}

## By language

All methods and tasks together, p by sign flips of translation groups, Holm within a pairing.

{by_language}

## By method

All languages and tasks together.

{by_method}

## As the paper reports it

Ratios to random scores, on all texts, right or wrong.

{published}

## Do accuracy or tokenization go with it?

Over tasks and languages: the difference in faithfulness against the difference in accuracy and in fertility; p by
permutations, not corrected.

{covariates}

## Every way to ask

Five methods by all metrics and settings of the study, above the floor or plain, on all texts or on those that both
models get right. The joint p flips translation groups in all specifications at once. Orange: the interval lies below 0;
blue: above.

{curves}

## Rationales side by side

A fifth of the words by {method}, in each model, for one text in all languages; bold where another model chose the word too.

{rationales}
"""
