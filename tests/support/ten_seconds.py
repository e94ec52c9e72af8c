"""The rules of the first screen, written anew: each verdict and each number of a sentence from the
CSV files beside the page, and from nothing else. docs/study.md lists them for users.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from answer_checks import check_answer
from babelscope.analyses.faithfulness.summary import base
from babelscope.display.numbers import number, rounded
from babelscope.display.section import Section
from babelscope.methods import METHODS
from babelscope.metrics import METRICS

DOCS = Path(__file__).parents[2] / "docs" / "study.md"


def documented(study: str) -> dict[str, set[str]]:
    """The tables that the answer of each section may follow from, as docs/study.md lists them for
    the studies of the papers."""
    rows = [line.split("|")[1:-1] for line in DOCS.read_text("utf-8").splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) == 4]
    return {
        section.strip("`"): set(re.findall(r"`([\w-]+\.csv)`", source))
        for names, section, _, source in cells
        if f"`{study}`" in names
    }


def table(section: Section, file: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(section.files[file]))


def amounts(row: pd.Series, *columns: str) -> list[str]:
    """Sizes as they are displayed; an undefined end of an interval is said in words."""
    sizes = [number(abs(row[name])) for name in columns if np.isfinite(row[name])]
    return sizes + (["no interval"] if len(sizes) < len(columns) else [])


def paired(claims: pd.DataFrame) -> tuple[str, list[str]]:
    """Of multilingual and monolingual models, over tasks and languages."""
    differ, alike = claims[claims["p_holm"] < 0.05], (claims["p_alike"] < 0.05).all()
    told = differ if len(differ) else claims
    row = told.loc[told["difference"].abs().idxmax()]
    counts = [f"Of {len(claims)} such"] if len(claims) > 1 else []
    verdict = "no" if len(differ) else "yes" if alike else "undecided"
    return verdict, [*amounts(row, "difference", "low", "high"), *counts]


def faithfulness(section: Section) -> tuple[str, list[str]]:
    """With six tasks and languages or more, multilingual against monolingual models: of the
    comparisons that differ, else of all, the widest. Else of the pairs of languages of the first
    metric, best method and main model, the widest that is decided, else the widest; all within .05
    are equal, unless the metric itself is below that."""
    if "pairings.csv" in section.files:
        claims = table(section, "pairings.csv")
        claims = claims[claims["tasks_and_languages"] >= 6].dropna(subset=["difference"])
        if len(claims):
            return paired(claims)
    if not table(section, "summary.csv")["mean"].notna().any():
        return "unmeasured", []
    rows = table(section, "differences.csv")
    first = section.headline.references[0].row
    if section.headline.references[0].file == "differences.csv":
        # No method is better than random scores, or one language: the best method against them.
        rows = rows[(rows["kind"] == "methods") & (rows["metric"] == first["metric"])]
        rows = rows[(rows["model"] == first["model"]) & rows["lang"].isna()]
        rows = rows[(rows["first"] == first["first"]) & (rows["second"] == "random")]
        numbers = rows.iloc[0][["difference", "low", "high"]].astype(float)
        better = rows.iloc[0]["verdict"] == "better"
        single = table(section, "measures.csv")["lang"].nunique() == 1
        small = ["less than 0.001"] if numbers.abs().max() < 0.001 else []
        shown = small or amounts(rows.iloc[0], "difference", "low", "high")
        # Of several languages only one was measured: nothing compares languages. A study of one
        # language asks whether explanations are better than random scores, and that they are.
        return ("yes" if single else "unmeasured") if better else "undecided", shown
    rows = rows[rows["kind"] == "languages"]
    for column in ("model", "method", "metric"):
        rows = rows[rows[column] == first[column]]
    decided = rows[rows["verdict"] != "undecided"]
    near = ((rows["low"] > -0.05) & (rows["high"] < 0.05)).all()
    means = table(section, "summary.csv")
    for column in ("model", "method", "metric"):
        means = means[means[column] == first[column]]
    higher = METRICS[base(first["metric"])].higher_is_better
    if near and higher and means["mean"].max() < 0.05:
        return "undecided", [number(means["mean"].max())]
    chosen = decided if len(decided) and not near else rows
    row = chosen.loc[chosen["difference"].abs().idxmax()]
    verdict = "yes" if near else "no" if len(decided) else "undecided"
    return verdict, amounts(row, "difference", "low", "high")


def trust(section: Section) -> tuple[str, list[str]]:
    """How many explanations that are no control fail at least one check."""
    rows = table(section, "trust.csv")
    whole = rows[(rows["check"] == "overall") & ~rows["control"]]
    failing = int((whole["verdict"] == "fails").sum())
    verdict = "no" if 2 * failing > len(whole) else "partly" if failing else "yes"
    if not failing and (whole["verdict"] == "undecided").any():
        verdict = "undecided"
    return verdict, [str(len(whole)), *([str(failing)] if failing else [])]


def consistency(section: Section) -> tuple[str, list[str]]:
    """The smallest and the largest lift of the comparisons that the answer is about: of those above
    chance where only some are."""
    rows = table(section, "consistency.csv")
    rows = rows[rows["main"] & rows["defined"]].sort_values("lift")
    # Benjamini and Hochberg: the largest k of which the k-th smallest p is at most .05 k / m.
    ranked = np.sort(rows["p"])
    below = np.flatnonzero(ranked <= 0.05 * np.arange(1, len(rows) + 1) / len(rows))
    limit = ranked[below[-1]] if len(below) else -1.0
    above = rows[(rows["lift_low"] > 0) & (rows["p"] <= limit)]
    little = (rows["kappa_high"].dropna() < 0.1).all()
    verdict = (
        "yes"
        if len(above) == len(rows)
        else "partly"
        if len(above)
        else "no"
        if little
        else "undecided"
    )
    told = above if verdict == "partly" else rows
    ends = [told.iloc[0], told.iloc[-1]]
    return verdict, [text for row in ends for text in amounts(row, "lift", "lift_low", "lift_high")]


def tokenization(section: Section) -> tuple[str, list[str]]:
    """The steepest slope whose interval excludes 0, else the steepest; yes where one of them is
    from twenty groups or more. Without re-segmented words where they take the most and the
    fewest tokens."""
    if "slopes.csv" not in section.files or not table(section, "slopes.csv")["defined"].any():
        rows = table(section, "tokenization.csv")
        rows = rows[rows["measure"] == "fertility"].sort_values("mean")
        return "unmeasured", amounts(rows.iloc[-1], "mean", "low", "high")
    rows = table(section, "slopes.csv")
    rows = rows[rows["defined"]]
    sure = rows[(rows["low"] > 0) | (rows["high"] < 0)]
    chosen = sure if len(sure) else rows
    row = chosen.loc[chosen["slope"].abs().idxmax()]
    counts = [str(len(sure)), str(len(rows))]
    enough = (sure["groups"] >= 20).any()
    return "yes" if enough else "undecided", [*amounts(row, "slope", "low", "high"), *counts]


def tradeoffs(section: Section) -> tuple[str, list[str]]:
    """The largest loss against the probe outside of the language fine-tuned on."""
    rows = table(section, "tradeoffs.csv")
    rows = rows[rows["source"] != rows["target"]].dropna(subset=["gain_low"])
    if section.headline.verdict == "unmeasured":
        return "unmeasured", []
    if section.headline.verdict == "yes":
        rows = rows[rows["gain_high"] < 0]
    row = rows.loc[rows["gain"].idxmin()]
    return section.headline.verdict, amounts(row, "gain", "gain_low", "gain_high")


def heads(section: Section) -> tuple[str, list[str]]:
    """The head that exceeds the threshold of a relation by most, of those that pass, else of the
    relations with 100 pairs."""
    rows = table(section, "head_relations.csv").dropna(subset=["threshold", "accuracy"])
    passed = rows[rows["passes"]]
    chosen = passed if len(passed) else rows[rows["pairs"] >= 100]
    total = str(table(section, "head_relations.csv")["head_of"].nunique())
    if not len(chosen):
        return "undecided", [total]
    row = chosen.loc[(chosen["accuracy"] - chosen["threshold"]).idxmax()]
    sure = ((passed["pairs"] >= 100) & (passed["low"] > passed["threshold"])).any()
    verdict = "no" if not len(passed) else "yes" if sure else "undecided"
    return verdict, [total, *amounts(row, "accuracy", "low", "high", "threshold")]


def surrogates(section: Section) -> tuple[str, list[str]]:
    """Of how many models whose log-odds vary the error of the SLALOM is the smallest."""
    rows = table(section, "surrogates.csv")
    learnt = rows[rows["variance"] > 0.01]
    nearest = int((learnt["SLALOM"] < learnt[["linear", "GAM"]].min(axis=1)).sum())
    if learnt.empty:
        return "undecided", []
    verdict = "yes" if nearest == len(learnt) else "partly" if nearest else "no"
    constant = len(rows) - len(learnt)
    noun = "model" if len(learnt) == 1 else "models"
    counts = [f"nearer to {nearest} of {len(learnt)} {noun} than"]
    return verdict, counts + ([f"learnt nothing: {constant}."] if constant else [])


def costs(section: Section) -> tuple[str, list[str]]:
    """Of each model, task, language and machine the method of the most and that of the fewest mean
    seconds, controls left out; the place where they differ by the largest factor. Yes where it is
    two or more for every text, no where it is for none."""
    rows = table(section, "cost_texts.csv")
    rows = rows[[METHODS[name].family != "control" for name in rows["base"]]]
    places = []
    for _, part in rows.groupby(["task", "model", "lang", "device", "threads"]):
        means = part.groupby("method")[["seconds", "tokens"]].mean().sort_values("seconds")
        places.append((means["seconds"].iloc[-1] / means["seconds"].iloc[0], means, part))
    factor, means, part = max(places, key=lambda place: place[0])
    cheap, dear = means.index[0], means.index[-1]
    tokens = [f"{means.loc[name, 'tokens']:,.0f} " for name in dict.fromkeys((dear, cheap))]
    if len(means) == 1:
        return "unmeasured", [f"{rounded(means['seconds'].iloc[0])} s with {dear}", *tokens]
    wide = part.pivot_table(index="id", columns="method", values="seconds")
    twice = (wide[dear] / wide[cheap]).dropna() >= 2
    verdict = "yes" if twice.all() else "undecided" if twice.any() else "no"
    seconds = [f"{rounded(means.loc[name, 'seconds'])} s with {name}" for name in (dear, cheap)]
    return verdict, [*seconds, f"{rounded(factor)} times", *tokens]


DERIVED: dict[str, Callable[[Section], tuple[str, list[str]]]] = {
    "faithfulness": faithfulness,
    "trust": trust,
    "consistency": consistency,
    "tokenization": tokenization,
    "tradeoffs": tradeoffs,
    "heads": heads,
    "surrogates": surrogates,
    "costs": costs,
}


def check_sentence(section: Section) -> None:
    """Every number of the sentence is a cell of a table; verdict and numbers are those of the
    rule."""
    answer = check_answer(section)
    verdict, numbers = DERIVED[section.name](section)
    sentence = answer.sentence.striptags().replace("−", "")
    assert answer.verdict == verdict, (section.name, sentence)
    assert [text for text in numbers if text not in sentence] == [], (section.name, sentence)
