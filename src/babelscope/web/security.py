"""Who may talk to the server, and what its pages may do.

Four defences, each of its own: the Host of a request must be the server's own (a foreign name that
was made to resolve to this machine is refused), its Origin must be the page itself, a server that
others can reach needs the token of its address, and pages load nothing but the server's own files.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response

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


class TooLarge(Exception):
    """A request is longer than the server reads."""


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
        try:
            await self.app(scope, _bounded(receive, self.largest), guarded)
        except TooLarge:
            await _too_large(self.largest)(scope, receive, guarded)

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
            return _too_large(self.largest)
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
        return _refused("open the address with the token that the server printed", 401)


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
        return name in {bound.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
    return True


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


def _too_large(most: int) -> Response:
    return _refused(f"a request may have {most} bytes here", 413)


def _bounded(receive: Receive, most: int) -> Receive:
    """The body as it comes in, up to so many bytes."""
    count = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > most:
            raise TooLarge
        return message

    return bounded
