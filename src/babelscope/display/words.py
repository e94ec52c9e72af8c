"""Words in running text, coloured by a number each, as a chart: for figures in print."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from babelscope.display.chart import Chart, text
from babelscope.display.colours import diverging, ink_on
from babelscope.display.extent import text_width

WIDE, LINE, PAD = 420, 24, 4


def word_chart(title: str, words: Sequence[str], values: Sequence[float], note: str = "") -> Chart:
    """The words in lines as long as the chart is wide; the colour of each is its value as a share
    of the largest in size, an undefined one is grey.

    *Laws*: every word is drawn, inside of the chart; words never become markup.
    """
    most = max((abs(value) for value in values if isfinite(value)), default=0.0) or 1.0
    parts, x, y = [text(0, 16, title, "b")], 0.0, 40.0
    if note:
        parts.append(text(0, 32, note, "f t"))
        y += 12
    for word, value in zip(words, values):
        wide = text_width(word) + 2 * PAD
        if x and x + wide > WIDE:
            x, y = 0.0, y + LINE
        parts.append(_word(word, value / most, x, y, wide))
        x += wide + 3
    return Chart(title, Markup("").join(parts), WIDE + 24, y + LINE)


def _word(word: str, share: float, x: float, y: float, wide: float) -> Markup:
    known = isfinite(share)
    box = Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="19" rx="3" fill="{}"/>')
    letters = Markup('<text x="{:.1f}" y="{:.1f}" style="fill:{}">{}</text>')
    colour = diverging(share) if known else "#b9bfc8"
    ink = ink_on(share if known else 0.0)
    return box.format(x, y - 14, wide, colour) + letters.format(x + PAD, y, ink, word)
