"""How much one visitor may ask for, and how much the server keeps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a server; beyond them a request is refused in one line."""

    characters: int = 5_000
    """Of all texts of a request together."""
    texts: int = 12
    """Texts of one input: a context and its candidates."""
    body: int = 1 << 18
    """Bytes of a request."""
    patience: float = 20.0
    """Seconds for which the server waits for a part of a request."""
    waiting: int = 64
    """Jobs that wait, run, or have an answer that nobody has fetched yet."""
    seconds: float = 300.0
    """Time that one job may compute."""
    kept: float = 60.0
    """Seconds for which the answer of a job is kept until it is fetched."""
    cache: int = 1 << 26
    """Bytes of answers that are kept for the next visitor who asks the same."""
    option: int = 20_000
    """Largest number that an option of a method may have."""
    page: int = 100
    """Examples that one page of a store may list."""
