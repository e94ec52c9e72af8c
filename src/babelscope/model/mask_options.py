"""The head mask that the option `heads` of a method names: a file, or one that is measured."""

from __future__ import annotations

import re
from dataclasses import dataclass

from babelscope.data import builtin
from babelscope.data.treebanks import treebank
from babelscope.errors import InputError
from babelscope.model.head_masks import KINDS, HeadMask, check_mask, head_mask, margins_keeping
from babelscope.model.head_statistics import HeadStatistics
from babelscope.model.heads import head_statistics, read_mask
from babelscope.model.inference_state import HeadMaskKey
from babelscope.model.load import Model
from babelscope.types import Example

BUILTIN = "builtin"
TASKS = ("sentiment", "topic")
"""The tasks whose sentences the built-in masks are measured on, and how many of each."""
EACH = 150
_KIND = re.compile(r"(?P<kind>\w+)(\((?P<number>[^()]*)\))?(@(?P<part>.*))?")


@dataclass(frozen=True, slots=True)
class MeasuredMask:
    """A mask that is measured on sentences with trees: `SOURCE:KIND(NUMBER)@PART`."""

    source: str
    """`builtin`, or a treebank as `babelscope heads` takes it."""
    kind: str = "synt_pos"
    part: float | None = None
    """Part of the heads that pass each threshold; None: the method's fixed thresholds."""
    seed: int = 0
    rate: float = 0.5

    def mask(self, statistics: HeadStatistics) -> HeadMask:
        margin, positional = (0.05, 0.8)
        if self.part is not None:
            margin, positional = margins_keeping(statistics, self.part)
        return head_mask(
            statistics,
            self.kind,
            margin=margin,
            positional=positional,
            seed=self.seed,
            rate=self.rate,
        )


def mask_for(model: Model, heads: str, lang: str) -> dict[int, list[float]]:
    """The mask that the option `heads` of a method names, for texts of a language.

        masks/{model}-{lang}.json    a mask's file, the names of model and language filled in
        {"keep": ...}                a mask as JSON
        builtin                      measured on the built-in corpus in that language, else English
        builtin:random               the same of another kind (`head_masks.KINDS`)
        builtin:synt@0.25            with thresholds that a quarter of the heads pass
        builtin:random(3)@0.25       with another seed
        builtin:corrupted(0.75)      with another rate
        ud-pud/hi/test/300:synt@0.25 measured on a treebank, here of another language: the mask is
                                     transferred; also FILE.conllu:KIND, and {lang} is filled in

    It is measured once per model, language, sentences and state of the weights.
    """
    if heads.lstrip().startswith("{") and not heads.lstrip().startswith(("{model}", "{lang}")):
        return read_mask(heads, model)
    measured = parse(heads)
    if measured is None:
        return read_mask(heads.replace("{lang}", lang).replace("{model}", model.name), model)
    known = model.inference.head_masks
    key = HeadMaskKey(lang, _version(model), heads)
    if key not in known:
        keep = measured.mask(_statistics(model, measured.source, lang)).keep
        known[key] = {layer: [float(head) for head in kept] for layer, kept in enumerate(keep)}
    return known[key]


def parse(heads: str) -> MeasuredMask | None:
    """What is to be measured; None for the name of a file."""
    source, colon, choice = heads.rpartition(":")
    if heads == BUILTIN:
        return MeasuredMask(BUILTIN)
    if not colon or heads.endswith(".json"):
        return None
    match = _KIND.fullmatch(choice)
    if match is None or (source != BUILTIN and match["kind"] not in KINDS):
        raise _refusal(heads, choice, f"no kind of mask; there are: {', '.join(KINDS)}")
    kind = match["kind"]
    check_mask(kind, 0, 0, 0)
    part = None if match["part"] is None else _number(heads, match["part"])
    if match["number"] is None:
        return MeasuredMask(source, kind, part)
    number = _number(heads, match["number"])
    if kind == "random":
        return MeasuredMask(source, kind, part, seed=int(number))
    if not kind.startswith("corrupted"):
        raise _refusal(heads, kind, "given a number, which random and corrupted masks alone have")
    check_mask(kind, 0, 0, number)
    return MeasuredMask(source, kind, part, rate=number)


def _number(heads: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _refusal(heads, text, "no number; write builtin:synt@0.25") from None


def _refusal(heads: str, text: str, why: str) -> InputError:
    return InputError(f"heads {heads!r}: {text!r} is {why}")


def _statistics(model: Model, source: str, lang: str) -> HeadStatistics:
    if source == BUILTIN and lang not in builtin.LANGUAGES:
        lang = "en"
    named = source.replace("{lang}", lang)
    key = HeadMaskKey(lang if source == BUILTIN else "", _version(model), named)
    counted = model.inference.head_counts
    if key not in counted:
        counted[key] = head_statistics(model, _sentences(named, lang))
    return counted[key]


def _sentences(source: str, lang: str) -> list[Example]:
    if source == BUILTIN:
        return [row for task in TASKS for row in builtin.read(task, lang, "train", EACH)]
    return treebank(source)


def _version(model: Model) -> int:
    """The state of the weights."""
    return sum(weight._version for weight in model.hf.parameters())
