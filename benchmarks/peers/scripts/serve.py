"""The part that all scripts share: a process that computes on request and answers with the CPU
seconds and the scores. It imports torch alone, so that it runs in any peer's environment.

One line of JSON in, one line out: {"method": "lime", "options": {...}, "seed": 0, "texts": 8} is
answered by {"seconds": 1.2, "preparing": 0.1, "scores": [[...], ...]} or {"error": "..."}. Whatever a library prints
goes to the standard error.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

Job = dict[str, Any]
"""What is explained: model, folder and texts, see `jobs.py`."""
Scores = list[list[float]]
"""Per text a score for each content token, or for each unit."""
Method = Callable[[Any, list[dict[str, Any]], dict[str, Any]], Scores]
"""(model, texts, options) -> scores."""
Prepare = Callable[[Any, list[dict[str, Any]]], list[dict[str, Any]]]
"""What the user of a library that takes token ids and a class does beforehand: texts that have
them, from strings."""


def reason(error: BaseException) -> str:
    """An error in one clause: its type and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0].strip()}"[:300] if lines else type(error).__name__


def seeded(seed: int) -> None:
    """Every generator that a library may draw from."""
    import numpy as np
    import torch

    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (the global generator is the one that libraries use)
    torch.manual_seed(seed)


def answer(
    model: Any, methods: Mapping[str, Method], job: Job, request: Job, prepare: Prepare | None
) -> Job:
    """The CPU seconds of the whole process, of them those of `prepare`, and the scores of one
    request."""
    texts = job["texts"][: request["texts"]]
    options = {**request["options"], "seed": request["seed"]}
    try:
        seeded(request["seed"])
        begin = time.process_time()
        if prepare is not None:
            texts = prepare(model, texts)
        preparing = time.process_time() - begin
        scores = methods[request["method"]](model, texts, options)
        seconds = time.process_time() - begin
    except Exception as error:  # whatever a peer raises is its answer
        return {"error": reason(error)}
    return {
        "seconds": seconds, "preparing": preparing if prepare is not None else 0.0,
        "scores": [[float(each) for each in row] for row in scores],
    }  # fmt: skip


def versions(packages: list[str]) -> dict[str, str]:
    known = {}
    for package in packages:
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            continue
    return known


def serve(
    load: Callable[[Job], Any],
    methods: Callable[[], Mapping[str, Method]],
    prepare: Prepare | None = None,
) -> None:
    """Loads the model of the job named on the command line, then answers until the input ends.

    `methods` imports the library: an error there is the process's first and last answer.
    """
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def say(line: Job) -> None:
        print(json.dumps(line), file=lines, flush=True)

    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    try:
        import torch

        torch.set_num_threads(1)
        table = methods()
        model = load(job)
    except Exception as error:  # the environment or the model is refused
        say({"error": reason(error)})
        return
    say({"ready": versions(job["packages"])})
    for line in sys.stdin:
        say(answer(model, table, job, json.loads(line), prepare))
