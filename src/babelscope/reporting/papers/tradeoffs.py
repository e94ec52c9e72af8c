"""The figures of the study of fine-tuning trade-offs from a store, and the tables behind them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from babelscope.analyses.tradeoffs.tables import tables
from babelscope.reporting.papers import tradeoff_frames as frames
from babelscope.reporting.papers.drawing import curves, dots, heat
from babelscope.reporting.papers.element import Element, Paper
from babelscope.reporting.papers.tradeoff_frames import PLACE, ByTask
from babelscope.store import Store


def material(store: Store, study: Mapping[str, Any]) -> ByTask | None:
    return tables(store, study) if "tradeoffs" in study.get("analyses", {}) else None


PAPER = Paper(
    "tradeoffs",
    "Trade-offs of fine-tuning a multilingual model on one language: XLM-R on XNLI, English and "
    "Hindi (public code: github.com/durgarsharma/model-diffing).",
    "studies/tradeoffs-en-hi.yaml",
    material,
    (
        Element("figure-1", "Accuracy by training and input language.", frames.accuracy,
                draw=partial(heat, value="accuracy", rows="source", columns="target",
                             panels=["task"])),
        Element("accuracy", "Accuracy by training and input language, with intervals.",
                frames.accuracy,
                note="Published: the first 500 test rows, one seed."),
        Element("figure-2", "Preference for the own language.", frames.preference,
                draw=partial(dots, value="preference", rows="source", series="compared",
                             panels=["task"], reference=0.0)),
        Element("preference", "Preference for the own language, with intervals.", frames.preference,
                note="The difference of two preferences is twice the effect of the input language: "
                "it says nothing about specialisation."),
        Element("donor-difficulty", "What a training language gives, and how easy an input "
                "language is.", frames.donor_and_difficulty),
        Element("shares", "Shares of the variance of accuracies: two-way fit.", frames.shares),
        Element("comparisons", "Every model against the input language's own: McNemar and sign "
                "flips, Holm.", frames.comparisons),
        Element("figure-3", "Similarity of models by layer.", frames.layer_similarity,
                draw=partial(curves, x="layer", y="similarity", series="definition",
                             panels=["task", "target", "pooling"], limits=(0.0, 1.0)),
                note="Published: biased CKA, mean pooling, 100 texts."),
        Element("figure-4", "Attention entropy by layer, in nats.", frames.entropy_by_layer,
                draw=partial(curves, x="layer", y="nats", series="target",
                             panels=["task", "source"])),
        Element("figure-4-heads", "Attention entropy by layer and head, in nats.",
                frames.entropy_by_head,
                draw=partial(heat, value="nats", rows="layer", columns="head",
                             panels=["task", *PLACE])),
        Element("entropy", "Attention entropy, mean over layers, in nats.", frames.entropy,
                note="Published: heads averaged before the entropy, four sentence pairs."),
        Element("figure-5", "Reliability diagrams.", frames.reliability,
                draw=partial(curves, x="confidence", y="accuracy", series="target",
                             panels=["task", "source"], limits=(0.0, 1.0), diagonal=True,
                             size="n")),
        Element("calibration", "Calibration errors beside those of a calibrated model.",
                frames.calibration),
        Element("figure-6", "Recall by class, training and input language.",
                frames.recall_by_condition,
                draw=partial(dots, value="recall", rows="class", series="condition",
                             panels=["task"]),
                note="Published: the first 300 test rows."),
        Element("recall", "Recall, precision and F1 by class.", frames.recall,
                note="Published: recall, the first 300 test rows."),
        Element("figure-confusions", "All confusion matrices, shares of the gold class.",
                frames.confusions,
                draw=partial(heat, value="count", rows="gold", columns="predicted",
                             panels=["task", *PLACE], whole=True)),
        Element("confusions", "All confusion matrices.", frames.confusions,
                note="Published: the first 1000 test rows, English on English."),
        Element("factorial", "Effects of input, model and their match on recall by class.",
                frames.factorial),
        Element("forgetting", "What a second fine-tuning makes the model forget.",
                frames.forgetting),
    ),
)  # fmt: skip
