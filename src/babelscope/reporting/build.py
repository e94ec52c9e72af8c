"""A store as a page: one file that a person can read, keep and send, and the numbers beside it as
CSV.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from babelscope.analyses import ANALYSES
from babelscope.analyses.explanations import CONTROL, EXPLANATIONS
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import base, described, with_tasks
from babelscope.analyses.stored import stored_keys
from babelscope.display.highlight import STEPS, texts_html
from babelscope.display.numbers import number
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.errors import StoreError
from babelscope.files import write_together
from babelscope.reporting import examples
from babelscope.reporting.problems import flag_counts
from babelscope.store import (
    SCHEME,
    Store,
    cells,
    failures,
    key,
    open_store,
    read_study,
    selection,
)
from babelscope.types import Failure

FOLDER = Path(__file__).parent / "templates"


def report(store: str | Path, output: str | Path) -> Path:
    """Writes index.html and the CSV files of every section into `output`: all of them or none.

    *Laws*: the page loads nothing from elsewhere; the same store gives the same bytes; texts never
    become markup.
    """
    opened = open_store(store, create=False)
    study = read_study(opened)
    listed = sections(opened, study)
    page = str(render("report.html.j2", folder=FOLDER, **_context(opened, study, listed)))
    files = {name: text for section in listed for name, text in section.files.items()}
    write_together(Path(output), files | {"index.html": page})
    return Path(output) / "index.html"


def sections(store: Store, study: Mapping[str, Any]) -> list[Section]:
    """A section for every analysis of the study of which the store holds something."""
    listed = []
    for name in ANALYSES:
        if name in study.get("analyses", {}):
            tables = ANALYSES[name].tables(store, study)
            if tables is not None:
                listed.append(ANALYSES[name].section(tables))
    if not listed:
        raise StoreError(
            f"{store.path} holds nothing to report ({len(failures(store))} cells failed); run the "
            "study: babelscope study run FILE"
        )
    return listed


def section_page(section: Section) -> str:
    """One section as a page of its own, which loads nothing from elsewhere."""
    return str(
        render("section.html.j2", folder=FOLDER, section=section, steps=STEPS, plotly=_plotly())
    )


def _plotly() -> Markup:
    return Markup(get_plotlyjs().replace("</script", "<\\/script"))


def brief(store: str | Path) -> list[str]:
    """The accuracy of every model, then the answer of every section, in plain lines for a
    terminal.
    """
    opened = open_store(store, create=False)
    study = read_study(opened)
    predictions = _predictions(opened, study)
    right = examples.accuracies(predictions)
    lines = []
    for model in dict.fromkeys(model for model, _ in right):
        parts = [
            f"{lang} {number(mean.mean, 2)}"
            for (name, lang), mean in right.items()
            if name == model
        ]
        lines.append(f"{model}: accuracy {', '.join(parts)}")
    return lines + [
        f"{section.title}: {section.answer.striptags()}" for section in sections(opened, study)
    ]


def _predictions(store: Store, study: Mapping[str, Any]) -> Any:
    keys = stored_keys(store, study, EXPLANATIONS)
    return examples.predictions(with_tasks(read_named(store, "attributions", keys)))


def _context(store: Store, study: Mapping[str, Any], listed: list[Section]) -> dict[str, Any]:
    keys = stored_keys(store, study, EXPLANATIONS)
    attributions = with_tasks(read_named(store, "attributions", keys))
    predictions = examples.predictions(attributions)
    first = next((section.recommended for section in listed if section.recommended), "")
    methods, shown = examples.parallels(study, attributions, predictions, first)
    selected = selection(study)
    filled = [row for row in cells(store) if selected(key(row["identity"]), row)]
    lost = failures(store)
    return {
        "study": study,
        "sections": listed,
        "styles": Markup().join(section.style for section in listed),
        "languages": study.get("languages") or [],
        "run": _run(study, len(filled), len(lost)),
        "accuracies": examples.accuracies(predictions),
        "models": _described(study, "models", list(dict.fromkeys(predictions["model"]))),
        "methods": _described(study, "methods", methods),
        "switch": methods,
        "shown": shown,
        "failures": [(_cell(failure), failure) for failure in lost],
        "flags": flag_counts(attributions),
        "explanations": attributions.num_rows,
        "files": sorted(name for section in listed for name in section.files),
        "digest": _digest(filled),
        "scheme": SCHEME,
        "floor": CONTROL,
        "texts_html": texts_html,
        "steps": STEPS,
        "plotly": _plotly(),
    }


def _digest(manifests: list[dict[str, Any]]) -> str:
    return hashlib.sha256("".join(sorted(row["sha256"] for row in manifests)).encode()).hexdigest()


def _run(study: Mapping[str, Any], filled: int, lost: int) -> list[tuple[str, str]]:
    """What was run, as names and values; what the study does not say is left out."""
    planned = study.get("cells")
    facts = [
        ("Task", study.get("task")),
        ("Languages", ", ".join(study.get("languages") or ())),
        ("Examples", study.get("examples")),
        ("Seeds", ", ".join(map(str, study.get("seeds") or ()))),
        ("Cells filled", f"{filled} of {planned} planned" if planned else filled),
        ("Cells failed", lost),
    ]
    return [(name, str(value)) for name, value in facts if value not in (None, "")]


def _described(study: Mapping[str, Any], listed: str, names: list[str]) -> list[dict[str, Any]]:
    """What the study says about each of these; of one it does not list, the name."""
    known = {row["name"]: row for row in described(study, listed)}
    return [known.get(base(name.split(" · ")[0]), {}) | {"name": name} for name in names]


def _cell(failure: Failure) -> str:
    parts = failure.cell.items()
    return ", ".join(f"{name} {value}" for name, value in parts if isinstance(value, str | int))
