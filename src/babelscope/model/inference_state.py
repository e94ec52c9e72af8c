"""What the one door remembers about itself: its budget, its counts, its memory, and who watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[int, int], None]
"""Called with the tokens done and the tokens to do."""


CPU, ELSEWHERE = 2048, 4096
"""Tokens in a batch. On a CPU larger batches leave its cache: 4096 were 7 % slower in `make bench`."""


@dataclass
class Door:
    """State of one model's door.

    `queries` counts what was asked, `distinct` what had to be computed, `tokens` the real tokens and `padding` the padded
    ones that went through the model; `backward` counts the tokens of gradient passes (also in `tokens`).
    """

    budget: int = CPU
    queries: int = 0
    distinct: int = 0
    tokens: int = 0
    padding: int = 0
    backward: int = 0
    memory: dict[Any, Any] | None = None
    watchers: list[Progress] = field(default_factory=list)

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Within, an input that was scored before is not computed again, nor what was worked out from it and kept in
        `memory` under a key of its own. The model must not change meanwhile."""
        outer = self.memory
        if outer is None:
            self.memory = {}
        try:
            yield
        finally:
            self.memory = outer

    @contextmanager
    def watched(self, progress: Progress | None) -> Iterator[None]:
        """Within, `progress` is told how far the current call has come."""
        if progress is not None:
            self.watchers.append(progress)
        try:
            yield
        finally:
            if progress is not None:
                self.watchers.remove(progress)

    def tell(self, done: int, total: int) -> None:
        for watcher in self.watchers:
            watcher(done, total)
