"""Runs every benchmark and writes docs/benchmarks.md: `make bench`, or `python -m benchmarks
[--write] [PART ...]`.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
import traceback
from collections.abc import Sequence
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

THREADS, LOAD = torch.get_num_threads(), os.getloadavg()[0]
PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
SECTIONS = {
    "explain": explaining.section,
    "peers": peers.section,
    "integrated": integrated.section,
    "slalom": surrogate.section,
    "shapley": shapley.section,
    "measuring": measuring.section,
    "startup": startup.section,
    "memory": memory.section,
    "cluster": cluster.section,
    "inference": inference.section,
    "propagation": propagation.section,
    "consistency": consistency.section,
    "tradeoffs": tradeoffs.section,
    "scale_out": scale_out.section,
}
TO_RUN = """## To run it

`make bench` takes about an hour and a half on two cores, with nothing else running, and replaces this page; `python -m benchmarks inference` runs one part and only
prints it; with `--write` it replaces that part of this page. Models are trained once and cached, and so are the peers' environments.
"""


def head(answers: str) -> str:
    here = material.material()
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("torch", "transformers", "captum", "lime", "shap")
    )
    return f"""# How fast is it?

{answers}

```console
$ make bench
```

writes this page. Speed depends on the machine, so every figure is a ratio between two things that were timed alternately
in the same run (A B, B A, ...): the median and, in brackets, the range over the repetitions.

* Machine: {os.cpu_count()} cores ({platform.machine()}), no GPU used, {THREADS} torch threads where a section does not say one;
  Python {platform.python_version()}, {libraries}
* Texts: {here.texts}; test reviews for models trained on the built-in reviews
* Models: {here.model} is an {here.about}; gte-small is a BERT 12 x 384, fine-tuned on English SIB-200; chineseharm-bert a BERT 12 x 768 as its
  makers fine-tuned it; {material.PROMPTED} a Llama 30 x 576 that classifies by its answer in a chat; BERT 2 x 128 has 2 layers and width 128 and is trained from scratch on the
  built-in English reviews; and so on. Models up to a width of 128 run on one thread, on both sides of the comparison
* Load average at the start: {LOAD:.1f}; other processes widen the ranges
"""


def answers(sections: Sequence[str]) -> str:
    """What each section found: its heading as a link, and the bold sentence below it."""
    lines = []
    for section in sections:
        stated = re.match(r"## (.+)\n\n\*\*(.+?)\*\*\n", section, re.DOTALL)
        if stated:
            anchor = re.sub(r"[^a-z0-9]+", "-", stated[1].lower()).strip("-")
            lines.append(f"* [{stated[1]}](#{anchor}): {stated[2]}")
    return "\n".join(lines)


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


def measured(name: str) -> str | None:
    """A section; one that fails says why, and the others go on."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    torch.set_num_threads(THREADS)
    begin = time.perf_counter()
    try:
        section = SECTIONS[name]()
    except Exception:  # whatever failed, the other figures are not lost
        traceback.print_exc()
        return None
    print(section, flush=True)
    print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    return section


def main(chosen: list[str]) -> None:
    keep = "--write" in chosen or not chosen
    chosen = [name for name in chosen if name != "--write"]
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; choose from: {', '.join(SECTIONS)}", file=sys.stderr)
        raise SystemExit(2)
    sections = []
    for name in chosen or SECTIONS:
        section = measured(name)
        if section is not None:
            sections.append(section)
        if section is not None and keep:
            write(replaced(PAGE.read_text("utf-8"), section))
    failed = len(chosen or SECTIONS) - len(sections)
    if not chosen and not failed:
        write("\n".join([head(answers(sections)), *sections, TO_RUN]))
    if failed:
        raise SystemExit(f"{failed} benchmark(s) failed; the page keeps their former figures")


if __name__ == "__main__":
    main(sys.argv[1:])
