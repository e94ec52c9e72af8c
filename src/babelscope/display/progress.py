"""Progress bars with the remaining time, on standard error and only in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Tell = Callable[[int, int], None]


def _bars(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def bar(description: str) -> Iterator[Tell]:
    """One bar; call what it yields with the done and the total."""
    with _bars(Console(stderr=True)) as bars:
        task = bars.add_task(description, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def bars(description: str) -> Iterator[tuple[Callable[[str, int, int], None], Tell]]:
    """Two bars: the whole, with the name of its current stage, and the steps of that stage."""
    with _bars(Console(stderr=True)) as shown:
        whole = shown.add_task(description, total=None)
        steps = shown.add_task("", total=None)

        def stage(name: str, done: int, total: int) -> None:
            shown.update(whole, completed=done, total=total)
            shown.reset(steps, description=f"  {name}", total=None)

        yield stage, lambda done, total: shown.update(steps, completed=done, total=total)
