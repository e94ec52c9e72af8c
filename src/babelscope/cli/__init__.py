"""The command line: one file per command; each calls one function and prints what it returns."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from babelscope.cli.arguments import STRICT
from babelscope.cli.consistency import consistency
from babelscope.cli.costs import costs
from babelscope.cli.data import data_app
from babelscope.cli.demo import demo
from babelscope.cli.explain import explain
from babelscope.cli.heads import heads
from babelscope.cli.intervene import intervene
from babelscope.cli.measure import measure
from babelscope.cli.paper import paper
from babelscope.cli.printing import print_text
from babelscope.cli.report import card, report
from babelscope.cli.serve import serve
from babelscope.cli.study import study_app
from babelscope.cli.tables import analyses, methods, metrics, tasks
from babelscope.cli.tokenization import tokenization
from babelscope.cli.tradeoffs import tradeoffs
from babelscope.cli.training import evaluate, finetune, pretrain
from babelscope.cli.trust import trust
from babelscope.hub import MIRROR

app = typer.Typer(
    help=(
        "Explain fine-tuned transformers in many languages, and measure whether the explanations "
        "can be trusted."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(study_app, name="study")
app.add_typer(data_app, name="data")


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse data with a row that cannot be used, instead of skipping it."
        ),
    ] = False,
    mirror: Annotated[
        Path | None,
        typer.Option(
            help="Folder with models/ID and datasets/ID to read instead of the Hugging Face hub. "
            "Default: the environment variable BABELSCOPE_MIRROR."
        ),
    ] = None,
) -> None:
    STRICT.set(strict)
    if mirror is not None:
        os.environ[MIRROR] = str(mirror)


for command in (
    methods, metrics, tasks, analyses, explain, measure, trust, consistency, tradeoffs,
    tokenization, intervene, heads, costs, finetune, evaluate, pretrain, report, card, paper,
    serve, demo,
):  # fmt: skip
    app.command()(command)

INTERRUPTED = 130
"""The exit status after Ctrl-C. Newer versions of typer return it, older ones raise Abort."""
UsageError: Any = typer.BadParameter.__base__
"""What typer raises for a wrong option or argument."""
FIELDS = (
    "quantity", "contrast", "word", "edge", "verbalizer", "unit", "part", "long", "seed",
    "allow_untrained_head", "weight_decay", "freeze_embeddings", "freeze_layers", "head_only",
    "layers", "width", "vocabulary",
)  # fmt: skip
REPLACED = {f"--{name.replace('_', '-')}": f"--set {name}=VALUE" for name in FIELDS} | {
    "--space": "--set gold=true, vectors=..., subwords=... or encoder=...",
    "--rate": "--set interventions.rates=[...]",
    "--pieces": "--set interventions.pieces=[...]",
    "--out": "--mask",
    "--n": "--count",
    "--models": "--model",
    "--languages": "--lang",
}
"""Former options, and what to write instead."""
GENERAL = ("--debug", "--strict", "--mirror")
"""Options of all commands, which are written before the command."""


def main() -> None:
    """The entry point: what the user can act upon is one line on standard error and exit
    status 2.
    """
    from babelscope.errors import BabelscopeError

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    _refuse_empty(sys.argv[1:])
    try:
        with _without_input():
            status = app(prog_name="babelscope", standalone_mode=False)
    except (BabelscopeError, UsageError) as error:
        if "--debug" in sys.argv:
            raise
        _refuse(_usage(error) if isinstance(error, UsageError) else str(error))
    except OSError as error:
        if "--debug" in sys.argv or error.filename is None or error.strerror is None:
            raise
        _refuse(f"{error.filename}: {error.strerror[:1].lower()}{error.strerror[1:]}")
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        print_text("babelscope: interrupted; run the same command again to resume", error=True)
    sys.exit(status if isinstance(status, int) else 0)


@contextmanager
def _without_input() -> Iterator[None]:
    """Nothing here asks the user, and no library may: whoever asks reads the end of the input."""
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        yield
    finally:
        sys.stdin = stdin


def _refuse(message: str) -> NoReturn:
    if message:
        print_text(f"babelscope: {' '.join(message.split())}", error=True)
    sys.exit(2)


def _refuse_empty(arguments: Sequence[str]) -> None:
    """An empty argument is a mistake, most often a variable of the shell without a value: as a path
    it would be the folder that the user is in.
    """
    for before, argument in zip(("", *arguments), arguments):
        if argument == "" or re.fullmatch("--[a-z-]+=", argument):
            option = argument or before
            place = option.rstrip("=") if option.startswith("-") else "an argument"
            _refuse(f"{place} is empty; give it a value, or leave it out")


def _usage(error: Any) -> str:
    """What is wrong with the command line, and what to write instead or where to read on."""
    path = error.ctx.command_path if error.ctx else "babelscope"
    parameters = error.ctx.command.params if error.ctx else []
    message = error.format_message().rstrip(".")
    if not message:
        return ""  # a group without a command has printed its help text
    option = str(getattr(error, "option_name", ""))
    known = any(option in parameter.opts for parameter in parameters)
    command = path.removeprefix("babelscope").strip()
    hint = f"see {path} --help"
    if not known and option in REPLACED:
        hint = f"use {REPLACED[option]}"
    elif not known and option in GENERAL:
        hint = f"write it before the command: babelscope {option} {command}"
    return f"{command}{': ' if command else ''}{message[:1].lower()}{message[1:]}; {hint}"
