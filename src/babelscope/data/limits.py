"""How much is read at most: numbers beyond these are mistakes."""

from __future__ import annotations

MOST = 10_000_000
"""The largest number of examples, and the largest count of the command line."""
LONGEST = 1 << 27
"""Bytes that one line of a file may have."""
EXPANSION = 200
"""How many times larger than its file compressed text may be: prose shrinks to a third or a fifth,
and gzip itself reaches about a thousand."""
LEAST = 1 << 26
"""Bytes up to which compressed text may expand in any case."""
