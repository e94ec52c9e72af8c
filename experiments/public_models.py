"""Models that are fine-tuned on public data, for pages about real texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from babelscope import options
from babelscope.data.spec import DataSpec
from babelscope.model.load import Model
from babelscope.training.models import obtain
from babelscope.training.spec import ModelSpec


class PublicModel(options.Spec):
    """A model, and the data that it is fine-tuned and explained on."""

    data: DataSpec
    model: ModelSpec
    omitted: tuple[str, ...] = ()
    """Methods that are too slow for it."""

    @property
    def base(self) -> Path:
        """The folder of the checkpoint that it starts from."""
        assert self.model.train is not None
        return Path(str(self.model.train.base))


def public_model(spec: PublicModel) -> Model | None:
    """The fine-tuned model; None if its base is not there."""
    return obtain(spec.model, spec.data, 0, "en") if spec.base.is_dir() else None


def missing(specs: Iterable[PublicModel]) -> list[tuple[str, str]]:
    """Names of the models whose base is not there, and of the base."""
    return [(spec.model.name, spec.base.name) for spec in specs if not spec.base.is_dir()]
