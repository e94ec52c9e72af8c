"""Runs experiments and writes their pages: `python -m experiments sib200`, or all without a name.

With `--pilot` each is run on few texts with few steps, as a trial of the code; its page goes to a
temporary folder.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from pathlib import Path

from babelscope.files import write_text
from babelscope.study.config import Study
from experiments import files
from experiments.studies import filled

UNCONVERTED = {
    "masks": "masks:page",
    "consistency": "consistency:page",
    "consistency-pairs": "consistency:pairs_page",
    "tradeoffs": "tradeoffs_page:page",
}
"""Pages whose module runs everything by itself, without a YAML file."""
NAMES = sorted({*files.NAMES, *UNCONVERTED})


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], help="pages to write")
    for size, what in (("pilots", "a short trial"), ("full", "the published size, for a GPU")):
        option, help_ = f"--{size.removesuffix('s')}", f"{what}, in a temporary folder"
        parser.add_argument(option, action="store_const", const=size, dest="size", help=help_)
    chosen = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp()) if chosen.size else files.PAGES
    if chosen.size == "pilots":
        os.environ["BABELSCOPE_CACHE"] = str(folder / "cache")
    for name in chosen.names or NAMES:
        begin = time.perf_counter()
        write(name, folder, chosen.size)
        took = time.perf_counter() - begin
        print(f"{folder / name}.md: {took:.0f} s", file=sys.stderr, flush=True)


def write(name: str, folder: Path, size: str | None = None) -> None:
    """Runs one experiment and writes its page, with its figures beside it."""
    if name in UNCONVERTED:
        return write_text(folder / f"{name}.md", unconverted(name, size))
    spec = files.parsed(name, size)
    values = dict(
        files.module(name).values(filled(name, spec) if isinstance(spec, Study) else spec)
    )
    for file, figure in values.pop("figures", {}).items():
        write_text(folder / file, str(figure))
    write_text(folder / f"{name}.md", files.render(name, values))


def unconverted(name: str, size: str | None) -> str:
    """The page of a module that runs everything by itself."""
    path, function = UNCONVERTED[name].split(":")
    function = "full_page" if size == "full" else function
    module = importlib.import_module(f"experiments.{path}")
    if size == "pilots" or not hasattr(module, function):
        raise SystemExit(f"{name} has no such size; run it without an option")
    return str(getattr(module, function)())


if __name__ == "__main__":
    main(sys.argv[1:])
