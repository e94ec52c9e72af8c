"""Small linear algebra on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Within, or as a decorator, the libraries that numpy and scipy call for matrices use one
    thread.

    Matrices of some hundred rows gain nothing from several threads, which wait for each other: on
    two cores Kernel SHAP took 3.6 times as long. And the last digits of a sum depend on the number
    of threads. Those of torch, which the model computes with, are left alone.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    """The libraries of this process, which are searched once."""
    import scipy.linalg  # noqa: F401 (has a library of its own)

    return ThreadpoolController()
