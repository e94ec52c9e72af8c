"""Values as JSON, content hashes, and files that are whole or not there."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


def plain(value: Any) -> Any:
    """Tuples as lists, numbers that are not finite as None."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def dumps(rows: list[dict[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False)


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
