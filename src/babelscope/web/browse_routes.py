"""The addresses of the store: its examples and its aggregated views."""

from __future__ import annotations

import json
import threading
from typing import Annotated, Any

import numpy as np
from fastapi import FastAPI, Query, Response

from babelscope.files import plain
from babelscope.web.index import Index
from babelscope.web.limits import Limits
from babelscope.web.search import Filter, matching, ordered
from babelscope.web.views import disagreements, influential_words, untrusted

RELATED = 60
"""Explanations that are shown beside one: other methods, models and translations."""


class Listing(Filter):
    """A page of examples."""

    sort: str = ""
    """Column that orders them."""
    descending: bool = False
    """Whether the largest come first."""
    offset: int = 0
    """Examples that are passed over."""
    limit: int = 20
    """Examples of the page."""


class WordsQuery(Filter):
    """The view of words."""

    fewest: int = 2
    """Occurrences that a word must have."""


def add(app: FastAPI, index: Index, limits: Limits) -> None:
    """Answers questions about the store; files are read by one visitor at a time."""
    reading = threading.Lock()

    @app.get("/api/store/examples")
    def examples(query: Annotated[Listing, Query()]) -> Response:
        rows = ordered(index, matching(index, query), query.sort, query.descending)
        start = max(0, query.offset)
        with reading:
            listed = index.rows(rows[start : start + max(0, min(query.limit, limits.page))])
        return _answer({"total": len(rows), "offset": start, "examples": listed})

    @app.get("/api/store/related/{row}")
    def related(row: int) -> Response:
        if not 0 <= row < len(index):
            return _answer({"error": f"the store has no row {row}"}, 404)
        codes = {name: column.codes[row] for name, column in index.names.items()}
        group = np.ones(len(index), dtype=bool)
        for name in ("group", "task"):
            group &= index.names[name].codes == codes[name]
        same = {name: index.names[name].codes == code for name, code in codes.items()}
        beside = group & (
            (same["lang"] & same["id"]) | (same["model"] & same["method"])
        )  # other methods and models of the text, and its translations
        with reading:
            rows = np.flatnonzero(beside)
            listed = index.rows(rows[np.argsort(index.order[rows])][:RELATED])
        return _answer({"row": row, "examples": listed})

    @app.get("/api/store/words")
    def words(query: Annotated[WordsQuery, Query()]) -> Response:
        return _answer(
            {"views": influential_words(index, matching(index, query), max(1, query.fewest))}
        )

    @app.get("/api/store/disagreements")
    def differing(query: Annotated[Filter, Query()]) -> Response:
        view = disagreements(index, matching(index, query))
        with reading:
            listed = index.rows(
                np.array([group["row"] for group in view["groups"]], dtype=np.int64)
            )
        for group, example in zip(view["groups"], listed):  # the text by which a reader knows it
            group |= {"texts": example["texts"], "lang": example["lang"]}
        return _answer(view)

    @app.get("/api/store/untrusted")
    def failing(query: Annotated[Filter, Query()]) -> Response:
        return _answer({"views": untrusted(index, matching(index, query))})


def _answer(values: dict[str, Any], status: int = 200) -> Response:
    text = json.dumps(plain(values), ensure_ascii=False, allow_nan=False)
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")
