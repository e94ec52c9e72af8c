"""Text-to-text generation: the next token of an encoder-decoder's answer, or a label of a
verbalizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch import Tensor

from babelscope.model.encode import encode_texts
from babelscope.model.tasks import classification, generation
from babelscope.model.tasks.functions import Arguments, to_device
from babelscope.model.tokenized import decoder_start, tokenize_alone
from babelscope.types import Encoded, Example

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    """The encoder reads the first text; the decoder its start token and the second text, the
    beginning of the answer.
    """
    after = decoder_start(model)
    if after is not None and len(example.texts) > 1:
        after = after.followed_by(tokenize_alone(model, example.texts[1], segment=1))
    return encode_texts(model, example, part=part, long=long, count=1, after=after)


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    """The logits of the answer's next token, or of the labels."""
    ends = [each.decoder - 1 for each in batch]
    return [generation.verbalized(model, output.logits[row, end]) for row, end in enumerate(ends)]


def plain_call(model: Model, encoded: Encoded) -> Arguments:
    after = {"decoder_input_ids": encoded.ids[len(encoded.ids) - encoded.decoder :]}
    return classification.plain_call(model, encoded) | to_device(model, after)


FUNCTIONS = replace(
    generation.FUNCTIONS,
    inputs=inputs,
    outputs=outputs,
    plain_call=plain_call,
    kept=lambda model, batch: None,
)
