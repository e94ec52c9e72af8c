"""Values that the code computed before its second edition, computed again and compared.

values.json.gz holds 46,380 values of eleven families, recorded by the first edition: explanations
of every method, metrics, surrogates, intervals, tables of a study. A value that changes without a
reason is a defect. Where a function, a field or a text was renamed since, the recorder maps it back
to the recorded key (literal tables at the top of each module); the recorded file is never changed.
From the folder tests, for all families or some:

    export PYTHONPATH=../src:.:support OMP_NUM_THREADS=1
    python -m baseline compare baseline/values.json.gz [FAMILY ...]
    python -m baseline record FILE.json.gz [FAMILY ...]

Families: methods, metrics, surrogates, consistency, spaces, tradeoffs, heads, tokenization, stores,
inference, arrays; each takes seconds to minutes on one core. The exit status is 1 if a value is
wrong. BASELINE_THREADS sets the threads of PyTorch (1), BASELINE_KEEP a folder for the values that
were computed. These modules are no tests: pytest does not collect them.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
import traceback
import warnings
from importlib import import_module
from pathlib import Path

import torch

from baseline.differences import Family, compare
from baseline.values import Values

FAMILIES: dict[str, tuple[str, str]] = {
    "methods": ("methods", "values"),
    "metrics": ("metrics", "values"),
    "surrogates": ("surrogates", "values"),
    "consistency": ("parallel", "values"),
    "spaces": ("spaces", "values"),
    "tradeoffs": ("tradeoffs", "values"),
    "heads": ("structure", "heads"),
    "tokenization": ("structure", "tokenization"),
    "stores": ("stores", "values"),
    "inference": ("inference", "values"),
    "arrays": ("arrays", "values"),
}
"""Module and function of each family; loaded when it is compared."""
# Tolerances of values that other rounding changes in more than the last digits, by what their keys
# look like. They were found by computing with other instructions of the processor.
ROUGH = (
    "attention", "scaled_attention", "rollout", "generic_attention", "grads", "attgrads", "cat",
    "attcat", "attention_flow", "lrp", "partial_lrp", "transatt", "masked_lrp",
)  # fmt: skip
LOOSE: dict[str, float] = {
    # Visible attention of Llama is a softmax in float32, whatever the model's type; so is T5's.
    **{f"methods/llama/{name}/*": 1e-4 for name in ROUGH},
    "methods/t5/*": 1e-9,
    # The model with random weights is made in float32.
    "consistency/*/c_rand*": 1e-5,
    "consistency/measures/own/*": 1e-5,
    # A difference of nearly equal numbers.
    "consistency/*lift*": 1e-11,
    "consistency/*kappa*": 1e-11,
    "tokenization/intervention/*/by_*": 1e-11,
    "stores/grids/*": 1e-11,
    "stores/trust/*/checks/0/value": 1e-9,
    # The best plan of a transport is not unique; its value is.
    "consistency/study/*/earned_?": 0.1,
    "consistency/pair/*/plan": 0.1,
    # The noise of an exact fit is rounding alone.
    "surrogates/planted/*_sd": 1e-6,
    # An optimiser stops where the loss no longer changes.
    "*/temperature/*": 1e-6,
    "methods/classes/*": 1e-7,
}


EXPECTED: dict[str, str] = {
    "stores/run": "six cells fewer: further samples of random scores belong to faithfulness, trust "
    "panels are of one sample (here they are computed without the study, and are the same)",
    "stores/report/measures/cluster": "measures.csv names the cluster that intervals resample",
}
"""Values that changed on purpose, by key, with the reason."""
REWORDED = {
    "no permutation was drawn": "no permutation was sampled",
    " draws no random numbers": " uses no random numbers",
    "no model tuned with": "no model fine-tuned with",
    "the data do not separate it from": "it cannot be distinguished from",
    "which the data do not tell from 0": "not significantly different from 0",
    "is not told apart from": "cannot be distinguished from",
    "has been held against a floor": "can be compared with them",
}
"""Recorded phrases, and how the same is said now."""


def compute(name: str) -> Values | None:
    """The values of a family, or nothing where it fails, which is reported."""
    start, computed, message = time.perf_counter(), None, ""
    try:
        module, function = FAMILIES[name]
        computed = getattr(import_module(f"baseline.{module}"), function)()
        message = f"{len(computed)} values"
    except Exception:  # one family never costs the others
        message = f"FAILED\n{traceback.format_exc()}"
    if "BASELINE_KEEP" in os.environ and computed is not None:  # what was computed, to look at
        place = Path(os.environ["BASELINE_KEEP"]) / f"{name}.json"
        place.write_text(json.dumps(computed, ensure_ascii=False))
    print(f"{name}: {message}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return computed


def record(file: Path, names: list[str]) -> int:
    """Writes the values; with some families only, the others stay as they are in the file."""
    kept = read(file) if file.is_file() and set(names) != set(FAMILIES) else {}
    computed = {name: compute(name) for name in names}
    whole = kept | {name: values for name, values in computed.items() if values is not None}
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return int(None in computed.values())


def read(file: Path) -> dict[str, Values]:
    known: dict[str, Values] = json.loads(gzip.decompress(file.read_bytes()))
    return known


def reworded(values: Values) -> Values:
    text = json.dumps(values, ensure_ascii=False)
    for before, now in REWORDED.items():
        text = text.replace(before, now)
    renewed: Values = json.loads(text)
    return renewed


def judge(file: Path, names: list[str]) -> int:
    """Computes the values again and reports what has changed."""
    known, faults = read(file), 0
    for name in names:
        computed = compute(name)
        if computed is None or name not in known:
            print(f"{name}: {'FAILED' if computed is None else 'was not recorded'}", flush=True)
            faults += 1
        else:
            family = compare(name, reworded(known[name]), computed, LOOSE)
            expected = [line for line in family.wrong if line.partition(": ")[0] in EXPECTED]
            family.wrong = [line for line in family.wrong if line not in expected]
            show(family)
            for line in expected:
                print(f"  (expected) {line}\n    {EXPECTED[line.partition(': ')[0]]}", flush=True)
            faults += len(family.wrong)
    return int(faults > 0)


def show(family: Family) -> None:
    print(
        f"{family.name}: {family.count} values of {family.numbers} parts, "
        f"{family.equal} equal to the last bit; largest difference "
        f"{family.relative:.2g} relative ({family.widest or 'nowhere'}), {family.absolute:.2g} "
        "absolute; "
        f"{family.loose} within their own tolerance, {len(family.wrong)} wrong, "
        f"{len(family.refusals)} refusals in other words"
    )
    for line in family.wrong:
        print(f"  {line}")
    for line in family.refusals:
        print(f"  (refusal) {line}")
    sys.stdout.flush()


def main() -> int:
    warnings.simplefilter("ignore")
    torch.set_num_threads(int(os.environ.get("BASELINE_THREADS", "1")))
    acts = {"record": record, "compare": judge}
    if len(sys.argv) < 3 or sys.argv[1] not in acts:
        print(__doc__)
        return 2
    return acts[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:] or list(FAMILIES))


if __name__ == "__main__":
    sys.exit(main())
