"""The models of the page of definitions: packaged ones, and small ones that are trained for it."""

from __future__ import annotations

from babelscope import options
from babelscope.data.spec import DataSpec
from babelscope.model.load import Model, load
from babelscope.training.models import obtain
from babelscope.training.spec import ModelSpec, TrainSpec


class Named(options.Spec):
    name: str
    data: DataSpec
    source: str | None = None
    train: TrainSpec | None = None
    part: str = "all"


def model_of(named: Named) -> Model:
    if named.train is None:
        return load(str(named.source))
    return obtain(ModelSpec(name=named.name, train=named.train), named.data, 0, "en")
