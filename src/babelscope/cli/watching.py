"""Progress bars of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from babelscope.display.progress import bars

if TYPE_CHECKING:
    from babelscope.study.run import Watch


@contextmanager
def watching(name: str) -> Iterator[Watch]:
    """Two bars on standard error: the whole study, and its current step."""
    from babelscope.study.run import Watch

    with bars(name) as (stage, steps):
        yield Watch(stage, steps)
