"""Answers of language models: generated, or given as text, as tokens that continue an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from transformers import GenerationConfig

from babelscope.data.skipping import skipped_row
from babelscope.errors import BadRow, InputError
from babelscope.model.continuations import sequences
from babelscope.model.forward import query
from babelscope.model.scopes import quiet
from babelscope.model.transformer import Model
from babelscope.types import Encoded


def with_answer(model: Model, row: Encoded, answer: str) -> Encoded:
    """The input with this answer, which is read exactly as it is written."""
    ids = model.tokenizer(text_target=answer, add_special_tokens=False)["input_ids"]
    return _continued(model, row, [int(token) for token in ids])


def with_generated(model: Model, row: Encoded, tokens: int) -> Encoded:
    """The input with the model's own answer: in each step the most probable token, until the end
    token, which is not part of it, or so many tokens.

    The answer is kept in token ids; it is never decoded and tokenized again. Inputs are generated
    from one at a time, so that padding, left or right, cannot change an answer.
    """
    start = len(row.ids) - row.decoder
    (whole,) = sequences([query(replace(row, continuations=()))])
    ids = torch.from_numpy(whole.ids)[None].to(model.device)
    sides = {"input_ids": ids[:, :start]} | (
        {"decoder_input_ids": ids[:, start:]} if row.decoder else {}
    )
    ends = _ends(model)
    config = GenerationConfig(
        max_new_tokens=tokens + 1, do_sample=False, num_beams=1, eos_token_id=ends or None,
        pad_token_id=ends[0] if ends else 0,
        decoder_start_token_id=model.decoder_start if row.decoder else None,
    )  # fmt: skip
    with quiet(), model.inference_mode(padding_id=-1), torch.no_grad():
        mask = torch.ones_like(sides["input_ids"])
        generated = model.hf.generate(**sides, attention_mask=mask, generation_config=config)
    # One more than asked for: some models force an end token at the last place
    answer = generated[0, row.decoder or start :].tolist()[:tokens]
    stop = next((at for at, token in enumerate(answer) if token in ends), len(answer))
    return _continued(model, row, answer[:stop])


def _ends(model: Model) -> list[int]:
    """The tokens that end an answer: those of the generation config, else the tokenizer's."""
    ends = getattr(model.hf.generation_config, "eos_token_id", None)
    ends = model.tokenizer.eos_token_id if ends is None else ends
    return [] if ends is None else [ends] if isinstance(ends, int) else list(ends)


def _continued(model: Model, row: Encoded, ids: Sequence[int]) -> Encoded:
    if model.verbalizer:
        raise InputError(
            f"{model.name} answers with labels; load it with a prompt without labels to explain "
            "answers"
        )
    if not ids:
        raise BadRow(skipped_row(row.example, "answer", "the answer is empty"))
    read = row.decoder or len(row.ids)
    if read + len(ids) - 1 > model.limit:
        detail = f"text and answer have {read + len(ids)} tokens and the model reads {model.limit}"
        raise BadRow(skipped_row(row.example, "long", detail))
    return replace(row, continuations=(tuple(ids),))
