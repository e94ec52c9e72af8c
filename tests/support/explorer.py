"""Servers of the explorer for tests: tiny models, made-up stores, and how a job is awaited."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.testclient import TestClient

from babelscope.model.load import Model, load
from babelscope.web.server import bound
from conftest import tiny

LANGUAGES = ("en", "hi", "ar", "zh", "th")
TEXTS = (
    "the food was good and the room was lovely",
    "खाना बहुत अच्छा था और कमरा सुंदर था",
    "الطعام كان لذيذا والغرفة جميلة",
    "这个酒店的房间很干净，早餐很好吃。",
    "อาหารอร่อยมากและห้องสวย",
)


def model_folder(folder: Path, labels: Sequence[str] = ("negative", "positive")) -> Path:
    """A classifier of one layer, as if it were trained."""
    from babelscope.training.small import make

    place = make(folder, "xlm-roberta", TEXTS, list(labels), layers=1, width=32, vocabulary=400)
    config = json.loads((place / "config.json").read_text("utf-8"))
    (place / "config.json").write_text(json.dumps({**config, "untrained": False}), "utf-8")
    return place


def reader() -> Model:
    """A BERT that answers questions by a span."""
    import torch
    from transformers import BertForQuestionAnswering

    base = tiny("bert")
    config = type(base.hf.config)(**{**base.hf.config.to_dict(), "num_labels": 2})
    torch.manual_seed(11)
    return load((BertForQuestionAnswering(config).double().eval(), base.tokenizer))


def tagger() -> Model:
    """A BERT that tags words."""
    import torch
    from transformers import BertForTokenClassification

    base = tiny("bert")
    names = {0: "O", 1: "B-PER", 2: "B-LOC"}
    config = type(base.hf.config)(**{**base.hf.config.to_dict(), "id2label": names})
    torch.manual_seed(12)
    return load((BertForTokenClassification(config).double().eval(), base.tokenizer))


def language_model() -> Model:
    """A GPT-2 that predicts the next token."""
    import torch
    from transformers import GPT2LMHeadModel

    base = tiny("gpt2")
    torch.manual_seed(13)
    return load((GPT2LMHeadModel(base.hf.config).double().eval(), base.tokenizer))


def chooser() -> Model:
    """A BERT that chooses between candidates."""
    import torch
    from transformers import BertForMultipleChoice

    base = tiny("bert")
    torch.manual_seed(14)
    return load((BertForMultipleChoice(base.hf.config).double().eval(), base.tokenizer))


def answer(client: TestClient, kind: str, **body: Any) -> Any:
    """The last response to a job: 200 with its result, or what went wrong."""
    response = client.post(f"/api/{kind}", json=body)
    end = time.monotonic() + 60
    while response.status_code == 202 and time.monotonic() < end:
        state = response.json()
        query = {"seen": state["version"], "wait": 5}
        response = client.get(f"/api/jobs/{state['id']}", params=query)
    return response


def call(address: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Status and JSON of one request, on a connection of its own."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    try:
        headers = {"content-type": "application/json"}
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, headers)
        response = connection.getresponse()
        text = response.read()
        is_json = "json" in response.headers.get("content-type", "")
        return response.status, json.loads(text) if is_json else text.decode()
    finally:
        connection.close()


@contextmanager
def threaded(app: Any, protocol: Any = "auto", port: int = 0) -> Iterator[str]:
    """The application on a port of this machine, a free one if none is named, in a thread; its
    address."""
    listener = bound("127.0.0.1", port)
    listener.listen(512)
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server process on a free port of this machine: its address and the process."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from babelscope.cli import main; main()", "serve", "--port", "0",
         *arguments],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, line
        yield line.split()[-1].strip(), process
    finally:
        process.kill()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()
