"""Where trained models are kept."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

TRAINING = 2
"""Raised when a change of the code changes trained weights; part of every cached model's name."""


def cache_folder() -> Path:
    """$BABELSCOPE_CACHE, or the user's cache directory."""
    return Path(os.environ.get("BABELSCOPE_CACHE") or platformdirs.user_cache_dir("babelscope"))
