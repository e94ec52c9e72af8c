"""The papers that studies redo: every numbered table and figure by name, from a store.

One file per paper, one row per table or figure. Rows are data: a function from what the store holds
to a table, and what is otherwise than in the paper.
"""

from __future__ import annotations

from babelscope.reporting.papers.consistency import PAPER as CONSISTENCY
from babelscope.reporting.papers.element import Element, Missing, Paper
from babelscope.reporting.papers.head_masks import PAPER as HEAD_MASKS
from babelscope.reporting.papers.mono_vs_multi import PAPER as MONO_VS_MULTI
from babelscope.reporting.papers.slalom import PAPER as SLALOM
from babelscope.reporting.papers.tradeoffs import PAPER as TRADEOFFS

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (MONO_VS_MULTI, CONSISTENCY, TRADEOFFS, SLALOM, HEAD_MASKS)
}

__all__ = ["PAPERS", "Element", "Missing", "Paper"]
