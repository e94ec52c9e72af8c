"""The server process: bound, its address printed, stopped without a trace."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from babelscope.errors import InputError
from babelscope.web.app import Explorer, make_app
from babelscope.web.indexing import read_index
from babelscope.web.limits import Limits
from babelscope.web.security import is_loopback

CONNECTIONS = 512
"""Connections beyond these are refused by the server itself."""


class Punctual(H11Protocol):
    """A connection that is closed where its next request does not begin in time: clients that send
    their headers slowly would otherwise hold all connections for ever."""

    patience: ClassVar[float] = Limits().patience

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def on_response_complete(self) -> None:
        self._expect()
        super().on_response_complete()

    def _expect(self) -> None:
        """Closes the connection unless another request has begun by then."""
        last = self.cycle

        def late() -> None:
            if self.cycle is last and not self.transport.is_closing():
                self.transport.close()

        self.loop.call_later(self.patience, late)


def serve(
    models: Sequence[str],
    store: str | Path | None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    say: Callable[[str], None] = print,
) -> None:
    """Serves models, a store or both until it is interrupted; the demo model where neither is
    named.

    The address is taken before anything is loaded, so that one that is in use is refused at once.
    """
    listener = bound(host, port)
    with listener:
        index = None if store is None else read_index(store)
        service = None
        if models or store is None:
            from babelscope.web.models import load_demo, load_models
            from babelscope.web.service import Service

            service = Service(load_models(models) if models else load_demo())
        token = None if is_loopback(host) else secrets.token_urlsafe(24)
        explorer = Explorer(service, index, Limits(), host, token)
        config = uvicorn.Config(
            make_app(explorer), http=Punctual, ws="none", log_level="warning",
            limit_concurrency=CONNECTIONS, timeout_graceful_shutdown=3, server_header=False,
            date_header=False,
        )  # fmt: skip
        listener.listen(CONNECTIONS)  # whoever opens the address at once waits, and is not refused
        say(address(host, listener.getsockname()[1], token))
        try:
            uvicorn.Server(config).run(sockets=[listener])
        except KeyboardInterrupt:
            return


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot listen on {host}:{port}: {reason}; choose another --host or --port"
        ) from error
    return listener


def address(host: str, port: int, token: str | None) -> str:
    """What to open in a browser."""
    shown = f"[{host}]" if ":" in host else host
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
