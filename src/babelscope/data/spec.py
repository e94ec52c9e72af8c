"""What a study file says about data and tasks."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from babelscope.data.formats.in_memory import plain_rows
from babelscope.data.formats.records import COLUMNS
from babelscope.data.limits import MOST
from babelscope.data.synthetic import language
from babelscope.options import Spec, suggestion


class DataSpec(Spec):
    """Where a task's examples come from: a built-in corpus, a public one in a folder, a file (one
    per `{lang}`), the hub, or `rows` written into the study itself."""

    builtin: str | None = None
    """Task of the built-in corpus: `sentiment`, `topic`, `nli`, `paraphrase` or `reading`."""
    synthetic: str | None = None
    """Made-up language of one word order and a known law of labels, as in the SLALOM study:
    `linear`, `linear_table` or `slalom:N` with N words."""
    counts: DataSpec | None = None
    """With `synthetic: slalom:N`: texts labelled positive and negative that the values of the N
    most frequent words are counted in; without, values are sampled from Student's t."""
    corpus: str | None = None
    """Name of a public corpus, for example `sib200`."""
    folder: str | None = None
    """Folder of that corpus."""
    file: str | None = None
    """File of examples with a column `lang`, or one file per language with `{lang}` in its name."""
    train_file: str | None = None
    """The same for training; only models with `train` read it."""
    dev_file: str | None = None
    """The same for choosing the best epoch."""
    hub: str | None = None
    """Data set of the Hugging Face hub, streamed; `{lang}` in its name is replaced by the
    language."""
    rows: list[dict[str, Any]] | None = None
    """Examples written into the study: mappings with `text`, and optionally `pair`, `id`, `label`,
    `lang`, `group`."""
    config: str | None = None
    """Configuration of the hub's data set, for example `"{lang}"`."""
    revision: str | None = None
    """Commit or branch of the hub's data set."""
    data_dir: str | None = None
    """Folder of the data set that is read, for example `"{lang}"`; for those without
    configurations, such as the branch `refs/convert/parquet`."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Filters: for a column of the file or data set the value, or the list of values, of the rows
    that are read."""
    labels: dict[str, str] | None = None
    """Label map: the name of each label of the file or data set. Rows with other labels are left
    out: `{"0": negative, "1": negative, "3": positive, "4": positive}`."""
    train_hub: str | None = None
    """Another data set of the hub for training and development rows, also where the explained ones
    are a corpus or a file: `ID` or `ID@REVISION`."""
    train_config: str | None = None
    """Its configuration."""
    train_split: str = "train"
    """Split of the hub's data set that models with `train` are trained on."""
    dev_split: str = "validation"
    """Split that chooses the best epoch; if it is `train_split`, every twentieth row is set aside
    for it."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Names that the file or data set uses for `text`, `pair`, `id`, `label`, `lang`, `group`."""
    languages: list[str] | None = None
    """Languages that the task exists in; all languages of the study by default."""
    split: str = "test"
    """Split that is explained: `train`, `dev` or `test` of a corpus, or the hub's own name."""
    examples: int | None = Field(default=100, ge=1, le=MOST)
    """Number of examples per language; `null` takes all examples of a file."""
    sampled: bool = False
    """Sample the examples instead of taking the first; the same translations in every language.
    Some corpora are sorted by class."""
    train_sampled: bool = False
    """The same for training and development rows."""
    seed: int = 0
    """Seed of the built-in corpus, or of the samples."""

    @field_validator("rows", mode="before")
    @classmethod
    def in_memory(cls, rows: Any) -> Any:
        """A study that is written in Python may hold a table."""
        return None if rows is None else plain_rows(rows)

    @field_validator("columns")
    @classmethod
    def known_columns(cls, columns: dict[str, str]) -> dict[str, str]:
        for field in columns:
            if field not in COLUMNS:
                raise ValueError(f"there is no field {field!r}; {suggestion(field, COLUMNS)}")
        return columns

    @model_validator(mode="after")
    def one_source(self) -> Self:
        sources = (self.builtin, self.synthetic, self.corpus, self.file, self.hub, self.rows)
        if sum(each is not None for each in sources) != 1:
            raise ValueError(
                "give one of 'builtin', 'synthetic', 'corpus', 'file', 'hub' and 'rows'"
            )
        if self.hub is None and (self.config or self.revision or self.data_dir):
            raise ValueError(
                "'config', 'revision' and 'data_dir' belong to a data set of the 'hub'"
            )
        generated = self.builtin is not None or self.synthetic is not None
        if self.train_hub and (generated or self.rows is not None):
            raise ValueError("'train_hub' is for a 'corpus', a 'file' or a data set of the 'hub'")
        if self.where and (generated or self.corpus is not None):
            raise ValueError("'where' names columns of a 'file', of 'rows' or of a 'hub' data set")
        if self.folder is not None and self.corpus is None:
            raise ValueError("'folder' is the folder of a 'corpus'; a 'file' has a path of its own")
        if generated and (self.sampled or self.train_sampled):
            raise ValueError(
                "'sampled' is for files, corpora and the hub; in the built-in corpus, another "
                "'seed' gives other examples"
            )
        if self.synthetic is not None:
            language(self.synthetic)
        if self.counts is not None and (
            not str(self.synthetic).startswith("slalom") or self.counts.synthetic is not None
        ):
            raise ValueError("'counts' are texts for the words of 'synthetic: slalom:N'")
        if generated and self.examples is None:
            raise ValueError("give the number of 'examples': the built-in corpus has no end")
        return self


TRAINING = 5000
"""Training examples that words are counted in."""


def training_data(data: DataSpec, count: int = TRAINING) -> DataSpec:
    """The training rows of a task as data of their own."""
    wanted = {"examples": count, "sampled": data.train_sampled, "train_sampled": False}
    if data.train_hub is not None:
        source = {"corpus": None, "file": None, "folder": None, "hub": data.train_hub,
                  "config": data.train_config, "train_hub": None, "revision": None,
                  "data_dir": None}  # fmt: skip
        return data.model_copy(update={**wanted, **source, "split": data.train_split})
    if data.hub is not None:
        return data.model_copy(update={**wanted, "split": data.train_split})
    if data.file is not None:
        return data.model_copy(update={**wanted, "file": data.train_file or data.file})
    return data.model_copy(update={**wanted, "split": "train"})


class TaskSpec(Spec):
    """A task: a name for the report, its examples, and what of them is explained (as in
    `explain`).
    """

    name: str
    """Name of the task in the report."""
    data: DataSpec
    """Where its examples come from."""
    target: str | None = None
    """Class to explain, `gold`, or `source` (the class predicted for the translation in the source
    language); the prediction by default."""
    quantity: str | None = None
    """Explained quantity: `logit`, `probability`, `log_probability`, `log_odds` or `contrast`; by
    default the logit, of a verbalizer's labels the log-odds."""
    contrast: str | None = None
    """Class that a contrast subtracts; the best of the others by default."""
    word: int | None = Field(default=None, ge=0)
    """For taggers: index of the word, from 0, whose tag is explained; the first that is not `O` by
    default."""
    edge: str = "both"
    """For answers: `both`, `start` or `end`."""
    part: str = "all"
    """For pairs: `all`, `first` or `second`; the other text is kept fixed."""
    long: str = "truncate"
    """What happens to texts longer than the model: `truncate`, `window`, or for answers `best`."""
    unit: str = "token"
    """What is scored and erased as a whole: `token`, `word`, `sentence`, `paragraph`, `text`, or
    units that the data name."""
    least_tokens: int = Field(default=0, ge=0)
    """Texts with fewer tokens, special tokens included, are not explained; each model counts its
    own."""
    least_probability: float = Field(default=0.0, ge=0, lt=1)
    """Texts whose explained class has a lower probability are not explained."""
