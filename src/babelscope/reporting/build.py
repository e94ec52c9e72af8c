"""A store as a page: one file that a person can read, keep and send, and the numbers beside it as
CSV.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from markupsafe import Markup

from babelscope.analyses import ANALYSES
from babelscope.analyses.explanations import CONTROL, EXPLANATIONS
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import base, described, with_tasks
from babelscope.analyses.stored import (
    skipped_groups,
    stored_keys,
    stored_skipped,
    without_groups,
)
from babelscope.display.colours import chart_style
from babelscope.display.highlight import STEPS, UNSIGNED, texts_html
from babelscope.display.numbers import number
from babelscope.display.page import render
from babelscope.display.section import Answer, Section
from babelscope.errors import StoreError
from babelscope.files import write_together
from babelscope.reporting import examples
from babelscope.reporting.against import changes, changes_section, values
from babelscope.reporting.example_data import COLUMNS, data_json, example_data
from babelscope.reporting.figures import write_figures
from babelscope.reporting.flows import flows
from babelscope.reporting.problems import flag_counts, skipped_counts, skipped_csv
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

READ = list(dict.fromkeys([*COLUMNS, *examples.COLUMNS]))
"""The fields of all explanations; the others are read of those on the first screen only."""
FOLDER = Path(__file__).parent / "templates"


def report(
    store: str | Path,
    output: str | Path,
    *,
    against: str | Path | None = None,
    figures: str | Path | None = None,
) -> Path:
    """Writes index.html and the CSV files of every section into `output`: all of them or none.

    `against` is an earlier store: what changed since is the first section. `figures` is a folder
    for every figure as a file of its own.

    *Laws*: the page loads nothing from elsewhere; the same store gives the same bytes; texts never
    become markup.
    """
    opened = open_store(store, create=False)
    study = read_study(opened)
    tables = stored_tables(opened, study)
    listed = [ANALYSES[name].section(each) for name, each in tables.items()]
    if against is not None:
        listed.insert(0, _changes(opened, study, tables, Path(against)))
    files = {name: text for section in listed for name, text in section.files.items()}
    skipped = stored_skipped(opened, study)
    files |= {"skipped.csv": skipped_csv(skipped)} if skipped else {}
    attributions = stored_attributions(opened, study, READ)
    predictions = examples.predictions(attributions)
    context = _context(opened, study, listed, files, attributions, predictions)
    context |= _examples(opened, study, tables, listed, attributions, predictions)
    page = str(render("report.html.j2", folder=FOLDER, **context))
    if figures is not None:
        write_figures(listed, Path(figures))
    write_together(Path(output), files | {"index.html": page})
    return Path(output) / "index.html"


def _changes(
    store: Store, study: Mapping[str, Any], tables: Mapping[str, Any], against: Path
) -> Section:
    earlier = open_store(against, create=False)
    past = read_study(earlier)
    before = values(stored_tables(earlier, past), _predictions(earlier, past))
    return changes_section(
        changes(values(tables, _predictions(store, study)), before), against.name
    )


def sections(store: Store, study: Mapping[str, Any]) -> list[Section]:
    """A section for every analysis of the study of which the store holds something."""
    tables = stored_tables(store, study)
    return [ANALYSES[name].section(each) for name, each in tables.items()]


def stored_tables(store: Store, study: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of every analysis of the study of which the store holds something."""
    named = [name for name in ANALYSES if name in study.get("analyses", {})]
    stored = {name: ANALYSES[name].tables(store, study) for name in named}
    tables = {name: each for name, each in stored.items() if each is not None}
    if not tables:
        raise StoreError(
            f"{store.path} holds nothing to report ({len(failures(store))} cells failed); run the "
            "study: babelscope study run FILE"
        )
    return tables


@dataclass(frozen=True, slots=True)
class Entry:
    """A question of the study with its answer; `section` is empty where nothing was stored."""

    question: str
    answer: Answer
    section: str = ""


def answers(store: Store, study: Mapping[str, Any], listed: Sequence[Section]) -> list[Entry]:
    """Every question that the study asked, also one of which nothing is stored."""
    known = {section.name: section for section in listed}
    entries = [
        Entry(section.question, section.headline, section.name)
        for section in listed
        if section.name not in ANALYSES and section.headline is not None
    ]
    for name in ANALYSES:
        answer = known[name].headline if name in known else None
        if answer is not None:
            entries.append(Entry(known[name].question, answer, name))
        elif name in study.get("analyses", {}):
            lost = [each for each in failures(store) if each.cell.get("analysis") == name]
            reason = f": {lost[0].reason}" if lost else " so far"
            text = Markup("The store holds nothing of it{}.").format(reason)
            entries.append(Entry(ANALYSES[name].question, Answer("unmeasured", text)))
    return entries


def section_page(section: Section) -> str:
    """One section as a page of its own, which loads nothing from elsewhere."""
    return str(
        render(
            "section.html.j2",
            folder=FOLDER,
            section=section,
            steps=STEPS,
            chart_style=Markup(chart_style()),
            scripts=[str(render("script.html.j2"))],
        )
    )


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
        f"{entry.question} {entry.answer.plain}"
        for entry in answers(opened, study, sections(opened, study))
    ]


def _predictions(store: Store, study: Mapping[str, Any]) -> Any:
    return examples.predictions(stored_attributions(store, study, READ))


def stored_attributions(
    store: Store,
    study: Mapping[str, Any],
    columns: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
) -> pa.Table:
    """The explanations of the texts that all languages and models are compared on: all fields or
    these, of all translation groups or these.
    """
    keys = stored_keys(store, study, EXPLANATIONS)
    rows = read_named(store, "attributions", keys, columns, groups)
    return with_tasks(without_groups(rows, skipped_groups(store, study)))


def _context(
    store: Store, study: Mapping[str, Any], listed: list[Section], files: Iterable[str],
    attributions: pa.Table, predictions: Any,
) -> dict[str, Any]:  # fmt: skip
    selected = selection(study)
    stored = [row for row in cells(store) if selected(key(row["identity"]), row)]
    filled = [row for row in stored if row["kind"] != "skipped"]
    skipped = stored_skipped(store, study)
    lost = failures(store)
    methods = list(dict.fromkeys(attributions["method"].to_pylist()))
    return {
        "study": study,
        "sections": listed,
        "answers": answers(store, study, listed),
        "styles": Markup().join(section.style for section in listed),
        "chart_style": Markup(chart_style()),
        "languages": study.get("languages") or [],
        "run": _run(study, len(filled), len(lost), len(skipped)),
        "accuracies": examples.accuracies(predictions),
        "models": _described(study, "models", list(dict.fromkeys(predictions["model"]))),
        "methods": _described(study, "methods", methods),
        "failures": [(_cell(failure), failure) for failure in lost],
        "skipped": skipped_counts(skipped),
        "left_out": len(skipped_groups(store, study)),
        "flags": flag_counts(attributions),
        "explanations": attributions.num_rows,
        "files": sorted(files),
        "digest": _digest(stored),
        "scheme": SCHEME,
        "floor": CONTROL,
        "texts_html": texts_html,
        "steps": STEPS,
    }


def _examples(
    store: Store, study: Mapping[str, Any], tables: Mapping[str, Any], listed: Sequence[Section],
    attributions: pa.Table, predictions: Any,
) -> dict[str, Any]:  # fmt: skip
    """The example of the first screen, and the data and scripts of the list of all examples."""
    scripts = [str(render("script.html.j2"))]
    first = next((section.recommended for section in listed if section.recommended), "")
    groups = examples.shown_groups(predictions)
    whole = stored_attributions(store, study, groups=groups)
    methods, shown = examples.parallels(study, whole, groups, first)
    json = Markup("")
    if attributions.num_rows:
        faithfulness = tables.get("faithfulness")
        summary = None if faithfulness is None else faithfulness.summary
        order = examples.method_order(study, set(attributions["method"].to_pylist()), first)
        data = example_data(attributions, study, order, summary)
        consistency = tables.get("consistency")
        data["flows"] = [] if consistency is None else flows(store, study, consistency, data)
        json = data_json(data)
        scripts.append(str(render("examples_script.html.j2", folder=FOLDER, steps=STEPS)))
    return {
        "switch": methods,
        "shown": shown,
        "unsigned_first": bool(methods) and methods[0].partition("[")[0] in UNSIGNED,
        "example_json": json,
        "scripts": scripts,
    }


def _digest(manifests: list[dict[str, Any]]) -> str:
    return hashlib.sha256("".join(sorted(row["sha256"] for row in manifests)).encode()).hexdigest()


def _run(study: Mapping[str, Any], filled: int, lost: int, skipped: int) -> list[tuple[str, str]]:
    """What was run, as names and values; what the study does not say is left out."""
    planned = study.get("cells")
    facts = [
        ("Task", study.get("task")),
        ("Languages", ", ".join(study.get("languages") or ())),
        ("Examples", study.get("examples")),
        ("Seeds", ", ".join(map(str, study.get("seeds") or ()))),
        ("Cells filled", f"{filled} of {planned} planned" if planned else filled),
        ("Cells failed", lost),
        ("Rows skipped", skipped),
    ]
    return [(name, str(value)) for name, value in facts if value not in (None, "")]


def _described(study: Mapping[str, Any], listed: str, names: list[str]) -> list[dict[str, Any]]:
    """What the study says about each of these; of one it does not list, the name."""
    known = {row["name"]: row for row in described(study, listed)}
    return [known.get(base(name.split(" · ")[0]), {}) | {"name": name} for name in names]


def _cell(failure: Failure) -> str:
    parts = failure.cell.items()
    return ", ".join(f"{name} {value}" for name, value in parts if isinstance(value, str | int))
