"""Who may talk to the server, and what its pages may do.

Four defences, each of its own: the Host of a request must be the server's own (a foreign name that
was made to resolve to this machine is refused), its Origin must be the page itself, a server that
others can reach needs the token of its address, and pages load nothing but the server's own files.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from functools import cache
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Own scripts and styles from files only; nothing inline, nothing from elsewhere."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
COOKIE = "babelscope_token"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEALTH = "/health"
"""Answers without a token: it says nothing about models or texts."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware that checks every request and sets the headers of every answer."""

    app: Application
    host: str
    """The address that the server is bound to."""
    token: str | None
    """What a visitor must present; None on a loopback address."""
    largest: int
    """Bytes that the body of a request may have."""
    patience: float
    """Seconds for which a part of the body is awaited."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self.app(scope, _bounded(receive, self.largest, self.patience), guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a request that is not let in; None for one that is."""
        host = headers.get("host", "")
        if not known_host(host, self.host):
            return _refused(f"the Host {host[:100]!r} is not this server's own", 421)
        origin = headers.get("origin")
        allowed = {f"{scheme}://{host}" for scheme in ("http", "https")}
        foreign = origin is not None and origin not in allowed
        if foreign or headers.get("sec-fetch-site") == "cross-site":
            page = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
            if foreign or not page:
                return _refused("requests from other pages are not answered", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.largest:
            return _refused(_too_large(self.largest), 413)
        return None if scope["path"] == HEALTH else self._identified(scope, headers)

    def _identified(self, scope: Scope, headers: Headers) -> Response | None:
        """None where the visitor presents the token; an address that holds it is exchanged for a
        cookie, so that the token is not shown or shared any longer."""
        if self.token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        presented = next((value for name, value in query if name == "token"), None)
        if presented is not None and same(presented, self.token):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            path = f"/{scope['path'].lstrip('/')}"  # never the address of another server
            answer = RedirectResponse(f"{path}{'?' if rest else ''}{rest}", 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", path="/")
            return answer
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if same(bearer, self.token) or same(_cookie(headers), self.token):
            return None
        reason = "open the address with the token that the server printed in its terminal"
        if headers.get("sec-fetch-mode") == "navigate":  # a person reads it
            return PlainTextResponse(f"babelscope explorer: {reason}\n", 401)
        return _refused(reason, 401)


def same(presented: str, token: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(presented.encode(), token.encode())


def known_host(host: str, bound: str) -> bool:
    """Whether a request's Host is the server's own: a loopback name; for a server that others can
    reach also its address, any address in numbers, or the name of the machine.

    Only names can be made to resolve to another address later, so numbers are safe.
    """
    name = host.rpartition(":")[0] if _has_port(host) else host
    name = name.strip("[]").lower().rstrip(".")
    if name in LOOPBACK:
        return True
    if is_loopback(bound):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == bound.lower() or name in machine_names()
    return True


@cache
def machine_names() -> frozenset[str]:
    """Looked up once: a request with a foreign Host must not make the server ask a name server."""
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower()})


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdecimal() and (host.count(":") == 1 or "]:" in host)


def _cookie(headers: Headers) -> str:
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[COOKIE].value if COOKIE in cookies else ""


def _refused(reason: str, status: int) -> Response:
    return JSONResponse({"error": reason}, status)


def _too_large(most: int) -> str:
    return f"a request may have {most:,} bytes here; send a shorter text"


def _bounded(receive: Receive, most: int, patience: float) -> Receive:
    """The body as it comes in, up to so many bytes, and no slower than a part in so many seconds.

    The framework turns other exceptions into an answer of its own.
    """
    count, whole = 0, False

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal count, whole
        try:
            message = await asyncio.wait_for(receive(), None if whole else patience)
        except TimeoutError as error:
            raise HTTPException(408, "the request did not arrive in time; send it again") from error
        count += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if count > most:
            raise HTTPException(413, _too_large(most))
        return message

    return bounded
