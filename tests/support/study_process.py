"""What a process runs that a test starts and kills; no shapes are checked in it."""

from __future__ import annotations

import os


def run_study(study: str, store: str, cache: str) -> None:
    import torch

    from babelscope.study.run import run

    torch.set_num_threads(1)
    os.environ["BABELSCOPE_CACHE"] = cache
    run(study, store)
