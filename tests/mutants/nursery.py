"""A process with the libraries in memory that forks a child for every run of pytest: importing them takes longer than a law.

Each line of its input is a JSON object: `path` (where the package lies), `args` (of pytest), `out` (a file for its prints).
Each line of its output is the exit status. The package itself is imported by the children alone, each its own copy.
"""

from __future__ import annotations

import json
import os
import sys
import traceback

import pandas  # noqa: F401
import plotly.graph_objects  # noqa: F401
import pytest
import scipy.optimize
import scipy.stats  # noqa: F401
import sklearn.linear_model  # noqa: F401
import torch  # noqa: F401
from transformers import (  # noqa: F401
    AutoModelForMaskedLM,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    GPT2ForSequenceClassification,
    Trainer,
    XLMRobertaForSequenceClassification,
)


def child(path: str, args: list[str], out: str) -> int:
    """Runs pytest on the package in `path` and gives its exit status."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 3
    try:
        file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.environ["PYTHONPATH"] = path
        sys.path.insert(0, path)
        status = int(pytest.main(["-W", "ignore::pytest.PytestAssertRewriteWarning", *args]))
    except BaseException:  # a child never comes back to the loop below
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    assert not any(name.split(".")[0] == "babelscope" for name in sys.modules), "the children are to import it"
    told = os.dup(1)
    for line in sys.stdin:
        os.write(told, f"{child(**json.loads(line))}\n".encode())
