"""What a language file of the news provides."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from babelscope.corpus.news.meaning import News


class Language(NamedTuple):
    """The realiser of one language: an annotated sentence without the final stop, deciding words starred.

    Concepts: `subject.<subject>`, `deed.<part>` with the parts of the deed's name (`deed.win`, `deed.championship`; other
    words of it, such as *new*, bear none), `speak`, `about`, `matter.<matter>` on every word of the matter but an article,
    `distractor.<matter>`, `carrier.<carrier>`, `begin`, `not`, `but`, `although`, `instead`, `mainly`, `time.<time>` and
    `place.<city>`, `place.in` as in the events.
    """

    item: Callable[[News], str]
