"""The faithfulness block of a study file."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from babelscope.options import Spec


class PairingSpec(Spec):
    """A multilingual model and its monolingual counterpart, one model or one for each language, by their names."""

    multilingual: str
    monolingual: list[str] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def one_counterpart(cls, given: Any) -> Any:
        alone = isinstance(given, dict) and isinstance(given.get("monolingual"), str)
        return {**given, "monolingual": [given["monolingual"]]} if alone else given
