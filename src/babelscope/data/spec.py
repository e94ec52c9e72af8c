"""What a study file says about data and tasks."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from babelscope.options import Spec


class DataSpec(Spec):
    """Where a task's examples come from: a built-in corpus, a public one in a folder, a file (one per `{lang}`), the
    hub, or `rows` written into the study itself."""

    builtin: str | None = None
    corpus: str | None = None
    folder: str | None = None
    file: str | None = None
    train_file: str | None = None
    dev_file: str | None = None
    hub: str | None = None
    rows: list[dict[str, Any]] | None = None
    config: str | None = None
    revision: str | None = None
    train_split: str = "train"
    dev_split: str = "validation"
    columns: dict[str, str] = Field(default_factory=dict)
    languages: list[str] | None = None
    split: str = "test"
    examples: int | None = Field(default=100, ge=1)
    drawn: bool = False
    seed: int = 0

    @model_validator(mode="after")
    def one_source(self) -> Self:
        if sum(each is not None for each in (self.builtin, self.corpus, self.file, self.hub, self.rows)) != 1:
            raise ValueError("give one of 'builtin', 'corpus', 'file', 'hub' and 'rows'")
        if self.hub is None and (self.config is not None or self.revision is not None):
            raise ValueError("'config' and 'revision' are of a data set of the 'hub'")
        if self.folder is not None and self.corpus is None:
            raise ValueError("'folder' is where a 'corpus' lies; a 'file' has its own path")
        if self.builtin is not None and self.drawn:
            raise ValueError(
                "'drawn' is for files, corpora and the hub; of the built-in corpus another 'seed' gives other examples"
            )
        if self.builtin is not None and self.examples is None:
            raise ValueError("give the number of 'examples': the built-in corpus has no end")
        return self


class TaskSpec(Spec):
    """A task: a name for the report, its examples, and what of them is explained (as in `explain`)."""

    name: str
    data: DataSpec
    target: str | None = None
    quantity: str = "logit"
    contrast: str | None = None
    word: int | None = Field(default=None, ge=0)
    edge: str = "both"
    part: str = "all"
    long: str = "truncate"
