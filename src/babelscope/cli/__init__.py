"""The command line: one file per command; each calls one function and prints what it returns."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from babelscope.cli.consistency import consistency
from babelscope.cli.data import data_app
from babelscope.cli.demo import demo
from babelscope.cli.explain import explain
from babelscope.cli.heads import heads
from babelscope.cli.intervene import intervene
from babelscope.cli.measure import measure
from babelscope.cli.report import report
from babelscope.cli.study import study_app
from babelscope.cli.tables import analyses, methods, metrics, tasks
from babelscope.cli.tokenization import tokenization
from babelscope.cli.tradeoffs import tradeoffs
from babelscope.cli.training import evaluate, finetune, pretrain
from babelscope.cli.trust import trust

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
) -> None: ...


for command in (
    methods, metrics, tasks, analyses, explain, measure, trust, consistency, tradeoffs,
    tokenization,
    intervene, heads, finetune, evaluate, pretrain, report, demo,
):  # fmt: skip
    app.command()(command)


def main() -> None:
    """The entry point: what the user can act upon is one line on standard error and exit
    status 2.
    """
    from babelscope.errors import BabelscopeError

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        app()
    except BabelscopeError as error:
        if "--debug" in sys.argv:
            raise
        print(
            f"babelscope: {' '.join(str(error).split())}".encode(
                "utf-8", "backslashreplace"
            ).decode(),
            file=sys.stderr,
        )
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        if (
            isinstance(stop, SystemExit) and stop.code != 130
        ):  # what typer makes of Ctrl-C, without a word
            raise
        print("babelscope: interrupted; run the same command again to resume", file=sys.stderr)
        sys.exit(130)
