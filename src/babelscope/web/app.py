"""The addresses of the explorer, and what answers at each."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from babelscope.display.colours import chart_style
from babelscope.errors import BabelscopeError
from babelscope.files import canonical
from babelscope.web import browse_routes
from babelscope.web.jobs import Busy, Job, Jobs
from babelscope.web.limits import Limits
from babelscope.web.requests import (
    ExplainRequest,
    ExportRequest,
    PredictRequest,
    RibbonsRequest,
    TrustRequest,
    check_method,
    check_passages,
)
from babelscope.web.security import Guard

if TYPE_CHECKING:
    from babelscope.web.index import Index
    from babelscope.web.service import Service

STATIC = Path(__file__).parent / "static"
REASONS = {
    400: "the request is not JSON as the server reads it",
    404: "there is nothing at this address",
    405: "this address does not answer that kind of request",
}
"""What the framework refuses, in words."""
LONGEST_WAIT = 20.0
"""Seconds for which a question about a job may stay open."""


@dataclass(frozen=True, slots=True)
class Explorer:
    """What a server has: models or none, a store or none, and its limits."""

    service: Service | None = None
    index: Index | None = None
    limits: Limits = field(default_factory=Limits)
    host: str = "127.0.0.1"
    token: str | None = None


def make_app(explorer: Explorer) -> FastAPI:
    """The application; nothing of it writes a file."""
    jobs = Jobs(explorer.limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(jobs.close)

    app = FastAPI(
        title="babelscope explorer", docs_url=None, redoc_url=None, openapi_url=None,
        lifespan=lifespan,
    )  # fmt: skip
    app.state.jobs = jobs
    _add_pages(app, explorer)
    _add_errors(app)
    if explorer.service is not None:
        _add_live(app, explorer, explorer.service, jobs)
    if explorer.index is not None:
        browse_routes.add(app, explorer.index, explorer.limits)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(
        Guard, host=explorer.host, token=explorer.token, largest=explorer.limits.body,
        patience=explorer.limits.patience,
    )  # fmt: skip
    return app


def _add_pages(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/")
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    @app.get("/chart.css")
    def chart_css() -> Response:
        return Response(chart_style(), media_type="text/css")

    @app.get("/api/about")
    def about() -> dict[str, Any]:
        limits = explorer.limits
        return {
            "live": None if explorer.service is None else explorer.service.about,
            "store": None if explorer.index is None else explorer.index.about(),
            "limits": {"characters": limits.characters, "texts": limits.texts},
        }


def _add_errors(app: FastAPI) -> None:
    """Every error is one line under `error`."""

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        return JSONResponse({"error": f"{place}: {first['msg']}"}, 422)

    async def refused(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": " ".join(str(error).split())}, 400)

    async def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        reason = REASONS.get(error.status_code, str(error.detail))
        return JSONResponse({"error": reason}, error.status_code, error.headers)

    async def broken(request: Request, error: Exception) -> Response:
        reason = f"the server failed ({type(error).__name__}); its terminal shows where"
        return JSONResponse({"error": f"{reason}; please report it"}, 500)

    async def busy(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, 429, {"retry-after": "1"})

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(BabelscopeError, refused)
    app.add_exception_handler(Busy, busy)
    app.add_exception_handler(HTTPException, unknown)
    app.add_exception_handler(Exception, broken)


def _add_live(app: FastAPI, explorer: Explorer, service: Service, jobs: Jobs) -> None:
    limits = explorer.limits

    def submit(kind: str, request: Any, *, first: bool = False) -> Response:
        work = service.work(kind, request)
        text = canonical([kind, request.model_dump()])
        key = hashlib.sha256(text.encode()).hexdigest()  # a key is kept, a text is not
        return job_response(jobs, jobs.submit(key, work, first=first))

    @app.post("/api/predict")
    def predict(body: PredictRequest) -> Response:
        check_passages([body], limits)
        return submit("predict", body, first=True)

    @app.post("/api/explain")
    def explain(body: ExplainRequest) -> Response:
        check_passages([body], limits)
        check_method(body, limits)
        return submit("explain", body)

    @app.post("/api/trust")
    def trust(body: TrustRequest) -> Response:
        check_passages([body], limits)
        check_method(body, limits)
        return submit("trust", body)

    @app.post("/api/ribbons")
    def ribbons(body: RibbonsRequest) -> Response:
        check_passages([body.source, body.translation], limits)
        check_method(body, limits)
        return submit("ribbons", body)

    @app.post("/api/export")
    def export(body: ExportRequest) -> Response:
        check_passages(body.passages, limits)
        for aim in body.methods:
            check_method(aim, limits)
        text = service.study(body)
        name = {"content-disposition": 'attachment; filename="study.yaml"'}
        return PlainTextResponse(text, 200, name, "application/yaml")

    @app.get("/api/jobs/{name}")
    async def progress(name: str, seen: int = -1, wait: float = 0.0) -> Response:
        job = jobs.get(name)
        end = time.monotonic() + min(wait, LONGEST_WAIT)
        while job is not None and job.version == seen and time.monotonic() < end:
            await asyncio.sleep(0.03)
        return _unknown_job() if job is None else job_response(jobs, job)

    @app.delete("/api/jobs/{name}")
    def cancel(name: str) -> Response:
        jobs.cancel(name)  # a job that is no longer known has ended
        return Response(status_code=204)


def job_response(jobs: Jobs, job: Job) -> Response:
    """200 with the answer of a finished job, 202 for one that is under way, 400 for one that
    failed."""
    state = json.dumps(job.describe(), ensure_ascii=False).encode()
    if job.state != "done":
        status = {"failed": 400, "cancelled": 200}.get(job.state, 202)
        if status != 202:
            jobs.fetch(job)
        return Response(state, status, media_type="application/json")
    body = state[:-1] + b', "result": ' + jobs.fetch(job) + b"}"
    return Response(body, 200, media_type="application/json")


def _unknown_job() -> Response:
    return JSONResponse({"error": "there is no such job any longer; ask again"}, 404)
