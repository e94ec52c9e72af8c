"""A section for a model card, in Markdown: what was measured of the models of a store."""

from __future__ import annotations

from pathlib import Path

from babelscope.data.languages import language_name
from babelscope.display.numbers import percent
from babelscope.reporting import examples
from babelscope.reporting.build import answers, sections, stored_attributions
from babelscope.store import open_store, read_study

ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#"})


def card(store: str | Path) -> str:
    """Accuracies, and each question of the study with its answer.

    *Laws*: the same store gives the same text; a name never becomes markup.
    """
    opened = open_store(store, create=False)
    study = read_study(opened)
    listed = sections(opened, study)
    right = examples.accuracies(examples.predictions(stored_attributions(opened, study)))
    models = list(dict.fromkeys(model for model, _ in right))
    langs = list(dict.fromkeys(lang for _, lang in right))
    lines = ["## Explanations", ""]
    if study.get("description"):
        lines += [_plain(str(study["description"])), ""]
    if models:
        head = ["model", *(language_name(lang) for lang in langs)]
        lines += [_row(["accuracy: " + head[0], *head[1:]]), _row(["---"] * len(head))]
        for model in models:
            cells = [right.get((model, lang)) for lang in langs]
            shown = ["–" if cell is None else f"{percent(cell.mean, 1)} (n = {cell.n})"
                     for cell in cells]  # fmt: skip
            lines.append(_row([model, *shown]))
        lines.append("")
    for entry in answers(opened, study, listed):
        says = _plain(entry.answer.sentence.striptags())
        lines += [f"**{_plain(entry.question)}** {entry.answer.label}. {says}", ""]
    version = (study.get("versions") or {}).get("babelscope", "")
    lines.append(f"Measured with babelscope {version}".rstrip() + ". Intervals are 95 %.")
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell if cell == "---" else _plain(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(ESCAPED)
