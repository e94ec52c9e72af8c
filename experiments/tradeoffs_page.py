"""The page of the trade-off runs, from measured values alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.timing import table

from babelscope.training.cache import cache_folder
from experiments.tradeoffs import measured
from experiments.tradeoffs_models import SETTINGS

TITLES = {
    "topic": "Topics of the built-in corpus",
    "sib200": "Topics of SIB-200",
    "xnli": "Inference on XNLI",
}
ABOUT = {
    "topic": "The small encoder of `babelscope pretrain multilingual` (2 layers, width 128), "
    "fine-tuned on 1,000 texts.",
    "sib200": "mini-multilingual (4 layers, width 256), fine-tuned on the 701 training sentences.",
    "xnli": "mini-multilingual, fine-tuned on 665 premises of XNLI's dev split (no Hindi training "
    "split is at hand), tested on "
    "rows of its test split; no joint and no head-only models here.",
}


def interval(found: dict[str, Any], *place: int, digits: int = 2) -> str:
    value, low, high = (_at(found[name], place) for name in ("value", "low", "high"))
    if value is None:
        return "none"
    return f"{value:.{digits}f}" + (
        "" if low is None else f" ({low:.{digits}f} to {high:.{digits}f})"
    )


def three(found: Sequence[float | None], digits: int = 3) -> str:
    value, low, high = found
    if value is None:
        return "none"
    return f"{value:.{digits}f}" + (
        "" if low is None else f" ({low:.{digits}f} to {high:.{digits}f})"
    )


def _at(nested: Any, place: Sequence[int]) -> float | None:
    for step in place:
        nested = nested[step]
    return None if nested is None else float(nested)


def behaviour(found: dict[str, Any]) -> str:
    sources, targets, held = found["sources"], found["targets"], found["behaviour"]
    lines = [
        [f"fine-tuned on {s}", *(interval(held["accuracy"], row, at) for at in range(len(targets)))]
        for row, s in enumerate(sources)
    ]
    for name, grid in held["references"].items():
        for row, source in enumerate(sources):
            if row == 0 or name in ("probe", "head_only"):
                own = f", {source}" if name in ("probe", "head_only") else ""
                lines.append(
                    [
                        f"{name.replace('_', ' ')}{own}",
                        *(interval(grid, row, at) for at in range(len(targets))),
                    ]
                )
    return table(["accuracy", *targets], lines)


def parts(found: dict[str, Any]) -> str:
    held, sources = found["behaviour"], found["sources"]
    shares = [interval(held["shares"], at) for at in range(3)]
    pairs = [(i, j) for i in range(len(sources)) for j in range(i)]
    special = [
        [f"{sources[j]}, {sources[i]}", interval(held["specialisation"], i, j, digits=3)]
        for i, j in pairs
    ]
    harmed = held["harmed"]
    verdict = "There is no probe." if harmed is None else (
        "Below the probe by the interval, outside of their own language: "
        f"{', '.join(f'{s} in {t}' for s, t in harmed)}."
        if harmed
        else "In no language other than its own is a tuned model below the probe by the interval: "
             "no cost is shown."
    )  # fmt: skip
    significant = sum(row["adjusted"] < 0.05 for row in held["tests"])
    return f"""Shares of the variance of the matrix: donor {shares[0]}, language {shares[1]}, interaction {shares[2]}.

{verdict}
The target's own model differs from another's in {significant} of {len(held["tests"])} cells (sign flip by cluster, Holm).

{table(["languages", "specialisation I"], special)}"""


def activations(found: dict[str, Any]) -> str:
    lines = []
    for row in found["activations"]:
        if row["pooling"] == "mean":
            last = [
                three(row[name][-1]) if name in row else "none"
                for name in ("to_base", "between_sources", "between_seeds")
            ]
            lines.append(
                [
                    row["lang"],
                    *last,
                    three(row["slope"]) if "slope" in row else "none",
                    f"{row['exchanged'][-1]:.3f}",
                ]
            )
    head = [
        "inputs in",
        "to base",
        "between sources",
        "between seeds",
        "slope of the difference per layer",
        "texts exchanged",
    ]
    return table(head, lines)


def attention(found: dict[str, Any]) -> str:
    lines = []
    for row in found["attention"]:
        if row["quantity"] == "share" and "language_effect" in row:
            others = [
                (lang, value)
                for lang, value in row["language_effect"].items()
                if lang != found["targets"][0]
            ]
            beyond = sum(low > 0 or high < 0 for _, (_, low, high) in others)
            least, most = (
                min(others, key=lambda each: each[1][0]),
                max(others, key=lambda each: each[1][0]),
            )
            changed = [value[0] for value in row.get("less_base", {}).values()]
            step = f"{min(changed):+.3f} to {max(changed):+.3f}" if changed else "–"
            lines.append(
                [
                    row["model"],
                    f"{least[1][0]:+.3f} ({least[0]})",
                    f"{most[1][0]:+.3f} ({most[0]})",
                    f"{beyond} of {len(others)}",
                    step,
                ]
            )
    head = [
        "model",
        "least effect",
        "largest effect",
        "intervals without 0",
        "tuned less base, by language",
    ]
    return table(head, lines)


def confidence(found: dict[str, Any]) -> str:
    lines = []
    for source in found["sources"]:
        mine = [row for row in found["confidence"] if row["source"] == source]
        own = [row for row in mine if row["target"] == source]
        others = [row for row in mine if row["target"] != source]
        more = [row["over_beyond_own"] for row in others if row["over_beyond_own"]]
        worse = sum(each["low"] is not None and each["low"] > 0 for each in more)
        told = [
            f"{own[0]['over']['value']:+.3f}" if own else "none",
            f"{_mean([row['over']['value'] for row in others]):+.3f}",
        ]
        eces = [
            f"{own[0]['ece_width']:.3f}" if own else "none",
            f"{_mean([row['ece_width'] for row in others]):.3f}",
        ]
        seen = f"{sum(row['distinguishable'] for row in others)} of {len(others)}"
        scaled = [
            row["temperature"]["source"]["ece"] for row in others if "source" in row["temperature"]
        ]
        lines.append(
            [
                source,
                *told,
                f"{worse} of {len(more)}",
                *eces,
                seen,
                f"{_mean(scaled):.3f}" if scaled else "none",
            ]
        )
    head = ["fine-tuned on", "over-confidence, own", "mean of others", "more than own by the "
                                                                       "interval",
            "ECE, own", "mean of others",
            "ECE above its null", "mean ECE after source temperature"]  # fmt: skip
    return table(head, lines)


def errors(found: dict[str, Any]) -> str:
    """A row per source: how often a right answer is lost elsewhere; whether knowledge is lost, or
    the threshold moved.
    """
    lines = []
    for source in found["sources"]:
        mine = [row for row in found["errors"] if row["source"] == source]
        own = [row for row in mine if row["target"] == source]
        others = [row for row in mine if row["target"] != source]
        lost = [(row["flips"]["rate"], row["target"]) for row in others if "flips" in row]
        kappas = [row["flips"]["kappa"] for row in others if "flips" in row]
        shifts = [[row["label_shift"]["total_variation"] for row in some] for some in (own, others)]
        areas = [
            [each for row in some for each in row["auroc"] if each is not None]
            for some in (own, others)
        ]
        gained = [
            row["accuracy_corrected"] - row["accuracy"]
            for row in others
            if row["accuracy_corrected"] is not None
        ]
        means = [([each[0] for each in lost], ".2f"), (kappas, ".2f"), *((each, ".2f") for each in shifts),
                 *((each, ".3f") for each in areas), (gained, "+.3f")]  # fmt: skip
        shown = [f"{_mean(values):{form}}" if values else "none" for values, form in means]
        most = max(lost, default=None)
        lines.append(
            [source, shown[0], f"{most[0]:.2f} ({most[1]})" if most else "none", *shown[1:]]
        )
    head = ["fine-tuned on", "right in own, wrong in others", "at most", "kappa of answers",
            "label shift, own", "mean of others",
            "AUROC, own", "mean of others", "accuracy gained by the target's class shares"]  # fmt: skip
    return table(head, lines)


def forgetting(found: dict[str, Any]) -> str:
    lines = []
    for row in found["drift"]:
        losses = row["language_loss"]
        mine = [
            each
            for each in found["forgetting"]
            if each["source"] == row["source"] and each["target"] != row["source"]
        ]
        gone = [each["forgotten"][0] for each in mine if each["forgotten"][0] is not None]
        misfit = [each["misfit"][0] for each in mine if each["misfit"][0] is not None]
        own = f"{losses[row['source']]['more'][0]:+.2f}" if row["source"] in losses else "none"
        others = [each["more"][0] for lang, each in losses.items() if lang != row["source"]]
        moved = ", ".join(
            f"{value:.2f}" for part, value in row["drift"].items() if part.startswith("layer")
        )
        shown = [f"{_mean(each):+.3f}" if each else "none" for each in (gone, misfit)]
        lines.append(
            [row["source"], *shown, own, f"{_mean(others):+.2f}" if others else "none", moved]
        )
    head = ["fine-tuned on", "forgotten, mean of others", "misfit of the head, mean of "
                                                          "others", "loss on hidden words, own",
            "mean of others", "drift by layer"]  # fmt: skip
    return table(head, lines)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def run(name: str) -> str:
    found = measured(name)
    seeds = f"{len(found['seeds'])} seed{'s' if len(found['seeds']) > 1 else ''}"
    notes = "\n".join(f"* {note}" for note in found["notes"])
    return f"""## {TITLES[name]}

{ABOUT[name]}
{found["texts"]} test texts in each of {len(found["targets"])} languages ({found["clusters"]} independent), {seeds}.

{notes}

### Behaviour

{behaviour(found)}

{parts(found)}

### Activations (mean over tokens, last layer)

{activations(found)}

### Attention: entropy as a share of the possible, languages at equal length

{attention(found)}

### Confidence

{confidence(found)}

### Errors

{errors(found)}

### Forgetting

{forgetting(found)}
"""


def page() -> str:
    """All runs whose numbers are there; a run that was never made is made first unless
    another is.
    """
    there = [
        name
        for name in SETTINGS
        if (cache_folder() / "experiments" / f"tradeoffs-{name}.json").exists()
    ]
    chosen = there or list(SETTINGS)
    missing = [TITLES[name] for name in SETTINGS if name not in chosen]
    left = (
        f"\nNot run yet: {', '.join(missing)} (`python -m experiments.tradeoffs NAME`)."
        if missing
        else ""
    )
    return f"""# What fine-tuning on one language cost the others

Models fine-tuned on one language each, tested in others; [how to read it](../tradeoffs.md). Intervals are 95 %, all cells
resampled
together by text (seeds too, from three on). Nothing was chosen on test texts. Heads alone were trained with the first seed
only, and drift, forgetting and attention are of the first seed. This page is written by
`python -m experiments tradeoffs`, the figures are as they came out.{left}

{"".join(run(name) for name in chosen)}"""
