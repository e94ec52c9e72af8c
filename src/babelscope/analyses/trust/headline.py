"""Can these explanations be trusted? The verdict over all checks of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from babelscope.analyses.explanations import CONTROL
from babelscope.analyses.trust.values import CHECKS, Trust
from babelscope.display.chart import Chart
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.numbers import items, listed
from babelscope.display.section import Answer, Reference
from babelscope.display.sheets import csv_text

FILE = "trust.csv"


def headline(panels: Sequence[Trust]) -> Answer:
    """Yes where no explanation fails a check, no where most do; random scores, which should fail,
    are left out.

    An explanation passes where no check fails and at least one holds; checks that were not run or
    do not apply count for nothing.
    """
    real = [panel for panel in panels if not _control(panel)] or list(panels)
    controls = len(panels) - len(real)
    verdicts = Counter(overall(panel) for panel in real)
    fails = Counter(
        check.name for panel in real for check in panel.checks if check.verdict == "fails"
    )
    count, failing = len(real), verdicts["fails"]
    checked = items(count, "checked explanation")
    part: dict[str, object] = {"control": False} if controls else {}
    references = [_count(count, part, "overall"), _count(failing, part, "overall", "fails")]
    if not failing and verdicts["holds"] == count:
        text = Markup("None of {} fails a check.").format(checked)
    elif not failing:
        open_ = verdicts["undecided"]
        references.append(_count(open_, part, "overall", "undecided"))
        text = Markup("Of {}, none fails a check and {} {} undecided.").format(
            checked, open_, "stays" if open_ == 1 else "stay"
        )
    else:
        name, often = fails.most_common(1)[0]
        references.append(_count(often, part, name, "fails"))
        verb = "fails" if failing == 1 else "fail"
        text = Markup("Of {}, {} {} at least one check, most often {} ({}).")
        text = text.format(checked, failing, verb, name.replace("_", " "), often)
    skipped = [name for name in CHECKS if _all_not_run(real, name)]
    if skipped:
        text += Markup(" Not run: {}.").format(listed([_spoken(name) for name in skipped]))
    verdict = (
        "undecided" if not failing and verdicts["undecided"] else "yes" if not failing
        else "no" if 2 * failing > count else "partly"
    )  # fmt: skip
    return Answer(verdict, text, tuple(references), _chart(panels), texts=count)


def _control(panel: Trust) -> bool:
    return panel.explanation.method == CONTROL


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _count(value: int, part: Mapping[str, object], check: str, verdict: str = "") -> Reference:
    row = {**part, "check": check} | ({"verdict": verdict} if verdict else {})
    return Reference(FILE, row, "", value)


def _chart(panels: Sequence[Trust]) -> Chart:
    """The share of explanations that fail no check, by method."""
    rows = []
    for name in dict.fromkeys(panel.explanation.method for panel in panels):
        passed = [
            float(overall(panel) == "holds") for panel in panels if panel.explanation.method == name
        ]
        share = sum(passed) / len(passed)
        said = f"{name}: {int(sum(passed))} of {len(passed)} explanations pass"
        rows.append(Row(name, (Mark(share, title=said),)))
    title = "share of explanations that pass, by method"
    return dot_plot(title, "share", rows, zero=True, width=300, small=True, ends=(0.0, 1.0))


def overall(panel: Trust) -> str:
    """The verdict on one explanation: fails, holds, or undecided."""
    verdicts = {check.verdict for check in panel.checks}
    if "fails" in verdicts:
        return "fails"
    return "holds" if "holds" in verdicts and "undecided" not in verdicts else "undecided"


def trust_csv(panels: Sequence[Trust]) -> str:
    """One line per explanation and check, and one for its overall verdict."""
    rows: list[tuple[Any, ...]] = []
    for panel in panels:
        explained = panel.explanation
        names = (explained.model, explained.lang, explained.method, explained.id)
        place = (*names, _control(panel))
        rows.append((*place, "overall", overall(panel), None, None, None, ""))
        rows += [
            (*place, check.name, check.verdict, check.value, check.low, check.high, check.said)
            for check in panel.checks
        ]
    columns = [
        "model", "lang", "method", "id", "control", "check", "verdict", "value", "low", "high",
        "says",
    ]  # fmt: skip
    return csv_text(pd.DataFrame(rows, columns=columns))


def _all_not_run(panels: Sequence[Trust], name: str) -> bool:
    checks = [check for panel in panels for check in panel.checks if check.name == name]
    return bool(checks) and all(check.verdict == "not run" for check in checks)
