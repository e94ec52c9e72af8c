"""Examples with their gold annotations, for terminals: rationale, answer, tree."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from babelscope.display.terminal import SUPPORTS, plain
from babelscope.types import Example

RATIONALE = Style(color="#000000", bgcolor=SUPPORTS[1], bold=True)
ANSWER = Style(underline=True, bold=True)


def gold(one: Example, tree: bool = False) -> Text:
    """The id, the label, the texts with the rationale highlighted and the answer underlined; the
    tree if asked.

    What colours show is also written out: not every terminal has colours.
    """
    head = Text().append(plain(one.id), "bold").append(f" · {plain(one.lang)}")
    if one.group != one.id:
        head.append(f" · {plain(one.group)}")
    parts = [head.append(f" · {plain(one.label)}", "bold") if one.label is not None else head]
    for number, text in enumerate(one.texts):
        line = Text(f"{number + 1}: " if len(one.texts) > 1 else "", style="bold")
        parts.append(line.append_text(_text(one, number, text)))
    for name, words in (("rationale", _rationale(one)), ("answer", _answer(one))):
        if words:
            parts.append(Text(f"{name}: {plain(words)}", "dim"))
    for number in range(len(one.texts)) if tree and one.heads else ():
        parts.append(Text("\n").join(_tree(one, number)))
    return Text("\n").join([*parts, Text()])


def _text(one: Example, number: int, text: str) -> Text:
    shown = Text(plain(text))
    if one.words and one.rationale:
        for (start, end), marked in zip(one.words[number], one.rationale[number]):
            if marked:
                shown.stylize(RATIONALE, start, end)
    if one.answer and number == len(one.texts) - 1:
        shown.stylize(ANSWER, *one.answer)
    return shown


def _rationale(one: Example) -> str:
    if not one.words or not one.rationale:
        return ""
    return " ".join(
        text[start:end]
        for text, words, marks in zip(one.texts, one.words, one.rationale)
        for (start, end), marked in zip(words, marks)
        if marked
    )


def _answer(one: Example) -> str:
    return one.texts[-1][slice(*one.answer)] if one.answer else ""


def _tree(one: Example, number: int) -> list[Text]:
    """One word a line: its number, itself, its relation and its head."""
    assert one.words is not None
    assert one.heads is not None
    text, words, heads = one.texts[number], one.words[number], one.heads[number]
    names = one.relations[number] if one.relations else ("",) * len(words)
    forms = [plain(text[start:end]) for start, end in words]
    return [
        Text(f"{place:4} {form} ← {name} ← {forms[head - 1] if head else '(root)'}")
        for place, (form, head, name) in enumerate(zip(forms, heads, names), 1)
    ]
