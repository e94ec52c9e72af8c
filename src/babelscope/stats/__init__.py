"""Intervals and tests that respect translation groups, and tasks as the unit of claims across
tasks."""

from babelscope.stats.bootstrap import LEVEL, RESAMPLES, estimate

__all__ = ["LEVEL", "RESAMPLES", "estimate"]
