"""The tasks that can be explained: one row of facts each, and one module of functions.

Facts are read by commands, pages and errors, which import no torch; `task_functions` loads the
module of a row when a model of that task is used. Nothing outside of this package compares a task
with a name: it reads the row, or calls the function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelscope.model.tasks.functions import TaskFunctions


@dataclass(frozen=True, slots=True)
class Task:
    """A row of TASKS."""

    name: str
    """As on the Hugging Face hub."""
    inputs: str
    """What an input is, in words."""
    target: str
    """What can be explained, in words."""
    heads: Mapping[str, str]
    """How the class of a checkpoint with a head for this task ends, and the class of transformers
    that loads it.
    """
    module: str
    """The module under `babelscope.model.tasks` with the task's FUNCTIONS."""
    fewest: int = 1
    most: int | None = 2
    """How many texts an input has."""
    borrowed: Mapping[str, str] | None = None
    """Like `heads`, of other tasks' checkpoints that can also do this one if it is named."""
    classifies: bool = True
    """The model gives one class to the whole input; a language model without a verbalizer one
    of its vocabulary.
    """
    generates: bool = False
    """The outputs are the logits of a next token."""
    pools: bool = False
    """One output for the whole input, read at one token: the last of a decoder, the end token of
    an encoder-decoder.
    """
    spans: bool = False
    """A target is a span: `index` and `end` are positions in the input."""
    tags: bool = False
    """A target is a tag: `end` is the position of the token that bears it."""
    several: bool = False
    """The model reads several sequences for one input."""
    reads_text: bool = False
    """The model is a function of texts: no tokens, gradients, attention or embeddings."""

    @property
    def texts(self) -> int | None:
        """The number of texts where it is always the same."""
        return self.fewest if self.fewest == self.most else None


_ROWS = (
    Task(
        "text-classification", "one text, or two as a pair", "a class",
        {"ForSequenceClassification": "AutoModelForSequenceClassification"}, "classification",
        pools=True,
    ),
    Task(
        "question-answering", "a question and a context", "an answer in the context",
        {"ForQuestionAnswering": "AutoModelForQuestionAnswering"}, "spans", 2, 2, classifies=False,
        spans=True,
    ),
    Task(
        "token-classification", "one text", "a word's tag",
        {"ForTokenClassification": "AutoModelForTokenClassification"}, "tagging", 1, 1,
        classifies=False, tags=True,
    ),
    Task(
        "text-generation", "one text", "the next token, or a label of a verbalizer",
        {"ForCausalLM": "AutoModelForCausalLM", "GPT2LMHeadModel": "AutoModelForCausalLM"},
        "generation", 1, 1, generates=True,
    ),
    Task(
        "text2text-generation", "one text, and perhaps the answer's beginning", "the answer's next "
                                                                                "token, or a label",
        {"ForConditionalGeneration": "AutoModelForSeq2SeqLM"}, "seq2seq", generates=True,
    ),
    Task(
        "multiple-choice", "a context and two or more candidates", "a candidate, by its number "
                                                                   "from 0",
        {"ForMultipleChoice": "AutoModelForMultipleChoice"}, "multiple_choice", 3, None,
        several=True, borrowed={"ForCausalLM": "AutoModelForCausalLM",
                                "GPT2LMHeadModel": "AutoModelForCausalLM"},
    ),
)  # fmt: skip
TASKS: dict[str, Task] = {row.name: row for row in _ROWS}
"""The tasks that can be explained, under their Hugging Face names."""

FILL_MASK = Task(
    "fill-mask",
    "one text or two",
    "nothing: it fills in erased tokens",
    {},
    "tagging",
    classifies=False,
)
"""The task of models that help to explain others; it is not explained itself."""

FUNCTION = Task(
    "function",
    "one text, or two as a pair",
    "a class",
    {},
    "text_function",
    reads_text=True,
)
"""The task of a function from texts to scores (`babelscope.model.functions`)."""


def task_row(name: str) -> Task:
    return {row.name: row for row in (*_ROWS, FILL_MASK, FUNCTION)}[name]


def task_functions(row: Task) -> TaskFunctions:
    """The functions of a task; imports torch."""
    loaded: TaskFunctions = import_module(f"babelscope.model.tasks.{row.module}").FUNCTIONS
    return loaded


def task_of_class(name: str) -> Task | None:
    """The task that a class of transformers has a head for."""
    return next((row for row in _ROWS for end in row.heads if name.endswith(end)), None)


def loader(row: Task, architectures: tuple[str, ...]) -> str:
    """The class of transformers that loads a checkpoint of these architectures for the task."""
    heads = {**row.heads, **(row.borrowed or {})}
    known = (auto for name in architectures for end, auto in heads.items() if name.endswith(end))
    return next(known, next(iter(row.heads.values())))


def accepts(row: Task, architectures: tuple[str, ...]) -> bool:
    """Whether a checkpoint of these architectures has a head for the task, its own or a borrowed
    one; or none that is known.
    """
    native = [task_of_class(name) for name in architectures]
    borrowed = any(name.endswith(end) for name in architectures for end in row.borrowed or {})
    return borrowed or row in native or not any(native)
