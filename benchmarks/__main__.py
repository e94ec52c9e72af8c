"""Runs every benchmark and writes docs/benchmarks.md: `make bench`, or `python -m benchmarks
[--write] [PART ...]`.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from importlib.metadata import version
from pathlib import Path

import torch

from benchmarks import (
    consistency,
    door,
    integrated,
    material,
    measuring,
    propagation,
    surrogate,
    tradeoffs,
)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
SECTIONS = {
    "door": door.section,
    "integrated": integrated.section,
    "measuring": measuring.section,
    "propagation": propagation.section,
    "slalom": surrogate.section,
    "consistency": consistency.section,
    "tradeoffs": tradeoffs.section,
}


def head() -> str:
    here = material.material()
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("torch", "transformers", "captum", "lime", "shap")
    )
    return f"""# How fast is it?

This page is written by `make bench`; the numbers are as they came out.

Speed depends on the machine, so nothing here is a time: every figure is a ratio between two things that were timed in turn
in the same run (A B, B A, ...), as median and, in brackets, range over the repetitions.

* Machine: {os.cpu_count()} cores ({platform.machine()}), no GPU used, {torch.get_num_threads()} torch threads;
  Python {platform.python_version()}, {libraries}
* Texts: {here.texts}; where a model is trained on the built-in reviews, test texts of these
* Models: {here.model} is an {here.about}; BERT 2 x 128 has 2 layers and width 128 and is trained from scratch on the
  built-in English reviews; and so on. Models up to a width of 128 run on one thread, on both sides
* Load of the machine when the run began: {os.getloadavg()[0]:.1f}; other work makes the ranges wider
"""


def replaced(page: str, section: str) -> str:
    """The page with the section in the place of the one of that heading, or before the last one,
    if it is new.
    """
    parts = re.split(r"(?m)^(?=## )", page)
    heading = section.splitlines()[0]
    new = section.rstrip() + "\n\n"
    if not any(part.startswith(heading + "\n") for part in parts):
        return "".join([*parts[:-1], new, parts[-1]])
    return "".join(new if part.startswith(heading + "\n") else part for part in parts)


def write(text: str) -> None:
    written = PAGE.with_suffix(".part")
    written.write_text(text, "utf-8")
    os.replace(written, PAGE)


def main(chosen: list[str]) -> None:
    keep = "--write" in chosen
    chosen = [name for name in chosen if name != "--write"]
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        raise SystemExit(f"there is no benchmark {unknown[0]!r}; there are: {', '.join(SECTIONS)}")
    parts = [head()]
    for name in chosen or SECTIONS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        begin = time.perf_counter()
        parts.append(SECTIONS[name]())
        print(parts[-1], flush=True)
        if keep and chosen:
            write(replaced(PAGE.read_text("utf-8"), parts[-1]))
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    if chosen:
        return
    parts.append(
        "## To run it\n\n`make bench` takes ten to twenty minutes on two cores and replaces this "
        "page; `python -m benchmarks "
        "door` runs one part and only prints it, with `--write` it takes its place on this page. "
        "Models are trained once and "
        "kept in the user's cache.\n"
    )
    write("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
