"""Text-to-text generation: the next token of an encoder-decoder's answer, or a label of a
verbalizer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from babelscope.model.continuations import sequences
from babelscope.model.encode import encode_texts
from babelscope.model.forward import query
from babelscope.model.tasks import classification, generation
from babelscope.model.tasks.functions import Arguments
from babelscope.model.tokenized import Tokenized, decoder_start, tokenize_alone
from babelscope.model.verbalizer import continuations
from babelscope.types import Encoded, Example

if TYPE_CHECKING:
    from babelscope.model.load import Model


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    """The encoder reads the first text, or the prompt; the decoder its start token and, without a
    prompt, the second text, the beginning of the answer.
    """
    after = answer_start(model)
    if model.prompt is not None:
        return [_after(row, after) for row in generation.prompted(model, example, part, long)]
    if after is not None and len(example.texts) > 1:
        after = after.followed_by(tokenize_alone(model, example.texts[1], segment=1))
    rows = encode_texts(model, example, part=part, long=long, count=1, after=after)
    return [replace(row, continuations=continuations(model.verbalizer)) for row in rows]


def answer_start(model: Model) -> Tokenized | None:
    """The tokens that every answer begins with: the decoder's start, and the language code or other
    token that the generation config forces (NLLB, M2M100, mBART).
    """
    start = decoder_start(model)
    forced = getattr(model.hf.generation_config, "forced_bos_token_id", None)
    if start is None or forced is None:
        return start
    token = model.tokenizer.convert_ids_to_tokens(forced)
    return start.followed_by(Tokenized((forced,), None, ((0, 0),), (token,), (-1,)))


def _after(row: Encoded, after: Tokenized | None) -> Encoded:
    """The input with what the decoder reads."""
    if after is None:
        return row
    added = len(after.ids)
    nothing = np.full(added, -1, dtype=np.int64)
    return replace(
        row,
        ids=np.concatenate((row.ids, np.array(after.ids, dtype=np.int64))),
        content=np.concatenate((row.content, np.zeros(added, dtype=bool))),
        word=np.concatenate((row.word, nothing)),
        segment=np.concatenate((row.segment, nothing)),
        offsets=np.concatenate((row.offsets, np.zeros((added, 2), dtype=np.int64))),
        tokens=row.tokens + after.tokens,
        decoder=added,
    )


def plain_call(model: Model, encoded: Encoded) -> Arguments:
    """The encoder's input once for each sequence of the decoder, padded on the right."""
    start = len(encoded.ids) - encoded.decoder
    rows = [torch.from_numpy(each.ids[start:]) for each in sequences([query(encoded)])]
    decoded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(model.device)
    source = classification.plain_call(model, encoded)
    repeated = {name: table.expand(len(rows), -1) for name, table in source.items()}
    return repeated | {"decoder_input_ids": decoded}


FUNCTIONS = replace(
    generation.FUNCTIONS,
    inputs=inputs,
    plain_call=plain_call,
    kept=lambda model, batch: None,
)
