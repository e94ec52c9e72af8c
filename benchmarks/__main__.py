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
    cluster,
    consistency,
    explaining,
    inference,
    integrated,
    material,
    measuring,
    memory,
    propagation,
    scale_out,
    shapley,
    startup,
    surrogate,
    tradeoffs,
)
from benchmarks.peers import tables as peers

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
SECTIONS = {
    "inference": inference.section,
    "explain": explaining.section,
    "integrated": integrated.section,
    "measuring": measuring.section,
    "propagation": propagation.section,
    "slalom": surrogate.section,
    "shapley": shapley.section,
    "consistency": consistency.section,
    "tradeoffs": tradeoffs.section,
    "startup": startup.section,
    "memory": memory.section,
    "scale_out": scale_out.section,
    "cluster": cluster.section,
    "peers": peers.section,
}


def head() -> str:
    here = material.material()
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("torch", "transformers", "captum", "lime", "shap")
    )
    return f"""# How fast is it?

`explain` costs little more than the passes that its method needs, integrated gradients reach a required error of every token
without being told a number of steps, and SLALOM reaches the deletion score of LIME and Kernel SHAP with fewer samples
on most models.

```console
$ make bench
```

writes this page. Speed depends on the machine, so every figure is a ratio between two things that were timed alternately
in the same run (A B, B A, ...): the median and, in brackets, the range over the repetitions.

* Machine: {os.cpu_count()} cores ({platform.machine()}), no GPU used, {torch.get_num_threads()} torch threads;
  Python {platform.python_version()}, {libraries}
* Texts: {here.texts}; test reviews for models trained on the built-in reviews
* Models: {here.model} is an {here.about}; BERT 2 x 128 has 2 layers and width 128 and is trained from scratch on the
  built-in English reviews; and so on. Models up to a width of 128 run on one thread, on both sides of the comparison
* Load average at the start: {os.getloadavg()[0]:.1f}; other processes widen the ranges
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
        "inference` runs one part and only prints it; with `--write` it replaces that part of "
        "this page. "
        "Models are trained once and "
        "cached.\n"
    )
    write("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
