"""Progress on standard error: bars with the time remaining in a terminal, elsewhere the lines that
are logged, such as one after every epoch of training.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from babelscope.display.terminal import escaped

Update = Callable[[int, int], None]
"""Called with how many steps are done and how many there are."""

PERIOD = 1800.0
"""Seconds over which the speed is estimated: a step may take minutes."""


def _bars(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
    )
    return Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=PERIOD,
    )


@contextmanager
def _shown(console: Console) -> Iterator[Progress]:
    """Bars in a terminal; elsewhere what is logged is printed instead."""
    log, handler = logging.getLogger("babelscope"), logging.StreamHandler()
    level = log.level
    if not console.is_terminal:
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    try:
        with _bars(console) as shown:
            yield shown
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


@contextmanager
def bar(description: str) -> Iterator[Update]:
    """One bar, and the function that moves it."""
    with _shown(Console(stderr=True)) as shown:
        task = shown.add_task(escaped(description), total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def bars(description: str) -> Iterator[tuple[Callable[[str, int, int], None], Update]]:
    """Two bars: all stages, with the name of the current one, and the steps of that stage."""
    with _shown(Console(stderr=True)) as shown:
        whole = shown.add_task(escaped(description), total=None)
        steps = shown.add_task("", total=None)

        def stage(name: str, done: int, total: int) -> None:
            shown.update(whole, completed=done, total=total)
            shown.reset(steps, description=f"  {escaped(name)}", total=None)

        yield stage, lambda done, total: shown.update(steps, completed=done, total=total)
