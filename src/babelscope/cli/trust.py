"""The command about single explanations: can this one be trusted?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelscope.cli import printing
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


def trust(
    model: ModelName,
    text: Annotated[str | None, typer.Argument(help="The text whose explanation is looked at.")] = None,
    pair: Annotated[str | None, typer.Option(help="The second text of a pair (hypothesis, context).")] = None,
    lang: Annotated[str, typer.Option(help="The text's language (BCP 47): decides its words.")] = "und",
    method: Annotated[str, typer.Option(help="The method that explains.")] = "integrated_gradients",
    target: Annotated[str | None, typer.Option(help="A class (or answer), or 'gold'; default: the prediction.")] = None,
    input_: Annotated[Path | None, typer.Option("--input", help="A file of texts instead: a panel for each.")] = None,
    labelled: Annotated[Path | None, typer.Option(help="A file of labelled texts, not trained on; for calibration.")] = None,
    sibling: Annotated[list[str] | None, typer.Option(help="A model tuned alike with another seed; repeat it.")] = None,
    draws: Annotated[int, typer.Option(min=1, help="How often the model is shuffled.")] = 3,
    seeds: Annotated[int, typer.Option(min=1, help="Other seeds of a method that draws numbers.")] = 4,
    option: Options = None,
    column: Columns = None,
    verbalizer: Verbalizer = None,
    output: Annotated[Path | None, typer.Option(help="Write the panels to an .html file.")] = None,
    device: Device = None,
    allow_untrained_head: Untrained = False,
    json_: Json = False,
) -> None:
    """Can this explanation be trusted? Completeness, stability, leaving one out, chance and best, forgetting, calibration."""
    from babelscope.data.formats.tables import read
    from babelscope.display.progress import bar
    from babelscope.methods import METHODS
    from babelscope.options import (
        choose,
        resolve_options,
    )

    printing.check_ending(output, (".html",))
    rows = examples(text, pair, lang, input_, column)
    settled = resolve_options(choose(METHODS, method, "method"), pairs(option, "--option"))
    from babelscope.analyses.trust.panel import trust as judge
    from babelscope.methods.explain import explain
    from babelscope.model.load import load

    names = {"device": device, "allow_untrained_head": allow_untrained_head, "verbalizer": verbalized(verbalizer)}
    loaded = load(model, **names)  # type: ignore[arg-type]
    kin = [load(one, **names) for one in sibling or ()]  # type: ignore[arg-type]
    known = read(labelled, columns=pairs(column, "--column"), lang=None if lang == "und" else lang) if labelled else []
    with bar("explaining") as tell:
        found = explain(loaded, rows, method, target=target, options=settled, progress=tell)
    with bar("looking closer") as tell:
        panels = judge(loaded, found, draws=draws, seeds=seeds, siblings=kin, labelled=known, progress=tell)
    printing.deliver_panels(panels, output, json_)
