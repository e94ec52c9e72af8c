"""The plane of a surrogate as PNG, rendered without a browser: every pixel of the picture, in
scripts that need shaping. The browser counts the pixels."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from devtools import CHROMIUM, browser

from babelscope.display.chart import MARGIN
from babelscope.display.export import SCALE, pdf, png
from babelscope.display.plane import WIDTH, plane_svg
from babelscope.methods.slalom.corpus import explain_function

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"
    ),
]
TEXTS = {
    "en": "the room was lovely but dirty",
    "ar": "كانت الغرفة جميلة لكنها قذرة",
    "hi": "कमरा सुंदर लेकिन गंदा था",
    "zh": "房间 很 漂亮 但是 不 干净",
}


def answers(texts: list[str]) -> list[float]:
    """Longer texts are a little more probable: values differ."""
    return [1 / (1 + np.exp(-0.3 * len(text.encode()) / 10)) for text in texts]


COUNT = """(async () => {{
  const picture = new Image(); picture.src = "data:image/png;base64,{}"; await picture.decode();
  const canvas = document.createElement("canvas"); canvas.width = picture.width; canvas.height = picture.height;
  const pen = canvas.getContext("2d"); pen.drawImage(picture, 0, 0);
  const all = pen.getImageData(0, 0, picture.width, picture.height).data;
  let blue = 0;
  for (let at = 0; at < all.length; at += 4)
    blue += Math.abs(all[at] - 0x2f) < 8 && Math.abs(all[at + 1] - 0x7f) < 8 && Math.abs(all[at + 2] - 0xd1) < 8;
  return [picture.width, picture.height, all[0], all[all.length - 4], blue];
}})()"""
"""Size, the red of the first and the last pixel, and how many have the colour of what supports the
class.
"""


@pytest.mark.parametrize("lang", TEXTS)
def test_the_plane_is_painted_in_full_in_every_script(lang: str) -> None:
    (one,) = explain_function(answers, TEXTS[lang], lang=lang, options={"samples": 300})
    painted = png(plane_svg(one))
    with browser() as page:
        width, height, first, last, blue = page.evaluate(
            COUNT.format(base64.b64encode(painted).decode())
        )
    assert width == SCALE * (WIDTH + 2 * MARGIN)
    assert height > width / 2
    assert first == last == 255
    assert blue > 100 * len(set(one.words))  # a mark of 8 by 8 units for each word, twice as large
    assert pdf(plane_svg(one)).startswith(b"%PDF")
