"""The models of a server, what they can be asked, and what answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelscope.errors import BabelscopeError, InputError
from babelscope.model.load import Model
from babelscope.types import Example
from babelscope.web import live, ribbons
from babelscope.web.export import study_text
from babelscope.web.jobs import Report, Work
from babelscope.web.models import (
    describe_methods,
    describe_model,
    describe_texts,
    offered_texts,
)
from babelscope.web.requests import (
    ExplainRequest,
    ExportRequest,
    PredictRequest,
    RibbonsRequest,
    TrustRequest,
)

LiveRequest = PredictRequest | RibbonsRequest


class Service:
    """Loaded models. `about` is what the page knows before it asks anything."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self.models = models
        texts = offered_texts(models)
        self.known = {(row.lang, row.texts): row for rows in texts.values() for row in rows}
        self.about: dict[str, Any] = {
            "models": [describe_model(name, model) for name, model in models.items()],
            "methods": describe_methods(),
            "texts": describe_texts(texts),
        }

    def work(self, kind: str, request: LiveRequest) -> Work:
        """The function that answers a request; an unknown model is refused at once."""
        model = live.served(self.models, request.model)

        def run(report: Report) -> dict[str, Any]:
            try:
                return _answer(kind, model, request, self.known, report)
            except BabelscopeError as error:
                raise InputError(str(error).removeprefix(f"{live.TEXT}: ")) from error

        return run

    def study(self, request: ExportRequest) -> str:
        """The request as a study file."""
        for name in request.models:
            live.served(self.models, name)
        return study_text(request)


def _answer(
    kind: str,
    model: Model,
    request: LiveRequest,
    known: Mapping[tuple[str, tuple[str, ...]], Example],
    report: Report,
) -> dict[str, Any]:
    if kind == "ribbons" and isinstance(request, RibbonsRequest):
        return ribbons.ribbons(model, request, known, report)
    if kind == "trust" and isinstance(request, TrustRequest):
        return live.trusted(model, request, report)
    if kind == "explain" and isinstance(request, ExplainRequest):
        return live.explained(model, request, report)
    if kind == "predict" and isinstance(request, PredictRequest):
        return live.predict(model, request, report)
    raise InputError(f"there is no request {kind!r}")
