"""Runs experiments and writes their pages: `python -m experiments sib200`, or all without a name.

With `--pilot` each is run on few texts with few steps, as a trial of the code; its page goes to a
temporary folder.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from babelscope.files import write_text
from babelscope.study.config import Study
from experiments import files
from experiments.studies import filled
from experiments.study_sets import Filled, Studies, write_cuts

NAMES = files.NAMES


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
    values = dict(files.module(name).values(prepared(name, files.parsed(name, size))))
    for file, figure in values.pop("figures", {}).items():
        write_text(folder / file, str(figure))
    write_text(folder / f"{name}.md", files.render(name, values))


def prepared(name: str, spec: Any) -> Any:
    """What the module of an experiment starts from: its `Spec`, or the stores of its studies."""
    if isinstance(spec, Study):
        return filled(name, spec)
    if not isinstance(spec, Studies):
        return spec
    write_cuts(spec.cuts, files.SHARED / "data")
    return {
        part: Filled(*filled(f"{name}-{part}", study), study)
        for part, study in spec.studies.items()
    }


if __name__ == "__main__":
    main(sys.argv[1:])
