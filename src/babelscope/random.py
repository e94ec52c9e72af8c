"""Random numbers that belong to an instance: the same in any batch, order or process."""

from __future__ import annotations

import hashlib

import numpy as np


def keyed(*parts: str | int) -> np.random.Generator:
    """A generator determined by the parts alone, e.g. a seed, a purpose and an example's id."""
    digest = hashlib.sha256(
        "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")
    ).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))
