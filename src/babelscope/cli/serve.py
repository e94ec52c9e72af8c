"""The command that serves the explorer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing

Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[MODEL]...", help="Hub ids or folders of fine-tuned models; by default demo."
    ),
]
StoreFolder = Annotated[
    Path | None, typer.Option(help="Folder of a store whose examples are browsed.")
]
Host = Annotated[
    str,
    typer.Option(
        help="Address to listen on; where other machines can reach it, a token is needed."
    ),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")]


def serve(
    model: Models = None, store: StoreFolder = None, host: Host = "127.0.0.1", port: Port = 8000
) -> None:
    """Open the explorer: explain texts live in a browser, and browse the examples of a store."""
    from babelscope.errors import InputError

    try:
        from babelscope.web.server import serve as run
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "starlette", "uvicorn"):
            raise
        raise InputError(
            f"the explorer needs {error.name}; install it with: pip install 'babelscope[web]'"
        ) from error
    run(model or [], store, host=host, port=port, say=_say)


def _say(address: str) -> None:
    printing.print_text(f"babelscope explorer: {address}")
    printing.print_text("press Ctrl-C to stop it")
    sys.stdout.flush()
