"""The command line: each command calls one function and shows what it returns."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from babelscope.cli import (
    consistency,
    heads,
    intervene,
    printing,
    tokenization,
    tradeoffs,
    training,
    trust,
)
from babelscope.cli.arguments import (
    Columns,
    Device,
    Json,
    ModelName,
    Options,
    Untrained,
    Verbalizer,
    examples,
    pairs,
    verbalized,
)
from babelscope.cli.data import data_app

if TYPE_CHECKING:
    from babelscope.types import Example, Method, Metric

app = typer.Typer(
    help="Explain fine-tuned transformers in many languages, and measure whether the explanations can be trusted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
study_app = typer.Typer(
    help="Run a whole grid of models, languages, methods and metrics from a YAML file.", no_args_is_help=True
)
app.add_typer(study_app, name="study")
app.add_typer(data_app, name="data")


@app.callback()
def _options(debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False) -> None: ...


@app.command()
def methods(
    model: Annotated[str | None, typer.Option(help="Say which work on this model (a hub id or a folder), and why not.")] = None,
    allow_untrained_head: Untrained = False,
    json_: Json = False,
) -> None:
    """The attribution methods and their properties; or which of them work on a model."""
    from babelscope.methods import METHODS

    if model is not None:
        from babelscope.methods.suitability import suitable
        from babelscope.model.load import load

        printing.deliver_suitable(suitable(load(model, allow_untrained_head=allow_untrained_head)), model, json_)
        return
    facts = ("family", "complete", "signed", "gradients", "attentions", "seeded", "precise", "words", "summary")
    printing.show_rows("methods", METHODS.values(), facts, json_)


@app.command()
def metrics(json_: Json = False) -> None:
    """The quality metrics and their properties."""
    from babelscope.metrics import METRICS

    printing.show_rows("metrics", METRICS.values(), ("family", "higher_is_better", "bounds", "order_only", "summary"), json_)


@app.command()
def tasks(json_: Json = False) -> None:
    """The tasks that can be explained, and what each reads."""
    from babelscope.model.tasks import TASKS

    rows = [{"name": row.name, "texts": row.inputs, "target": row.target} for row in TASKS.values()]
    if json_:
        print(json.dumps(rows, indent=1))
        return
    from babelscope.display.terminal import table

    printing.show(table("tasks", ("name", "texts", "target"), [tuple(row.values()) for row in rows]))


@app.command()
def explain(
    model: ModelName,
    text: Annotated[str | None, typer.Argument(help="The text to explain.")] = None,
    pair: Annotated[str | None, typer.Option(help="The second text of a pair (hypothesis, context).")] = None,
    lang: Annotated[str, typer.Option(help="The text's language (BCP 47): decides its words.")] = "und",
    method: Annotated[str, typer.Option(help="Methods, separated by commas.")] = "integrated_gradients",
    target: Annotated[str | None, typer.Option(help="A class (or answer), or 'gold'; default: the prediction.")] = None,
    quantity: Annotated[str, typer.Option(help="logit, probability, log_odds or contrast.")] = "logit",
    contrast: Annotated[str | None, typer.Option(help="The class to subtract; default: the best of the others.")] = None,
    word: Annotated[int | None, typer.Option(min=0, help="The word whose tag is explained; default: the first not O.")] = None,
    edge: Annotated[str, typer.Option(help="Of an answer: both, start or end.")] = "both",
    verbalizer: Verbalizer = None,
    unit: Annotated[str, typer.Option(help="Show words or tokens.")] = "word",
    input_: Annotated[Path | None, typer.Option("--input", help="A .jsonl, .csv, .tsv or .parquet file of texts.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write to a .jsonl, .parquet, .html, .svg or .png file.")] = None,
    option: Options = None,
    column: Columns = None,
    seed: Annotated[int, typer.Option(help="For methods that draw numbers.")] = 0,
    part: Annotated[str, typer.Option(help="Which text of a pair is explained: all, first, second.")] = "all",
    long: Annotated[str, typer.Option(help="Texts longer than the model: truncate or window.")] = "truncate",
    device: Device = None,
    allow_untrained_head: Untrained = False,
    json_: Json = False,
) -> None:
    """Which words made the model say that?"""
    from babelscope.display.progress import bar
    from babelscope.display.results import Attributions
    from babelscope.errors import InputError
    from babelscope.types import Aim

    if unit not in ("word", "token"):
        raise InputError(f"unit {unit!r} is not one of: word, token")
    printing.check_ending(output, (".jsonl", ".parquet", ".html", ".svg", ".png"))
    rows = examples(text, pair, lang, input_, column)
    chosen = _chosen_methods(method)
    settled = _share_options([*chosen], option)
    from babelscope.methods.explain import explain as explain_them
    from babelscope.model.load import load

    words = verbalized(verbalizer)
    loaded = load(model, device=device, allow_untrained_head=allow_untrained_head, verbalizer=words)
    _refuse_unfit(loaded, rows)
    aim = Aim(target, contrast, word, edge)
    found = Attributions(())
    with bar("explaining") as tell:
        for row in chosen:
            found += explain_them(
                loaded, rows, row.name, target=aim, quantity=quantity, options=settled[row.name], seed=seed, part=part,
                long=long, progress=tell,
            )  # fmt: skip
    printing.deliver(found, output, json_, unit)


@app.command()
def measure(
    model: ModelName,
    input_: Annotated[Path, typer.Option("--input", help="A .jsonl, .csv, .tsv or .parquet file of texts.")],
    method: Annotated[str, typer.Option(help="Methods, separated by commas.")] = "integrated_gradients,random",
    metric: Annotated[str, typer.Option(help="Metrics, separated by commas.")] = "comprehensiveness,sufficiency",
    lang: Annotated[str, typer.Option(help="The language, where the file has no such column.")] = "und",
    target: Annotated[str | None, typer.Option(help="A class, or 'gold'; default: the prediction.")] = None,
    verbalizer: Verbalizer = None,
    option: Options = None,
    column: Columns = None,
    seed: Annotated[int, typer.Option(help="For methods that draw numbers.")] = 0,
    part: Annotated[str, typer.Option(help="Which text of a pair is explained and erased: all, first, second.")] = "all",
    output: Annotated[Path | None, typer.Option(help="Write the values to a .jsonl or .parquet file.")] = None,
    device: Device = None,
    allow_untrained_head: Untrained = False,
    json_: Json = False,
) -> None:
    """Can the explanations be trusted? Every method by every metric, per language, with intervals."""
    from babelscope.display.progress import bar
    from babelscope.display.results import Attributions, Measures
    from babelscope.methods.explain import explain as explain_them
    from babelscope.metrics import METRICS
    from babelscope.metrics.measure import measure as measure_them
    from babelscope.model.load import load
    from babelscope.options import choose

    printing.check_ending(output, (".jsonl", ".parquet"))
    rows = examples(None, None, lang, input_, column)
    chosen = _chosen_methods(method)
    judges = [choose(METRICS, name.strip(), "metric") for name in metric.split(",")]
    settled = _share_options([*chosen, *judges], option)
    words = verbalized(verbalizer)
    loaded = load(model, device=device, allow_untrained_head=allow_untrained_head, verbalizer=words)
    _refuse_unfit(loaded, rows)
    found, values = Attributions(()), Measures(())
    with bar("explaining") as tell:
        for row in chosen:
            mine = settled[row.name]
            found += explain_them(loaded, rows, row.name, target=target, options=mine, seed=seed, part=part, progress=tell)
    with bar("measuring") as tell, loaded.inference.caching():
        for judge in judges:
            values += measure_them(loaded, found, judge.name, options=settled[judge.name], progress=tell)
    printing.deliver_measures(values, output, json_)


for command in (
    training.finetune, training.evaluate, training.pretrain, heads.heads, tokenization.tokenization,
    consistency.consistency, tradeoffs.tradeoffs, trust.trust, intervene.intervene,
):  # fmt: skip
    app.command()(command)


@study_app.command("run")
def study_run(
    file: Annotated[Path, typer.Argument(help="The study's YAML file.")],
    store: Annotated[Path | None, typer.Option(help="The store to fill; default: the file's name with .store.")] = None,
    workers: Annotated[int, typer.Option(help="Processes; each takes the next model until none is left.")] = 1,
    where: Annotated[str, typer.Option(help="local: on this machine; ray: on a Ray cluster.")] = "local",
    json_: Json = False,
) -> None:
    """Fill a store with the study's results; what exists is skipped, what fails is recorded."""
    from babelscope.study.config import read_study

    study = read_study(file)
    outcome = _run(study, store or file.with_suffix(".store"), workers, where)
    if json_:
        row = {"store": str(outcome.store), "filled": outcome.filled, "found": outcome.found}
        print(json.dumps(row | {"failed": [{"cell": one.cell, "reason": one.reason} for one in outcome.failed]}, indent=1))
    else:
        print(f"{outcome.store}: {outcome.filled} cells filled, {outcome.found} found, {len(outcome.failed)} failed")
        printing.print_failures(outcome.failed)
    if outcome.failed:
        raise typer.Exit(1)


@study_app.command("status")
def study_status(
    file: Annotated[Path, typer.Argument(help="The study's YAML file.")],
    store: Annotated[Path | None, typer.Option(help="The store; default: the file's name with .store.")] = None,
    json_: Json = False,
) -> None:
    """How much of a study is done."""
    from babelscope.store import failures, open_store
    from babelscope.study.config import read_study
    from babelscope.study.grid import progress_of

    study = read_study(file)
    place = open_store(store or file.with_suffix(".store"), create=False)
    rows = progress_of(study, place)
    failed = failures(place)
    if json_:
        listed = [{"cell": one.cell, "reason": one.reason} for one in failed]
        print(json.dumps({"models": rows, "failed": listed}, indent=1, ensure_ascii=False))
        return
    from babelscope.display.terminal import table

    printing.show(
        table(study.name, ("model", "language", "explained", "measured", "planned"), [tuple(row.values()) for row in rows])
    )
    printing.print_failures(failed)


@app.command()
def report(
    store: Annotated[Path, typer.Argument(help="The store of a study.")],
    output: Annotated[Path, typer.Option(help="The folder to write the page into.")],
) -> None:
    """Write the page that a person reads, from the store alone."""
    from babelscope.reporting.build import report as build

    print(build(store, output))


@app.command()
def demo(output: Annotated[Path, typer.Option(help="The folder for the store and the page.")] = Path("demo")) -> None:
    """Train small models on the built-in corpus, explain, measure and report them; no network needed."""
    from babelscope.reporting.build import brief
    from babelscope.reporting.build import report as build
    from babelscope.study.config import demo_study

    outcome = _run(demo_study(), output / "store")
    page = build(output / "store", output)
    for line in brief(output / "store"):
        print(line)
    printing.print_failures(outcome.failed)
    print(f"report: {page}")
    if outcome.failed:
        raise typer.Exit(1)


def main() -> None:
    """The entry point: what the user can act upon is one line on standard error and exit status 2."""
    from babelscope.errors import BabelscopeError

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        app()
    except BabelscopeError as error:
        if "--debug" in sys.argv:
            raise
        print(f"babelscope: {' '.join(str(error).split())}".encode("utf-8", "backslashreplace").decode(), file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != 130:  # what typer makes of Ctrl-C, without a word
            raise
        print("babelscope: stopped; run the same command again to go on", file=sys.stderr)
        sys.exit(130)


def _run(study: Any, store: Path, workers: int = 1, where: str = "local") -> Any:
    from babelscope.display.progress import bars
    from babelscope.study.run import Watch, run

    with bars(study.name) as (stage, steps):
        return run(study, store, watch=Watch(stage, steps), workers=workers, where=where)


def _chosen_methods(names: str) -> list[Method]:
    from babelscope.methods import METHODS
    from babelscope.options import choose

    return [choose(METHODS, name.strip(), "method") for name in names.split(",")]


def _refuse_unfit(model: Any, rows: Sequence[Example]) -> None:
    """Every row is encoded before the first is explained: a pair for a single-text model, say, must not come up late."""
    from babelscope.model.encode import encode

    encode(model, rows)


def _share_options(rows: Sequence[Method | Metric], given: list[str] | None) -> dict[str, dict[str, Any]]:
    """Each row gets the options that it knows; one that nobody knows is refused."""
    from babelscope.errors import InputError
    from babelscope.options import defaults, settle, suggestion

    asked = pairs(given, "--option")
    known = {name for row in rows for name in defaults(row)}
    for name in asked:
        if name not in known:
            hint = suggestion(name, sorted(known)) if known else "they take none"
            raise InputError(f"none of {', '.join(row.name for row in rows)} has an option {name!r}; {hint}")
    return {row.name: settle(row, {n: v for n, v in asked.items() if n in defaults(row)}) for row in rows}
