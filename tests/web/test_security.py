"""Who is let in, and what pages may do."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from babelscope.web.app import Explorer, make_app
from babelscope.web.limits import Limits
from babelscope.web.security import COOKIE, known_host

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
