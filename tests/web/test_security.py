"""Who is let in, and what pages may do."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from babelscope.web import security
from babelscope.web.app import Explorer, make_app
from babelscope.web.limits import Limits
from babelscope.web.security import COOKIE, known_host
from babelscope.web.server import Punctual
from babelscope.web.service import Service
from conftest import tiny
from explorer import answer, threaded

TOKEN = "a-token-of-this-test"
LOCAL = {"base_url": "http://127.0.0.1:8000"}


@pytest.fixture
def local() -> TestClient:
    return TestClient(make_app(Explorer(limits=Limits(body=1000))), **LOCAL)


@pytest.fixture
def public() -> TestClient:
    app = make_app(Explorer(host="0.0.0.0", token=TOKEN))
    return TestClient(app, base_url="http://192.0.2.7:8000", follow_redirects=False)


@pytest.mark.parametrize(
    ("host", "bound", "known"),
    [
        ("127.0.0.1:8000", "127.0.0.1", True),
        ("localhost", "127.0.0.1", True),
        ("[::1]:8000", "::1", True),
        ("LOCALHOST.:80", "127.0.0.1", True),
        ("evil.example:8000", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("192.0.2.7:8000", "127.0.0.1", False),
        ("192.0.2.7:8000", "0.0.0.0", True),
        ("evil.example", "0.0.0.0", False),
        ("explorer.example", "explorer.example", True),
        ("", "127.0.0.1", False),
    ],
)
def test_only_the_servers_own_names_are_hosts(host: str, bound: str, known: bool) -> None:
    assert known_host(host, bound) is known


def test_a_rebound_name_is_refused(local: TestClient) -> None:
    response = local.get("/api/about", headers={"host": "evil.example"})
    assert response.status_code == 421
    assert "not this server's own" in response.json()["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_requests_of_other_pages_are_refused(local: TestClient, headers: dict[str, str]) -> None:
    assert local.get("/api/about", headers=headers).status_code == 403
    assert local.get("/api/about", headers={"origin": "http://127.0.0.1:8000"}).status_code == 200


def test_a_link_from_another_page_opens_the_explorer(local: TestClient) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert local.get("/", headers=link).status_code == 200


def test_without_the_token_only_health_answers(public: TestClient) -> None:
    assert public.get("/health").json() == {"status": "ok"}
    for path in ("/", "/api/about", "/static/main.js", "/?token=wrong"):
        assert public.get(path).status_code == 401
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert public.get("/api/about", headers=bearer).status_code == 200


def test_the_token_of_the_address_becomes_a_cookie(public: TestClient) -> None:
    response = public.get(f"/?token={TOKEN}&a=1")
    assert response.status_code == 303
    assert response.headers["location"] == "/?a=1"
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert public.cookies[COOKIE] == TOKEN
    assert public.get("/api/about").status_code == 200


def test_an_open_redirect_is_not_possible(public: TestClient) -> None:
    response = public.get(f"//evil.example/?token={TOKEN}")
    location = response.headers.get("location", "/")
    assert not location.startswith("//")
    assert "://" not in location


def test_a_long_body_is_refused_whatever_its_header_says(local: TestClient) -> None:
    assert local.post("/api/about", content=b"x" * 1001).status_code == 413
    chunks = (b"x" * 400 for _ in range(3))
    assert local.post("/health", content=chunks).status_code in (405, 413)


@pytest.mark.parametrize("path", ["/", "/health", "/api/about", "/static/style.css", "/nothing"])
def test_every_answer_carries_the_policy(local: TestClient, path: str) -> None:
    headers = local.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/docs"])
def test_nothing_beside_the_static_files_is_served(local: TestClient, path: str) -> None:
    assert local.get(path).status_code == 404


@pytest.fixture(scope="module")
def live() -> TestClient:
    app = make_app(Explorer(Service({"tiny": tiny("bert")}), limits=Limits(body=9000)))
    return TestClient(app, **LOCAL, raise_server_exceptions=False)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that waits for a quarter of a second."""
    monkeypatch.setattr(Punctual, "patience", 0.25)
    app = make_app(Explorer(Service({"tiny": tiny("bert")}), limits=Limits(patience=0.25)))
    with threaded(app, protocol=Punctual) as address:
        yield urlsplit(address).netloc


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"x" * 9001, 413, "may have 9,000 bytes"),
        ((b"x" * 900 for _ in range(11)), 413, "may have 9,000 bytes"),  # no length is stated
        (b"{", 422, "JSON decode error"),
        (b"[" * 8000, 400, "not JSON as the server reads it"),
        (b'{"model": "tiny", "texts": ["good \\ud800"]}', 400, "half of a character"),
    ],
    ids=["long", "long in parts", "no JSON", "nested", "half of a character"],
)
def test_a_body_that_cannot_be_read_is_refused_in_one_line(
    live: TestClient, body: bytes | Iterator[bytes], status: int, message: str
) -> None:
    response = live.post("/api/predict", content=body, headers=JSON)
    assert (response.status_code, list(response.json())) == (status, ["error"])
    assert message in response.json()["error"]


@pytest.mark.parametrize(("method", "status"), [("GET", 404), ("POST", 405)])
def test_unknown_addresses_are_refused_in_one_line(
    live: TestClient, method: str, status: int
) -> None:
    response = live.request(method, "/nothing" if status == 404 else "/health")
    assert (response.status_code, list(response.json())) == (status, ["error"])


def test_a_fault_of_the_server_is_one_line_and_tells_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch, live: TestClient
) -> None:
    def broken(*values: object) -> None:
        raise ZeroDivisionError("/a/private/path")

    monkeypatch.setattr("babelscope.web.app.check_passages", broken)
    response = live.post("/api/predict", json={"model": "tiny", "texts": ["good"]})
    assert response.status_code == 500
    assert "the server failed (ZeroDivisionError)" in response.json()["error"]
    assert "private" not in response.text


def test_a_question_that_is_kept_has_a_key_of_a_fixed_size(live: TestClient) -> None:
    for length in (10, 4000):
        body = {"model": "tiny", "texts": ["a " * (length // 2)], "lang": "en"}
        assert answer(live, "predict", **body).status_code == 200
    jobs = live.app.state.jobs  # type: ignore[attr-defined]
    assert {len(key) for key in jobs._cache} == {64}


def test_a_foreign_host_makes_the_server_look_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lookups: list[int] = []
    monkeypatch.setattr(socket, "getfqdn", lambda: lookups.append(1) or "machine.example")
    security.machine_names.cache_clear()
    try:
        assert not any(known_host(f"{number}.example", "0.0.0.0") for number in range(9))
        assert known_host("machine.example:8000", "0.0.0.0")
        assert len(lookups) == 1
    finally:
        security.machine_names.cache_clear()


def test_a_person_without_the_token_reads_what_to_do(public: TestClient) -> None:
    response = public.get("/", headers={"sec-fetch-mode": "navigate"})
    assert response.status_code == 401
    assert response.headers["content-type"].startswith("text/plain")
    assert "printed in its terminal" in response.text


def _ended(connection: socket.socket) -> bool:
    """Whether the server closes a connection within ten seconds."""
    connection.settimeout(10)
    while connection.recv(4096):
        pass
    return True


@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nHost: local"])
def test_a_client_that_sends_its_headers_slowly_is_dropped(impatient: str, sent: bytes) -> None:
    host, port = impatient.split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(sent)
        assert _ended(connection)


def test_a_client_that_sends_its_body_slowly_is_dropped(impatient: str) -> None:
    host, port = impatient.split(":")
    head = f"POST /api/predict HTTP/1.1\r\nHost: {impatient}\r\nContent-Type: application/json\r\n"
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f'{head}Content-Length: 50\r\n\r\n{{"model":'.encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 408")


def test_an_answer_that_takes_longer_than_that_arrives(impatient: str) -> None:
    """On one connection, by a question about a job that waits for another."""
    connection = http.client.HTTPConnection(impatient, timeout=60)

    def request(method: str, path: str, body: str | None = None) -> bytes:
        connection.request(method, path, body, JSON)
        response = connection.getresponse()
        assert response.status in (202, 204), path
        return response.read()

    text = " ".join(["the food was good and the room was lovely"] * 4)
    body = {"model": "tiny", "texts": [text], "method": "kernel_shap"}
    names = []
    for samples in (20_000, 19_000):
        question = json.dumps(body | {"options": {"samples": samples}})
        names.append(json.loads(request("POST", "/api/explain", question))["id"])
    start = time.monotonic()
    state = json.loads(request("GET", f"/api/jobs/{names[1]}?seen=0&wait=1"))
    assert time.monotonic() - start > 4 * Punctual.patience - 0.1
    assert state["state"] == "waiting"
    for name in names:
        request("DELETE", f"/api/jobs/{name}")
    connection.close()
