"""Any function from texts to scores as a model: explained and measured through its outputs alone.

A scikit-learn pipeline, an API, an endpoint. Its units are words (`data.segmentation`). What the
function reads is the text as it was given, without the erased words or with a string in their
place: nothing is tokenized, and kept words keep their spacing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PretrainedConfig

from babelscope.errors import BabelscopeError, InputError
from babelscope.model.targets import CLOSEST
from babelscope.model.tasks import FUNCTION
from babelscope.model.transformer import Model

Function = Callable[[list[Any]], Any]
"""From texts, or pairs of texts in tuples, to one row of numbers for each."""

OUTPUTS = ("probabilities", "logits", "scores")
SUM_TOLERANCE = 1e-3
"""How far the probabilities of a text may be from summing to 1."""


def from_function(
    function: Function,
    *,
    labels: Iterable[object],
    outputs: str = "probabilities",
    mask: str = "",
    pairs: bool = False,
    batch: int = 256,
    name: str | None = None,
) -> Model:
    """A model from a function, to be explained by every method that needs outputs only.

        model = from_function(pipeline.predict_proba, labels=list(pipeline.classes_))
        attributions = explain(model, texts, "occlusion", quantity="log_odds")
        measure(model, attributions, ["comprehensiveness", "sufficiency"])

    The function gets a list of at most `batch` texts (with `pairs`, of tuples of two) and returns
    one row for each: a number for each of the `labels`, or one number. `outputs` says what they
    are:

        probabilities  p_c, which sum to 1; the logit is log p_c. One number is the probability of
                       the second of two labels, or of the only one
        logits         z_c, whose softmax is p. One number z is the log-odds of the second of two
                       labels (the logits are then -z/2 and z/2), or of the only one
        scores         any numbers: without probabilities, so that faithfulness metrics that
                       compare probabilities are undefined

    Erased words are replaced by `mask`, or removed where it is empty; the function has to accept
    the empty text then. `name` identifies the function: explanations of one are measured with the
    function of the same name, labels, outputs and mask.

    *Laws*: with nothing erased the function reads the text itself; the batch changes no number; for
    a linear function of word counts, occlusion and all Shapley values are the weights.
    *Left open*: probabilities of 0 and 1 are read as 1e-12 from there, and counted in a flag.
    """
    names = [] if isinstance(labels, str) else [str(label) for label in labels]
    if not names or len(set(names)) != len(names):
        raise InputError(f"labels must be one or more different names in a list, not {labels!r}")
    if outputs not in OUTPUTS:
        raise InputError(f"outputs {outputs!r} is not one of: {', '.join(OUTPUTS)}")
    if batch < 1:
        raise InputError(f"batch must be at least 1, not {batch}")
    named = name or _name(function)
    config = PretrainedConfig(
        id2label=dict(enumerate(names)),
        texts_per_input=2 if pairs else 1,
        pad_token_id=0,  # never read: older and newer configs have it, or not
    )
    return Model(TextFunction(function, config, named, outputs, mask, batch), None, named,
                 FUNCTION.name)  # fmt: skip


class TextFunction(torch.nn.Module):
    """The function in the place of a transformer: `Model.hf`. It has a config and no weights."""

    def __init__(
        self, function: Function, config: Any, name: str, outputs: str, mask: str, batch: int
    ) -> None:
        super().__init__()
        self.function = function
        self.config = config
        self.name = name
        self.outputs = outputs
        self.mask = mask
        self.batch = batch

    def forward(self, texts: Sequence[tuple[str, ...]]) -> Tensor:
        """The logits (or scores) of each text or pair, [text, label]."""
        read = [each if self.config.texts_per_input == 2 else each[0] for each in texts]
        try:
            answers = self.function(read)
        except (BabelscopeError, MemoryError, torch.OutOfMemoryError):
            raise
        except Exception as error:  # whatever a foreign function raises
            reason = " ".join(str(error).split())[:200]
            raise InputError(
                f"{self.name} raised {type(error).__name__} ({reason}) on {len(read)} text(s), "
                f"the first of which is {read[0]!r}"
            ) from error
        return torch.from_numpy(self._logits(self._rows(answers, read), read))

    def _rows(self, answers: Any, read: Sequence[Any]) -> NDArray[np.float64]:
        """The answers as numbers, one row per text: [text, label], or [text, 1]."""
        if isinstance(answers, Tensor):
            answers = answers.detach().cpu().numpy()
        try:
            rows = np.array(answers, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{self.name} returned {type(answers).__name__} that holds no numbers, or rows of "
                "different lengths; return one row of numbers per text"
            ) from error
        count = self.config.num_labels
        shape = rows.shape
        rows = rows[:, None] if rows.ndim == 1 else rows
        single = rows.shape[1:] == (1,) and count <= 2
        if rows.ndim != 2 or len(rows) != len(read) or not (single or rows.shape[1] == count):
            raise InputError(
                f"{self.name} returned an array of shape {shape} for {len(read)} text(s) and "
                f"{count} label(s); return one row per text with one number per label"
            )
        for text, row in zip(read, rows):
            if not np.isfinite(row).all():
                raise InputError(
                    f"{self.name} returned {row.tolist()} for the text {text!r}: not finite"
                )
        return rows

    def _logits(self, rows: NDArray[np.float64], read: Sequence[Any]) -> NDArray[np.float64]:
        single, count = rows.shape[1] == 1, self.config.num_labels
        if self.outputs == "scores":
            if single and count == 2:
                raise InputError(f"{self.name} returned one score for two labels; name one label")
            return rows
        if self.outputs == "logits":
            return np.concatenate((-rows / 2, rows / 2), axis=1) if single and count == 2 else rows
        self._refuse_improbable(rows, read)
        if single:
            clipped = np.clip(rows, CLOSEST, 1 - CLOSEST)
            odds = np.log(clipped) - np.log1p(-clipped)
            pair = np.concatenate((np.log1p(-clipped), np.log(clipped)), axis=1)
            return pair if count == 2 else odds
        logs: NDArray[np.float64] = np.log(np.maximum(rows, CLOSEST))
        return logs

    def _refuse_improbable(self, rows: NDArray[np.float64], read: Sequence[Any]) -> None:
        single = rows.shape[1] == 1
        for text, row in zip(read, rows):
            if row.min() < -CLOSEST or row.max() > 1 + SUM_TOLERANCE:
                raise InputError(
                    f"{self.name} returned {row.tolist()} for the text {text!r}: no probabilities; "
                    "name what they are (outputs='logits' or 'scores')"
                )
            if not single and abs(row.sum() - 1) > SUM_TOLERANCE:
                raise InputError(
                    f"{self.name} returned probabilities that sum to {row.sum():.4g} for the text "
                    f"{text!r}; normalise them, or return those of one label and name it alone"
                )


def _name(function: Any) -> str:
    """Of a method also the class of its object."""
    name = getattr(function, "__name__", type(function).__name__)
    owner = getattr(function, "__self__", None)
    return name if owner is None else f"{type(owner).__name__}.{name}"
