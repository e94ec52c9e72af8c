"""Intervals and tests that keep groups of dependent values together, with tasks as the unit of
claims across tasks."""

from babelscope.stats.intervals import estimate, rate
from babelscope.stats.jackknife import LEVEL

__all__ = ["LEVEL", "estimate", "rate"]
