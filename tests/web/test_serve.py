"""The server as a process: its address, many visitors at once, a kill in the middle."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

import synthetic_study
from babelscope.files import folder_digest
from babelscope.methods.explain import explain
from babelscope.model.load import load
from babelscope.store import open_store, verify
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.web.app import Explorer, make_app
from babelscope.web.limits import Limits
from babelscope.web.models import load_models
from babelscope.web.service import Service
from explorer import LANGUAGES, TEXTS, call, model_folder, serving, threaded

VISITORS = 200


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder(tmp_path_factory.mktemp("served") / "model")


@pytest.fixture(scope="module")
def address(model: Path) -> Iterator[str]:
    app = make_app(Explorer(Service(load_models([str(model)]))))
    with threaded(app) as opened:
        yield opened


def visit(address: str, body: dict[str, Any], seen: Counter[int]) -> dict[str, Any]:
    """One visitor who asks, waits while the server is busy, and fetches the answer."""
    end = time.monotonic() + 120
    status, state = call(address, "POST", "/api/explain", body)
    while status != 200:
        seen[status] += 1
        assert time.monotonic() < end, state
        if status == 429:
            assert list(state) == ["error"], "one line, and no page of an error"
            assert "requests are waiting" in state["error"]
            time.sleep(0.1)
            status, state = call(address, "POST", "/api/explain", body)
        else:
            assert status == 202, state
            path = f"/api/jobs/{state['id']}?seen={state['version']}&wait=10"
            status, state = call(address, "GET", path)
    answer: dict[str, Any] = state["result"]
    return answer


@contextmanager
def watched_memory() -> Iterator[list[int]]:
    """The megabytes that this process has, every twentieth of a second."""
    seen, over = [resident()], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            seen.append(resident())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def resident() -> int:
    """Megabytes of memory that this process has."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_two_hundred_visitors_at_once(address: str, model: Path) -> None:
    """More ask than may wait: some are told to come back, all get their own answer, which is that
    of the library, and memory stays bounded at every moment.
    """
    words = TEXTS[0].split()
    bodies = [
        {"model": str(model), "texts": [" ".join(random.Random(number).sample(words, len(words)))],
         "lang": "en", "method": "occlusion"}
        for number in range(VISITORS)
    ]  # fmt: skip
    seen: Counter[int] = Counter()
    visit(address, bodies[0], seen)
    with watched_memory() as memory, ThreadPoolExecutor(VISITORS) as pool:
        answers = list(pool.map(lambda body: visit(address, body, seen), bodies))
    assert [answer["texts"] for answer in answers] == [body["texts"] for body in bodies]
    assert all(len(answer["word_scores"]) == len(answer["words"]) for answer in answers)
    assert Limits().waiting < VISITORS
    assert seen[429] > 0
    assert max(memory) - memory[0] < 150
    own = load(str(model))
    for number in (0, 77, VISITORS - 1):
        (expected,) = explain(own, bodies[number]["texts"][0], "occlusion", lang="en")
        assert answers[number]["word_scores"] == pytest.approx(expected.word_scores, abs=5e-7)
    shown = {tuple(answer["word_scores"]) for answer in answers}
    assert len(shown) > VISITORS / 2, "the texts differ, and so do most of their answers"


def test_the_exported_study_runs(address: str, model: Path, tmp_path: Path) -> None:
    passages = [{"lang": lang, "texts": [text]} for lang, text in zip(LANGUAGES, TEXTS)][:2]
    status, text = call(address, "POST", "/api/export", {
        "models": [str(model)], "methods": [{"method": "occlusion"}], "passages": passages,
        "consistency": True,
    })  # fmt: skip
    assert status == 200
    study = parse_study(yaml.safe_load(text))
    assert set(study.analyses) == {"faithfulness", "consistency"}
    outcome = run(study, tmp_path / "store")
    assert not outcome.failed


@pytest.mark.slow
def test_a_kill_in_the_middle_damages_nothing(model: Path, tmp_path: Path) -> None:
    place = tmp_path / "store"
    synthetic_study.store(place, groups=2)
    before = folder_digest(place), folder_digest(model)
    with serving(str(model), "--store", str(place)) as (address, process):
        assert call(address, "GET", "/health") == (200, {"status": "ok"})
        assert '<script type="module"' in call(address, "GET", "/")[1]
        body = {"model": str(model), "texts": [" ".join([TEXTS[0]] * 12)],
                "method": "kernel_shap", "options": {"samples": 20_000}}  # fmt: skip
        status, state = call(address, "POST", "/api/explain", body)
        waiting = body | {"texts": [TEXTS[0]], "options": {}}
        assert call(address, "POST", "/api/explain", waiting)[0] == 202
        end = time.monotonic() + 60
        while status == 202 and not (state["state"] == "running" and state["done"]):
            assert time.monotonic() < end, state
            path = f"/api/jobs/{state['id']}?seen={state['version']}&wait=5"
            status, state = call(address, "GET", path)
        assert status == 202, "it is killed while it computes"
        assert call(address, "GET", "/api/store/examples")[1]["total"] > 0
        process.kill()
        process.wait(10)
    assert (folder_digest(place), folder_digest(model)) == before
    assert not list(verify(open_store(place, create=False)))
    with serving(str(model), "--store", str(place)) as (address, _):
        answer = visit(address, waiting, Counter())
        assert answer["texts"] == waiting["texts"]
        assert call(address, "GET", "/api/store/examples")[1]["total"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "no.such.host.invalid"], "cannot listen on"),
        (["--store", "nothing"], "there is no store at nothing"),
        (["--store", "older"], "was written by another version of babelscope (scheme 7"),
        (["--port", "99999"], "--port"),
    ],
)
def test_wrong_commands_are_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    code = "from babelscope.cli import main; main()"
    older = open_store(tmp_path / "older")
    (older.path / "scheme.json").write_text('{"scheme": 7}', "utf-8")
    port = [] if "--port" in arguments else ["--port", "0"]
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", *port, *arguments],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_browsing_imports_no_torch(tmp_path: Path) -> None:
    synthetic_study.store(tmp_path / "store", groups=1)
    code = (
        "import sys\n"
        "from babelscope.web.app import Explorer, make_app\n"
        "from babelscope.web.indexing import read_index\n"
        "import babelscope.web.server\n"
        "index = read_index(sys.argv[1])\n"
        "make_app(Explorer(index=index))\n"
        "assert len(index) and index.about()\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "store")], check=True)
