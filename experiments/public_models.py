"""Models that are fine-tuned on public data, for pages about real texts."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from babelscope import options
from babelscope.data.spec import DataSpec
from babelscope.model.load import Model
from babelscope.training.models import obtain
from babelscope.training.spec import ModelSpec

PACKAGE = "package:"
"""The prefix of a base whose weights are in the folder `model` of an installed package."""


class PublicModel(options.Spec):
    """A model, and the data that it is fine-tuned and explained on."""

    data: DataSpec
    model: ModelSpec
    omitted: tuple[str, ...] = ()
    """Methods that are too slow for it."""


def base_folder(name: str) -> Path:
    """The folder of a base; one that is not there for a package that is not installed."""
    package = name.removeprefix(PACKAGE)
    if package == name:
        return Path(name)
    module = importlib.util.find_spec(package)
    folders = (module.submodule_search_locations if module else None) or [package]
    return Path(folders[0]) / "model"


def public_model(spec: PublicModel) -> Model | None:
    """The fine-tuned model; None if its base is not installed here."""
    train = spec.model.train
    assert train is not None
    folder = base_folder(str(train.base))
    if not folder.is_dir():
        return None
    located = train.model_copy(update={"base": str(folder)})
    return obtain(spec.model.model_copy(update={"train": located}), spec.data, 0, "en")


def missing(specs: Iterable[PublicModel]) -> list[tuple[str, str]]:
    """Names and bases of the models whose base is not installed here."""
    bases = [(spec.model.name, str(spec.model.train and spec.model.train.base)) for spec in specs]
    return [(name, base) for name, base in bases if not base_folder(base).is_dir()]
