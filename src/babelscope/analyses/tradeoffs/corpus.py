"""The texts that all languages of a study share, and why the others are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babelscope.data.independence import clusters
from babelscope.data.skipping import NO_LABEL
from babelscope.data.texts import fault, usable
from babelscope.errors import InputError
from babelscope.types import CorpusText, Example

Texts = Mapping[str, Mapping[str, Sequence[Example]]]
"""Examples by split (test, and perhaps dev and train) and language."""
REASONS = {
    "unlabelled": "examples without a gold label were left out",
    "unreadable": "examples with an empty text or control characters were left out",
    "untranslated": "examples that were not translated were left out",
    "repeated": "examples with a translation group that another one has were left out",
    "unmatched": "examples that other languages lack were left out",
}
"""Why a text is left out, and how that is reported after the number of texts."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the models read, by split and language in one order of translations; and what they do
    not.

    Where the languages share no text, each keeps its own.
    """

    texts: Mapping[str, Mapping[str, Sequence[Example]]]
    left_out: Mapping[tuple[str, str], Mapping[str, tuple[Example, ...]]]
    """By split and language, then by reason."""
    clusters: Mapping[str, str]
    """By translation group."""

    def stored(self, split: str, lang: str) -> list[CorpusText]:
        """The rows of one language: the texts that are read in their order, then those that are
        not."""
        rows = [self._row(split, row, "") for row in self.texts[split][lang]]
        for reason, examples in self.left_out[split, lang].items():
            rows += [self._row(split, row, reason) for row in examples]
        return rows

    def _row(self, split: str, row: Example, reason: str) -> CorpusText:
        cluster = self.clusters.get(row.group, row.group)
        texts = tuple(text.encode("utf-8", "replace").decode("utf-8") for text in row.texts)
        return CorpusText(row.id, row.group, cluster, row.lang, split, texts, row.label, reason)


def parallel_corpus(texts: Texts) -> Corpus:
    """The labelled, readable texts that every language of a split has, and which are not
    independent.

    Texts are matched by their translation group. Where no group is in all languages, each keeps its
    own texts. Texts of a split that are not independent (`data.independence`) form a cluster.

    *Laws*: all languages of a split have the same groups in the same order, or no group is in all
    of them; every text is either read or left out for one reason.
    """
    kept: dict[str, dict[str, list[Example]]] = {}
    left_out: dict[tuple[str, str], dict[str, tuple[Example, ...]]] = {}
    for split, by_lang in texts.items():
        matched: dict[str, dict[str, Example]] = {}
        for lang, rows in by_lang.items():
            matched[lang], left_out[split, lang] = _sorted_out(rows)
            if not matched[lang]:
                raise InputError(
                    f"the {split} examples in {lang} have no gold label that can be used; "
                    "trade-offs "
                    "compare predictions with gold labels: give labelled data"
                )
        kept[split], unmatched = _common(matched)
        for lang, alone in unmatched.items():
            left_out[split, lang] |= {"unmatched": alone}
    return Corpus(kept, left_out, _clusters(kept))


def _sorted_out(
    rows: Sequence[Example],
) -> tuple[dict[str, Example], dict[str, tuple[Example, ...]]]:
    """One usable example of each group (the last one), and the others by reason."""
    matched: dict[str, Example] = {}
    out: dict[str, tuple[Example, ...]] = {}
    for row in rows:
        reason = _reason(row)
        if not reason and row.group in matched:
            row, matched[row.group] = matched[row.group], row
            reason = "repeated"
        if reason:
            out[reason] = (*out.get(reason, ()), row)
        else:
            matched[row.group] = row
    return matched, out


def _reason(row: Example) -> str:
    if row.label in (None, "", NO_LABEL):
        return "unlabelled"
    if any(fault(text) is not None for text in row.texts):
        return "unreadable"
    return "" if usable(row) else "untranslated"


def _common(
    matched: Mapping[str, Mapping[str, Example]],
) -> tuple[dict[str, list[Example]], dict[str, tuple[Example, ...]]]:
    """Every language's examples of the groups that all have, in one order, and the others; or all
    of each language, if no group is in all."""
    common = set.intersection(*(set(rows) for rows in matched.values())) if matched else set()
    if not common:
        return {lang: list(rows.values()) for lang, rows in matched.items()}, {}
    order = [group for group in next(iter(matched.values())) if group in common]
    unmatched = {
        lang: tuple(row for group, row in rows.items() if group not in common)
        for lang, rows in matched.items()
        if len(rows) > len(common)
    }
    return {lang: [rows[group] for group in order] for lang, rows in matched.items()}, unmatched


def _clusters(kept: Texts) -> dict[str, str]:
    """Split by split: a text of another split says nothing about which rows of this one are
    independent."""
    named: dict[str, str] = {}
    for by_lang in kept.values():
        named = clusters(row for rows in by_lang.values() for row in rows) | named
    return named
