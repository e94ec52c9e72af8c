"""Runs a study and writes its page: `python -m experiments sib200`, or all of them without a name."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from experiments import (
    additive,
    consistency,
    corpus,
    deeplift,
    intervention,
    masks,
    mono_vs_multi,
    published,
    published_consistency,
    published_tradeoffs,
    sib200,
    sib200_faithfulness,
    slalom,
    slalom_depth,
    slalom_questions,
    slalom_texts,
    tradeoffs_page,
)

PAGES = Path(__file__).resolve().parents[1] / "docs" / "results"
STUDIES = {
    "corpus": corpus.page,
    "sib200": sib200.page,
    "deeplift": deeplift.page,
    "masks": masks.page,
    "published": published.page,
    "published-consistency": published_consistency.page,
    "consistency": consistency.page,
    "consistency-pairs": consistency.pairs_page,
    "slalom": slalom.page,
    "slalom-depth": slalom_depth.page,
    "slalom-depth-full": slalom_depth.full_page,
    "slalom-questions": slalom_questions.page,
    "slalom-texts": slalom_texts.page,
    "slalom-texts-full": slalom_texts.full_page,
    "mono-vs-multi": mono_vs_multi.page,
    "sib200-faithfulness": sib200_faithfulness.page,
    "additive": additive.page,
    "intervention": intervention.page,
    "published-tradeoffs": published_tradeoffs.page,
    "tradeoffs": tradeoffs_page.page,
}
FILES = {"published": "mono-vs-multi-published"}
"""Pages whose name is not the study's."""
FULL = ("slalom-depth-full", "slalom-texts-full")
"""Studies for a GPU with checkpoints from the hub: run only when named."""


def main(chosen: list[str]) -> None:
    unknown = [name for name in chosen if name not in STUDIES]
    if unknown:
        raise SystemExit(f"there is no study {unknown[0]!r}; there are: {', '.join(STUDIES)}")
    for name in chosen or (name for name in STUDIES if name not in FULL):
        begin = time.perf_counter()
        text = STUDIES[name]()
        part = PAGES / f"{name}.part"
        part.write_text(text, "utf-8")
        os.replace(part, PAGES / f"{FILES.get(name, name)}.md")
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
