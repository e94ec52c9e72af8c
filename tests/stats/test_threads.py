"""Small linear algebra is on one thread, and only it."""

from __future__ import annotations

import scipy.linalg
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from babelscope import corpus, load
from babelscope.methods.explain import explain
from babelscope.stats.threads import one_thread


def threads() -> list[int]:
    """Of every library for matrices that is loaded."""
    assert scipy.linalg is not None
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_matrices_are_on_one_thread_within_and_as_before_behind() -> None:
    with threadpool_limits(2, user_api="blas"):
        before, torches = threads(), torch.get_num_threads()
        with one_thread():
            assert set(threads()) == {1}
            assert torch.get_num_threads() == torches
        assert threads() == before


def test_scores_do_not_depend_on_the_number_of_threads() -> None:
    """To the bit, where the fits of the methods are concerned."""
    model, texts = load("demo"), corpus.sentiment("en", "test", 1)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for name in (
            "kernel_shap",
            "permutation_shapley",
            "lime",
            "slalom",
            "integrated_gradients",
        ):
            several = []
            for count in (1, 2):
                with threadpool_limits(count, user_api="blas"):
                    (attribution,) = explain(model, texts, name)
                several.append(attribution.scores)
            assert several[0] == several[1], name
    finally:
        torch.set_num_threads(before)
