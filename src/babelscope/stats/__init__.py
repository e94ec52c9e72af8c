"""Intervals and tests that resample whole groups of dependent values, with tasks as the unit of
claims across tasks."""

from babelscope.stats.bootstrap import LEVEL, RESAMPLES, estimate

__all__ = ["LEVEL", "RESAMPLES", "estimate"]
