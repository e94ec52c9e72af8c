"""The trade-off page in a real browser: it loads nothing, nothing is cut off, all scripts, light
and dark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from devtools import CHROMIUM, browser

from babelscope.analyses.tradeoffs.behaviour import specialisation, transfer_gap
from babelscope.analyses.tradeoffs.section import section
from babelscope.reporting.build import section_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
LANGS = ("en", "hi", "ar", "zh")
TEXTS = {
    "g": {
        "en": ("<b>Rain</b> in June",),
        "hi": ("जून में बारिश",),
        "ar": ("مطر في يونيو",),
        "zh": ("六月下雨",),
    }
}


def three(values: np.ndarray) -> dict[str, Any]:
    return {
        "value": values.tolist(),
        "low": (values - 0.05).tolist(),
        "high": (values + 0.05).tolist(),
    }


def drawn() -> dict[str, Any]:
    """Numbers of the shape that the tables have."""
    rng = np.random.default_rng(0)
    a = rng.uniform(0.3, 0.9, (4, 4))
    curve = [[1.0, 0.99, 1.01], [0.8, 0.75, 0.85], [0.5, 0.4, 0.6]]
    point = {"confidence": 0.7, "accuracy": 0.6, "low": 0.5, "high": 0.7, "n": 40}
    pairs = [(s, t) for s in LANGS for t in LANGS]
    over = {"value": 0.1, "low": 0.05, "high": 0.15}
    sure = {
        "ece_width": 0.1,
        "null_width": 0.12,
        "distinguishable": False,
        "brier": {"total": 0.4},
        "nll": 0.8,
    }
    flip = {"listed": [{"group": "g", "gold": 0, "predicted": 1, "confidence": 0.93}]}
    return {
        "sources": list(LANGS), "targets": list(LANGS), "seeds": [0, 1], "labels": ["sport", "<i>health"], "texts": 40,
        "clusters": 40, "parallel": True, "notes": ["two seeds"],
        "behaviour": {
            "accuracy": three(a), "transfer_gap": three(transfer_gap(a, [0, 1, 2, 3])), "harmed": [["en", "zh"]], "unlearnt": [],
            "specialisation": three(specialisation(a, [0, 1, 2, 3])), "gain": {"probe": three(a - 0.5)},
            "references": {"majority": three(a * 0 + 0.25), "probe": three(a * 0 + 0.5)},
            "preference": three(np.diag(a)[:, None] - a), "donor": three(a.mean(1)), "difficulty": three(a.mean(0)),
            "shares": three(np.array([0.5, 0.3, 0.2])),
            "tests": [{"source": "en", "target": "<i>hi", "effect": 0.1, "only_first": 3, "only_second": 9, "mcnemar": 0.15,
                       "p": 0.12, "adjusted": 0.4}],
        },
        "activations": [
            {"lang": lang, "pooling": "mean", "to_base": curve, "between_sources": curve, "between_seeds": curve,
             "as_published": {"cka": [0.9, 0.8, 0.7], "cosine": [0.99, 0.98, 0.97]},
             "exchanged": [0.0, 0.01, -0.01], "slope": [0.1, 0.05, 0.15], "beyond": curve} for lang in LANGS
        ],
        "attention": [
            {"quantity": "nats", "model": "base", "layers": {lang: [1.2, 0.8] for lang in LANGS},
             "heads": {lang: [[1.0, 1.4], [0.9, 0.7]] for lang in LANGS}},
            {"quantity": "share", "model": "base", "language_effect": {lang: [0.0, -0.1, 0.1] for lang in LANGS}},
            {"quantity": "share", "model": "en", "less_base": {lang: [0.2, 0.1, 0.3] for lang in LANGS}},
        ],
        "confidence": [
            {"source": s, "target": t, "over": over, "over_beyond_own": None, "diagram": [point], **sure,
             "temperature": {"source": {"t": 1.4, "ece": 0.05, "bound": False}}} for s, t in pairs
        ],
        "errors": [
            {"source": s, "target": t, "accuracy": 0.5, "confusion": [[12, 8], [0, 0]],
             "recall": [0.6, None], "flips": flip if s != t else {}}
            for s, t in pairs
        ],
        "forgetting": [{"source": "en", "target": "hi", "forgotten": [0.1, 0.0, 0.2], "misfit": [None, None, None]}],
        "drift": [{"source": "en", "drift": {"embeddings": 0.0, "layer 0": 0.1}, "language_loss": {}}],
        "flipped_texts": TEXTS,
    }  # fmt: skip


def page() -> str:
    return section_page(section({"<u>topic": drawn(), "other": drawn()}))


@pytest.mark.parametrize("dark", [False, True])
def test_the_page(tmp_path: Path, dark: bool) -> None:
    file = tmp_path / "tradeoffs.html"
    file.write_text(page(), "utf-8")
    with browser() as shown:
        for width in (1280, 400):
            shown.open(file.as_uri(), dark=dark, width=width)
            assert shown.errors == []
            assert [
                each for each in shown.requests if not each.startswith(("file://", "data:"))
            ] == []
            assert shown.evaluate("document.documentElement.dataset.error === undefined")
            assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                "only the boxes scroll"
            )
            charts = "document.querySelectorAll('.panels svg').length"
            many = len(LANGS)
            matrices, curves, diagrams, confusions = 5, many, many, 2 * many + many * many
            entropies, recalls = (
                1 + many,
                many,
            )  # of the base: by layer, and by head in each language
            each = matrices + curves + diagrams + confusions + entropies + recalls
            assert shown.evaluate(charts) == 2 * each, "of both tasks"
            assert (
                shown.evaluate("document.querySelectorAll('u, main i:not([class])').length") == 0
            ), "names and texts are no markup"
            assert (
                shown.evaluate("getComputedStyle(document.querySelector('bdi[lang=ar]')).direction")
                == "rtl"
            )


def test_the_same_numbers_give_the_same_text() -> None:
    assert page() == page()
