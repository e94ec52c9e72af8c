"""A prompt as a block of a study file, or as a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from babelscope.errors import InputError
from babelscope.options import Spec
from babelscope.types import Prompt


class PromptSpec(Spec):
    """What a language model reads around each text (as `Prompt` in Python)."""

    template: str = "{text}"
    """The text around the slots: `{text}`, and `{pair}` for a second text."""
    labels: dict[str, str | list[str]] = Field(default_factory=dict)
    """For each label the word, or list of words, that continues the prompt, spaces included."""
    system: str | None = None
    """System prompt."""
    chat: bool = False
    """Put the tokenizer's chat template around it."""
    examples: list[dict[str, str]] = Field(default_factory=list)
    """Examples before the text, each with `text` (and `pair`) and `label`."""
    calibrate: bool = False
    """Divide the labels' probabilities by those of a text without content."""

    def prompt(self) -> Prompt:
        return Prompt(
            self.template, self.labels, self.system, self.chat, tuple(self.examples), self.calibrate
        )


def read_prompt(file: Path) -> Prompt:
    """The prompt of a YAML file; what is wrong with it is one line."""
    try:
        block = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"the prompt file {file} cannot be read: {reason}") from error
    return as_prompt(block, f"prompt file {file}")


def as_prompt(block: Any, origin: str = "the prompt") -> Prompt:
    """A prompt as it is, or from a mapping with its fields; what is wrong with it is one line."""
    if isinstance(block, Prompt):
        return block
    try:
        return PromptSpec.model_validate(block).prompt()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        fields = ", ".join(PromptSpec.model_fields)
        known = f"; known are: {fields}" if first["type"] == "extra_forbidden" else ""
        place = f"{origin}: {where}" if where else origin
        raise InputError(f"{place}: {first['msg']}{known}") from error
