"""Can these explanations be trusted? The verdict over all checks of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from babelscope.analyses.trust.values import CHECKS, Trust, standing
from babelscope.display.section import Answer, Reference
from babelscope.display.sheets import csv_text

FILE = "trust.csv"


def headline(panels: Sequence[Trust]) -> Answer:
    """Yes where no explanation fails a check, no where most do.

    An explanation passes where no check fails and at least one holds; checks that were not run or
    do not apply count for nothing.
    """
    verdicts = Counter(overall(panel) for panel in panels)
    fails = Counter(
        check.name for panel in panels for check in panel.checks if check.verdict == "fails"
    )
    count, failing = len(panels), verdicts["fails"]
    references = [Reference(FILE, {"check": "overall"}, "", count)]
    references += [Reference(FILE, {"check": "overall", "verdict": "fails"}, "", failing)]
    if not failing and verdicts["holds"] == count:
        text = Markup("None of the {} checked explanations fails a check ({} fail).")
        sentence = text.format(count, failing)
    elif not failing:
        open_ = verdicts["undecided"]
        references.append(Reference(FILE, {"check": "overall", "verdict": "undecided"}, "", open_))
        text = Markup("Of {} checked explanations, {} fail a check and {} stay undecided.")
        sentence = text.format(count, failing, open_)
    else:
        name, often = fails.most_common(1)[0]
        references.append(Reference(FILE, {"check": name, "verdict": "fails"}, "", often))
        text = Markup("Of {} checked explanations, {} {} at least one check, most often {} ({}).")
        verb = "fails" if failing == 1 else "fail"
        sentence = text.format(count, failing, verb, name.replace("_", " "), often)
    skipped = [name for name in CHECKS if _all_not_run(panels, name)]
    if skipped:
        names = " and ".join(name.replace("_", " ") for name in skipped)
        sentence += Markup(" Not run: {}.").format(names)
    verdict = (
        "undecided" if not failing and verdicts["undecided"] else "yes" if not failing
        else "no" if 2 * failing > count else "partly"
    )  # fmt: skip
    return Answer(verdict, sentence, tuple(references), texts=count)


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
        place = (explained.model, explained.lang, explained.method, explained.id)
        rows.append((*place, "overall", overall(panel), None, None, None, ""))
        rows += [
            (*place, check.name, standing(check), check.value, check.low, check.high, check.said)
            for check in panel.checks
        ]
    columns = ["model", "lang", "method", "id", "check", "verdict", "value", "low", "high", "says"]
    return csv_text(pd.DataFrame(rows, columns=columns))


def _all_not_run(panels: Sequence[Trust], name: str) -> bool:
    checks = [check for panel in panels for check in panel.checks if check.name == name]
    return bool(checks) and all(standing(check) == "not run" for check in checks)
