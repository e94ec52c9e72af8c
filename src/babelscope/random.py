"""Random numbers that belong to an instance: the same in any batch, order or process."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from babelscope.types import Encoded


def keyed(*parts: str | int) -> np.random.Generator:
    """A generator determined by the parts alone, e.g. a seed, a purpose and an example's id."""
    digest = hashlib.sha256(
        "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")
    ).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


def identity(row: Encoded) -> tuple[str, str, str]:
    """What distinguishes an input from all others: id, language and token ids.

    Translations share their id, and single texts have none of their own: an id alone would give
    them equal random numbers.
    """
    return row.example.id, row.example.lang, " ".join(map(str, row.ids.tolist()))
