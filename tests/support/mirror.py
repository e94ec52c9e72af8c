"""A small mirror of the Hugging Face hub with everything that the study files name."""

from __future__ import annotations

from pathlib import Path

import datasets

import mirror_datasets
import mirror_models


def build(root: Path) -> Path:
    """Writes `root/datasets/ID` and `root/models/ID`, in a second or two."""
    disabled = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        mirror_datasets.write(root / "datasets")
        mirror_models.write(root / "models")
    finally:
        if not disabled:
            datasets.enable_progress_bars()
    return root
