"""What a visitor may ask of a model, checked before anything runs."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from babelscope.data.languages import check_language
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.options import Spec, choose, resolve_options
from babelscope.web.limits import Limits

Name = Annotated[str, Field(max_length=4_096)]
Option = str | int | float | bool | None
WORD = re.compile("[a-z_]{1,40}")
"""What an option in words may be: neither a path nor the name of a checkpoint."""
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which JSON can write and no encoding can."""
FILES = ("corpus", "heads")
"""Options that may name a file: a visitor cannot choose them."""


class Passage(Spec):
    """A text, or the texts that a model reads as one input, in one language."""

    texts: list[str] = Field(min_length=1)
    """The texts in the order in which the model reads them."""
    lang: str = "und"
    """Language of the texts, which decides what a word is."""


class PredictRequest(Passage):
    """What a model predicts for an input, whole or with words erased."""

    model: Name
    """Name of a served model."""
    erased: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list, max_length=2_000)
    """Words that are erased, by their position in the whole input."""
    operator: Literal["mask", "pad", "unk", "delete"] | None = None
    """How they are erased; by default as metrics erase."""


class Aimed(Spec):
    """Which explanation is asked for."""

    method: Name = "integrated_gradients"
    """Attribution method."""
    options: dict[str, Option] = Field(default_factory=dict, max_length=10)
    """Options of the method; the others have their defaults."""
    target: Annotated[str, Field(max_length=4_096)] | None = None
    """Class, tag or answer to explain; by default what the model predicts."""
    contrast: Annotated[str, Field(max_length=4_096)] | None = None
    """Class that a contrast subtracts; by default the best of the others."""
    quantity: Literal["logit", "probability", "log_odds", "contrast"] = "logit"
    """Number that is attributed."""
    word: int | None = Field(default=None, ge=0)
    """Position of the word whose tag is explained."""
    edge: Literal["both", "start", "end"] = "both"
    """End of an answer that is explained."""
    part: Literal["all", "first", "second"] = "all"
    """Text of a pair that is explained."""
    seed: int = Field(default=0, ge=0, lt=1 << 31)
    """Seed of the methods that sample."""


class ExplainRequest(PredictRequest, Aimed):
    """The explanation of one prediction by one method."""


class TrustRequest(ExplainRequest):
    """The trust panel of that explanation."""

    shuffles: int = Field(default=3, ge=1, le=5)
    """How often the weights are shuffled."""
    seeds: int = Field(default=4, ge=1, le=8)
    """How many other seeds a random method is run with."""


class RibbonsRequest(Aimed):
    """How the weight of an explanation flows from a text to its translation."""

    model: Name
    """Name of a served model."""
    source: Passage
    """Text whose explanation is compared."""
    translation: Passage
    """Its translation."""


class ExportRequest(Spec):
    """What is on the page, to be written as a study file."""

    models: list[Name] = Field(min_length=1, max_length=8)
    """Names of served models."""
    methods: list[Aimed] = Field(min_length=1, max_length=len(METHODS))
    """Methods with their options, all with the same target."""
    passages: list[Passage] = Field(min_length=1, max_length=12)
    """Texts, each a translation of the first."""
    trust: bool = False
    """Whether trust panels are part of the study."""
    consistency: bool = False
    """Whether translations are compared."""


AnyRequest = PredictRequest | TrustRequest | RibbonsRequest | ExportRequest


def check_passages(passages: list[Passage], limits: Limits) -> None:
    """Refuses texts in an unknown language, and more of them than the server reads."""
    for passage in passages:
        check_language(passage.lang)
        if len(passage.texts) > limits.texts:
            raise InputError(
                f"an input may have {limits.texts} texts here; {len(passage.texts)} were given"
            )
        if any(SURROGATE.search(text) for text in passage.texts):
            raise InputError("a text holds half of a character; paste it again")
    total = sum(len(text) for passage in passages for text in passage.texts)
    if total > limits.characters:
        raise InputError(
            f"texts may have {limits.characters} characters here; {total} were given: shorten "
            "them, or use the command line"
        )


def check_method(aim: Aimed, limits: Limits) -> None:
    """Refuses an unknown method or option, a number that asks for too much work, and names of
    files."""
    resolved = resolve_options(choose(METHODS, aim.method, "method"), aim.options)
    for name, value in resolved.items():
        if isinstance(value, (int, float)) and not -limits.option <= value <= limits.option:
            raise InputError(
                f"{aim.method}: option {name}={value} is more than {limits.option}, the most that "
                "is computed here; use the command line"
            )
        changed = name in aim.options and value != METHODS[aim.method].options[name]
        text = isinstance(value, str) and not WORD.fullmatch(value)
        if changed and (text or name in FILES):
            raise InputError(
                f"{aim.method}: option {name} cannot be changed here to a file or checkpoint; use "
                "the command line"
            )
