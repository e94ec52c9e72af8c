"""What is on the page as a study file that `babelscope study run` accepts."""

from __future__ import annotations

from typing import Any

import yaml

from babelscope.errors import InputError
from babelscope.study.config import parse_study
from babelscope.web.requests import Aimed, ExportRequest, Passage

HEADER = "# Written by the explorer. Run it with: babelscope study run FILE --store STORE\n"


def study_text(request: ExportRequest) -> str:
    """The study in YAML, validated as `study run` does.

    *Law*: `parse_study` accepts it.
    """
    values = study_values(request)
    parse_study(values, "the exported study")
    return HEADER + yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=100)


def study_values(request: ExportRequest) -> dict[str, Any]:
    langs = list(dict.fromkeys(passage.lang for passage in request.passages))
    values: dict[str, Any] = {
        "name": "Exported from the explorer",
        "languages": langs,
        "models": [{"name": name, "source": name} for name in request.models],
        "methods": [_method(aim) for aim in request.methods],
        "seeds": [request.methods[0].seed],
        "tasks": [_task(request)],
        "faithfulness": {},
    }
    if request.trust:
        values["trust"] = {"explanations": len(request.passages)}
    if request.consistency and len(langs) == len(request.passages) > 1:
        values |= {"source": langs[0], "consistency": {}}
    return values


def _method(aim: Aimed) -> str | dict[str, Any]:
    return {"name": aim.method, "options": dict(aim.options)} if aim.options else aim.method


def _task(request: ExportRequest) -> dict[str, Any]:
    aim = request.methods[0]
    aimed = {
        name: getattr(aim, name)
        for name in ("target", "quantity", "contrast", "word", "edge", "part")
        if getattr(aim, name) != Aimed.model_fields[name].default
    }
    rows = [_row(number, passage) for number, passage in enumerate(request.passages, 1)]
    return {"name": "texts", "data": {"rows": rows, "examples": None}, **aimed}


def _row(number: int, passage: Passage) -> dict[str, Any]:
    if len(passage.texts) > 2:
        raise InputError(
            f"text {number} has {len(passage.texts)} parts; a study file holds one text or two"
        )
    texts = dict(zip(("text", "pair"), passage.texts))
    return {"id": f"text-{number}", "group": "text", "lang": passage.lang, **texts}
