"""Examples with their gold annotations, for terminals: rationale, answer, tree."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from babelscope.display.terminal import SUPPORTS, plain
from babelscope.types import Example

RATIONALE = Style(color="#000000", bgcolor=SUPPORTS[1], bold=True)
ANSWER = Style(underline=True, bold=True)


def gold(example: Example, tree: bool = False) -> Text:
    """The id, the label, the texts with the rationale highlighted and the answer underlined; the
    tree if requested.

    What colours show is also written out: not every terminal has colours.
    """
    head = Text().append(plain(example.id), "bold").append(f" · {plain(example.lang)}")
    if example.group != example.id:
        head.append(f" · {plain(example.group)}")
    parts = [
        head.append(f" · {plain(example.label)}", "bold") if example.label is not None else head
    ]
    for number, text in enumerate(example.texts):
        line = Text(f"{number + 1}: " if len(example.texts) > 1 else "", style="bold")
        parts.append(line.append_text(_text(example, number, text)))
    for name, words in (("rationale", _rationale(example)), ("answer", _answer(example))):
        if words:
            parts.append(Text(f"{name}: {plain(words)}", "dim"))
    for number in range(len(example.texts)) if tree and example.heads else ():
        parts.append(Text("\n").join(_tree(example, number)))
    return Text("\n").join([*parts, Text()])


def _text(example: Example, number: int, text: str) -> Text:
    shown = Text(plain(text))
    if example.words and example.rationale:
        for (start, end), marked in zip(example.words[number], example.rationale[number]):
            if marked:
                shown.stylize(RATIONALE, start, end)
    if example.answer and number == len(example.texts) - 1:
        shown.stylize(ANSWER, *example.answer)
    return shown


def _rationale(example: Example) -> str:
    if not example.words or not example.rationale:
        return ""
    return " ".join(
        text[start:end]
        for text, words, marks in zip(example.texts, example.words, example.rationale)
        for (start, end), marked in zip(words, marks)
        if marked
    )


def _answer(example: Example) -> str:
    return example.texts[-1][slice(*example.answer)] if example.answer else ""


def _tree(example: Example, number: int) -> list[Text]:
    """One word a line: its number, itself, its relation and its head."""
    assert example.words is not None
    assert example.heads is not None
    text, words, heads = example.texts[number], example.words[number], example.heads[number]
    names = example.relations[number] if example.relations else ("",) * len(words)
    forms = [plain(text[start:end]) for start, end in words]
    return [
        Text(f"{place:4} {form} ← {name} ← {forms[head - 1] if head else '(root)'}")
        for place, (form, head, name) in enumerate(zip(forms, heads, names), 1)
    ]
