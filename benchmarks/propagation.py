"""What relevance propagation costs: each rule set against one plain gradient pass over the same
texts.
"""

from __future__ import annotations

from functools import partial

from babelscope.methods import METHODS
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.targets import predicted
from benchmarks import material
from benchmarks.timing import in_turn, table

TEXTS = 20
REPETITIONS = 5
COMPARED = (
    "attnlrp",
    "cp_lrp",
    "masked_attnlrp",
    "deeplift",
    "lrp",
    "partial_lrp",
    "transatt",
    "masked_lrp",
)


def section() -> str:
    model = material.multilingual()
    rows = encode(model, material.mixed(TEXTS))
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    targets = [predicted(model, row, output) for row, output in zip(rows, outputs)]
    plain = partial(METHODS["input_x_gradient"].function, model, rows, targets)
    lines = []
    for name in COMPARED:
        options = {"heads": "builtin"} if name.startswith("masked") else {}
        ratio = in_turn(
            partial(METHODS[name].function, model, rows, targets, **options), plain, REPETITIONS
        )
        lines.append([name, str(ratio)])
    return f"""## Relevance propagation against a gradient

One gradient pass is `input_x_gradient`; every method explains the same {TEXTS} texts with {material.material().model}.
The target for AttnLRP and CP-LRP is at most 1.5 gradient passes. DeepLIFT processes every text together with its reference; the methods below it
split weights by sign and, for rollout, also need a plain gradient; masks are measured beforehand.

{table(["method", "time / time of a gradient pass"], lines)}
"""
