"""Tables and figures of masked relevance propagation from stores of studies/head-masks*.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.faithfulness import ratios
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.analyses.heads.ablation import ablations_table
from babelscope.analyses.heads.tables import ModelHeads, tables
from babelscope.reporting.papers.drawing import curves, dots, heat
from babelscope.reporting.papers.element import Element, Missing, Paper
from babelscope.stats import estimate
from babelscope.stats.intervals import of_sums, quotient, rate
from babelscope.store import Store

CLASSIFICATION = ("aopc", "lodds")
RELEASED = ("released_aopc", "released_lodds")
ANSWERS = ("answer_recall", "answer_precision")
METHOD = "synt_pos"
KINDS = {
    "synt_pos": "both", "synt": "syntactic", "pos": "positional",
    "corrupted_sinks": "corrupted, sinks", "corrupted_words": "corrupted, words",
    "all": "all heads",
}  # fmt: skip
"""Kinds of masks in words."""
PLACE = ["task", "lang", "model"]
NUMBERS = ["mean", "low", "high", "n", "undefined"]
_MASK = re.compile(r"heads=(?P<source>.+?)(:(?P<kind>\w+)(\([^)]*\))?(@(?P<part>[\d.]+))?)?\]")


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The measures of explanations and the heads of models; either may be missing."""

    comparison: Comparison | None
    heads: list[ModelHeads] | None


def material(store: Store, study: Mapping[str, Any]) -> Material | None:
    blocks = study.get("analyses", {})
    comparison = ratios.comparison(store, study) if "faithfulness" in blocks else None
    heads = tables(store, study) if "heads" in blocks else None
    return Material(comparison, heads) if comparison is not None or heads else None


def means(metrics: tuple[str, ...], found: Material) -> pd.DataFrame:
    """The mean of each metric by task, model and method, every text counting once."""
    columns = [*PLACE, "metric", "method", *NUMBERS]
    chosen = _rows(found, metrics)
    if chosen.empty:
        return pd.DataFrame(columns=columns)
    lines = []
    for place, part in chosen.groupby([*PLACE, "metric", "method"]):
        shared = str(part["metric"].iloc[0]).partition("[")[0] in ANSWERS  # between 0 and 1
        mean = (rate if shared else estimate)(part["value"].tolist(), part["cluster"].tolist())
        if mean.n:
            lines.append((*place, mean.mean, mean.low, mean.high, mean.n, mean.undefined))
    return pd.DataFrame(lines, columns=columns)


def precision(found: Material) -> pd.DataFrame:
    """Precision at 20 as the mean over texts (macro) and over all answers' tokens (micro).

        macro = 1/N sum_i h_i / a_i,    micro = sum_i h_i / sum_i a_i

    h the answer's tokens among the 20 highest of a text, a all tokens of its answer; the paper's is
    micro.
    """
    columns = [*PLACE, "method", "average", *NUMBERS]
    recall = _rows(found, ("answer_recall",))
    if recall.empty:
        return pd.DataFrame(columns=columns)
    assert found.comparison is not None
    lengths = _answer_lengths(found.comparison)
    keys = zip(recall["name"], recall["method"], recall["id"])
    sized = recall.assign(size=[lengths.get(key, np.nan) for key in keys])
    lines = []
    for place, part in sized.groupby([*PLACE, "method"]):
        clusters = part["cluster"].tolist()
        hits = (part["value"] * part["size"]).to_numpy(dtype=np.float64)
        sums = np.column_stack([hits, part["size"].to_numpy(dtype=np.float64)])
        for average, each in (
            ("macro", rate(part["value"].tolist(), clusters)),
            ("micro", of_sums(sums, clusters, quotient, scale="share")),
        ):
            if each.n:
                numbers = (each.mean, each.low, each.high, each.n, each.undefined)
                lines.append((*place, average, *numbers))
    return pd.DataFrame(lines, columns=columns)


def _answer_lengths(comparison: Comparison) -> dict[tuple[str, str, str], float]:
    """Tokens of the explained answer that are scored, by model, method and text."""
    names = ["model", "method", "id", "target_index", "target_end", "input"]
    lengths = {}
    for row in comparison.attributions.select(names).to_pylist():
        content = row["input"]["content"] if row["input"] else []
        inside = content[row["target_index"] : row["target_end"] + 1]
        lengths[row["model"], row["method"], row["id"]] = float(sum(inside))
    return lengths


def by_threshold(found: Material) -> pd.DataFrame:
    """The method's mask with thresholds that more or fewer heads pass: means of each metric."""
    frame = _masked(found)
    if frame.empty:
        return frame
    measured = frame["source"].eq("builtin") & frame["kind"].isin([METHOD, "all"])
    chosen = frame[measured & (frame["part"].notna() | frame["kind"].eq("all"))]
    parts = chosen["part"].fillna(1.0)
    return chosen.assign(part=parts).sort_values([*PLACE, "metric", "part"], kind="stable")


def ablation(found: Material) -> pd.DataFrame:
    """Every kind of mask at the same thresholds: both, each half, random, corrupted, all."""
    frame = _masked(found)
    if frame.empty:
        return frame
    builtin = frame[frame["source"].eq("builtin")]
    common = builtin["part"].mode()
    same = builtin["part"].eq(common.iloc[0]) if len(common) else builtin["part"].isna()
    return builtin[same | builtin["kind"].eq("all")]


def named_ablation(found: Material) -> pd.DataFrame:
    """The same with the kinds in words."""
    frame = ablation(found)
    return frame.assign(kind=frame["kind"].replace(KINDS)) if len(frame) else frame


def transfer(found: Material) -> pd.DataFrame:
    """The method's mask from sentences of the text's own and of other languages and corpora."""
    frame = _masked(found)
    if frame.empty or not (~frame["source"].eq("builtin")).any():
        return pd.DataFrame()
    part = frame[~frame["source"].eq("builtin")]["part"].mode()
    chosen = frame[frame["kind"].eq(METHOD) & (frame["part"].isin(part) | frame["part"].isna())]
    sources = [_language(*pair) for pair in zip(chosen["source"], chosen["lang"])]
    corpora = chosen["source"].map(lambda name: "both" if name == "builtin" else name.split("/")[0])
    same = chosen["source"].map(lambda name: name == "builtin" or "{lang}" in name)
    said = ["own" if equal else lang for equal, lang in zip(same, sources)]
    names = [
        lang if corpus == "both" else f"{corpus} {lang}" for corpus, lang in zip(corpora, said)
    ]
    table = chosen.assign(mask=names, mask_language=sources, mask_corpus=corpora)
    return table.drop(columns=["kind"])


def _language(source: str, lang: str) -> str:
    """The language of a mask's sentences."""
    if source == "builtin" or "{lang}" in source:
        return lang
    parts = source.split("/")
    return parts[1] if len(parts) > 1 else re.split(r"[_.]", parts[0])[0]


def _masked(found: Material) -> pd.DataFrame:
    """Means of masked methods with the source, kind and part of the mask (NaN: fixed thresholds),
    and whether it keeps no head, or all."""
    frame = means((*CLASSIFICATION, "answer_recall"), found)
    frame = frame[~frame["method"].astype(str).str.startswith("released")]
    matches = [_MASK.search(str(name)) for name in frame["method"]]
    kept = frame.loc[[match is not None for match in matches]]
    known = [match for match in matches if match is not None]
    parts = [float(match["part"]) if match["part"] else np.nan for match in known]
    flags = _empty_or_full(found)
    return kept.assign(
        source=[match["source"] for match in known],
        kind=[match["kind"] or METHOD for match in known],
        part=pd.Series(parts, kept.index, float),
        empty_or_full=[flags.get(pair, "") for pair in zip(kept["model"], kept["method"])],
    )


def _empty_or_full(found: Material) -> dict[tuple[str, str], str]:
    """By model and method, what the explanations say of their mask."""
    if found.comparison is None or "flags" not in found.comparison.attributions.column_names:
        return {}
    rows = found.comparison.measured.rows
    names = dict(zip(rows["name"], rows["model"]))
    said = {"the head mask keeps no head": "none", "the head mask keeps all heads": "all"}
    columns = found.comparison.attributions.select(["model", "method", "flags"]).to_pylist()
    return {
        (names.get(row["model"], row["model"]), row["method"]): said[flag]
        for row in columns
        for flag in row["flags"] or ()
        if flag in said
    }


def thresholds(found: Material) -> pd.DataFrame:
    """How many heads pass as the thresholds vary."""
    rows = [
        {"model": model.model, "task": model.task, "lang": language.lang, **step._asdict()}
        for model in found.heads or []
        for language in model.languages
        for step in language.curve
    ]
    return pd.DataFrame(rows)


def syntactic_heads(found: Material) -> pd.DataFrame:
    """The number of syntactic heads by the margin of their threshold, once whatever the
    positional one."""
    places = ["model", "task", "lang", "margin"]
    frame = thresholds(found).rename(columns={"synt": "heads"})
    return frame[[*places, "heads"]].drop_duplicates(places) if len(frame) else frame


def masks(found: Material) -> pd.DataFrame:
    """How many heads every mask keeps, and whether that is none or all of them."""
    lines = []
    for model in found.heads or []:
        for language in model.languages:
            for kind, mask in language.masks.items():
                kept, total = int(sum(map(sum, mask.keep))), sum(map(len, mask.keep))
                said = {0: "none", total: "all"}.get(kept, "")
                lines.append((model.model, model.task, language.lang, kind, kept, total, said))
    columns = ["model", "task", "lang", "mask", "kept", "heads", "empty_or_full"]
    return pd.DataFrame(lines, columns=columns)


def agreements(found: Material) -> pd.DataFrame:
    """Whether the masks of two languages keep the same heads."""
    lines = [
        (model.model, model.task, *pair, alike)
        for model in found.heads or []
        for pair, alike in zip(model.agreements, model.likeness)
    ]
    names = ["one", "two", "common", "either", "jaccard", "kappa", "likeness"]
    return pd.DataFrame(lines, columns=["model", "task", *names])


def forward(found: Material) -> pd.DataFrame:
    """What the model predicts with the heads of a mask alone, and without them."""
    return ablations_table(found.heads or [])


def _rows(found: Material, metrics: tuple[str, ...]) -> pd.DataFrame:
    if found.comparison is None:
        return pd.DataFrame()
    rows = found.comparison.measured.rows
    return rows[rows["metric"].map(lambda name: name.partition("[")[0] in metrics)]


PAPER = Paper(
    "head-masks",
    "Masked relevance propagation: relevance that only syntactic and positional attention heads "
    "pass on. The published numbers were not obtainable.",
    "studies/head-masks.yaml",
    material,
    (
        Element(
            "table-1", "AOPC and LOdds by task, model and method.", partial(means, CLASSIFICATION),
            note="The paper's tables are one by task and architecture.",
        ),
        Element(
            "table-1-released", "The same as the released code measures it.",
            partial(means, RELEASED),
            note="The released method is released_masked_lrp.",
        ),
        Element(
            "table-2", "Precision at 20 of answers, micro and macro, by model and method.",
            precision, note="From studies/head-masks-squad.yaml; only the context's tokens "
            "compete. As published: micro.",
        ),
        Element(
            "answers", "Answers among the 20 highest tokens, both directions.",
            partial(means, ANSWERS),
        ),
        Element("ablation", "Kinds of masks at the same thresholds.", ablation),
        Element("figure-ablation", "Kinds of masks at the same thresholds.", named_ablation,
                partial(dots, value="mean", rows="kind",
                        panels=["metric", "task", "lang", "model"])),
        Element("figure-aopc-by-threshold", "The method by the part of heads that pass.",
                by_threshold, partial(curves, x="part", y="mean",
                                      panels=["metric", "task", "lang", "model"])),
        Element("transfer", "Masks of other corpora and languages.", transfer),
        Element("figure-transfer", "Masks of other corpora and languages.", transfer,
                partial(heat, value="mean", rows="lang", columns="mask", signed=True,
                        panels=["metric", "task", "model"],
                        axes=("the mask's sentences", "the texts"))),
        Element("mask-agreement", "Do the languages' masks keep the same heads?", agreements),
        Element("head-ablation", "Predictions with the heads of a mask alone, and without them.",
                forward, note="p: share of random masks of that size that do at least as well."),
        Element("masks", "Heads that every mask keeps.", masks),
        Element("figure-thresholds", "Syntactic heads by threshold.", syntactic_heads,
                partial(curves, x="margin", y="heads", series="lang", panels=["model", "task"])),
    ),
    (
        Missing("table-3", "Which results the third table has is not in the sources at hand.",
                "unknown"),
    ),
)  # fmt: skip
