"""Runs a study and writes its page: `python -m results sib200`, or all of them without a name."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from results import (
    additive,
    consistency,
    corpus,
    deeplift,
    masks,
    published,
    published_consistency,
    published_tradeoffs,
    sib200,
    slalom,
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
    "slalom": slalom.page,
    "additive": additive.page,
    "published-tradeoffs": published_tradeoffs.page,
    "tradeoffs": tradeoffs_page.page,
}
FILES = {"published": "mono-vs-multi-published"}
"""Pages whose name is not the study's."""


def main(chosen: list[str]) -> None:
    unknown = [name for name in chosen if name not in STUDIES]
    if unknown:
        raise SystemExit(f"there is no study {unknown[0]!r}; there are: {', '.join(STUDIES)}")
    for name in chosen or STUDIES:
        begin = time.perf_counter()
        text = STUDIES[name]()
        part = PAGES / f"{name}.part"
        part.write_text(text, "utf-8")
        os.replace(part, PAGES / f"{FILES.get(name, name)}.md")
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
