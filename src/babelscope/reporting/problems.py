"""What a reader must know about the explanations behind a report."""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def flag_counts(attributions: pa.Table) -> list[tuple[str, str, int]]:
    """Per kind of flag (its numbers left out) and method: how many explanations carry it."""
    counts: Counter[tuple[str, str]] = Counter()
    columns = (attributions[name].to_pylist() for name in ("method", "flags"))
    for method, flags in zip(*columns):
        counts.update({(_NUMBER.sub("…", flag), method) for flag in flags or ()})
    return [(kind, method, count) for (kind, method), count in sorted(counts.items())]
