"""A process with the libraries and the package in memory that forks a child for every run of
pytest.

Importing them takes longer than a law. Each line of its input is a JSON object: `changes` (of
functions, see `change.apply`), `args` (of pytest) and `out` (a file for its prints); each line of
its output is the exit status. A child changes the functions that it has inherited: its parent and
its siblings never see it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import sys
import traceback

import beartype  # noqa: F401
import hypothesis  # noqa: F401
import pandas  # noqa: F401
import pytest
import sklearn.linear_model  # noqa: F401
from change import apply
from transformers import (  # noqa: F401
    AutoModelForMaskedLM,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    DistilBertForSequenceClassification,
    GPT2ForSequenceClassification,
    Trainer,
    XLMRobertaForSequenceClassification,
)

import babelscope


def child(changes: list[tuple[str, str, str]], args: list[str], out: str) -> int:
    """Runs pytest on the changed package and gives its exit status."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 3
    try:
        file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        for where, before, after in changes:
            apply(where, before, after)
        status = int(pytest.main(["-W", "ignore::pytest.PytestAssertRewriteWarning", *args]))
    except BaseException:  # a child never comes back to the loop below
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    for module in pkgutil.walk_packages(babelscope.__path__, "babelscope."):
        importlib.import_module(module.name)
    gc.collect()
    gc.freeze()  # a child neither walks through all that it has inherited nor copies it for that
    answers = os.dup(1)
    for line in sys.stdin:
        os.write(answers, f"{child(**json.loads(line))}\n".encode())
