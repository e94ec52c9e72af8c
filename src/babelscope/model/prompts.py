"""Texts in a prompt: the rendered prompt is tokenized as a whole, as the model's users do it, and
the tokens of the slots' texts are the input's content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from babelscope.data.formats.in_memory import as_examples
from babelscope.data.skipping import skipped_row
from babelscope.errors import BadRow, InputError
from babelscope.model.encode import to_encoded
from babelscope.model.slots import filled, pieces, slots
from babelscope.model.tokenized import Tokenized, literal_specials
from babelscope.model.verbalizer import continuations
from babelscope.types import Encoded, Example, Prompt, Span, TokenlessWord

if TYPE_CHECKING:
    from babelscope.model.transformer import Model

BETWEEN = "\n\n"
"""Between the system prompt, the examples and the text, where there is no chat template."""
MARKS = ("\ue000\ue001", "\ue002\ue003")
"""Characters of private use that stand for the texts while a chat template is rendered."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as text, and the characters of each text in it."""

    text: str
    spans: dict[int, Span]
    stripped: dict[int, int]
    """How many spaces at the beginning of each text the chat template dropped."""


def render(model: Model, example: Example) -> Rendered:
    """The prompt with the example's texts; a text that a chat template changes is a bad row."""
    prompt = _prompt(model)
    parts = _chat_parts(model) if prompt.chat else [_before(prompt), *pieces(prompt)]
    texts = example.texts
    if not prompt.chat:
        return _joined(parts, texts, texts)
    expected = _chat(model, filled(prompt, texts))
    for inserted in (texts, tuple(text.strip() for text in texts)):
        rendered = _joined(parts, inserted, texts)
        if rendered.text == expected:
            return rendered
    detail = "the chat template changes the text; remove what it treats specially"
    raise BadRow(skipped_row(example, "template", detail))


def _prompt(model: Model) -> Prompt:
    return model.prompt or Prompt()


def _joined(parts: Sequence[str | int], inserted: Sequence[str], texts: Sequence[str]) -> Rendered:
    whole, spans, stripped = "", {}, {}
    for part in parts:
        if isinstance(part, int):
            start = len(whole)
            whole += inserted[part]
            spans[part] = start, len(whole)
            dropped = len(texts[part]) - len(texts[part].lstrip())
            stripped[part] = 0 if inserted[part] == texts[part] else dropped
        else:
            whole += part
    return Rendered(whole, spans, stripped)


def _before(prompt: Prompt) -> str:
    """System prompt and examples, of a prompt without a chat template."""
    shown = [filled(prompt, texts) + answer for texts, answer in _examples(prompt)]
    return "".join(part + BETWEEN for part in ([prompt.system] if prompt.system else []) + shown)


def _examples(prompt: Prompt) -> list[tuple[tuple[str, ...], str]]:
    """The texts of each example before the text, and its answer."""
    rows = as_examples(list(prompt.examples), "und") if prompt.examples else []
    answers = []
    for row in rows:
        if row.label is None or (prompt.labels and row.label not in prompt.labels):
            known = f", one of {', '.join(prompt.labels)}" if prompt.labels else ""
            raise InputError(f"example {row.id} of the prompt needs a label{known}")
        word = prompt.labels.get(row.label, row.label)
        answers.append(word if isinstance(word, str) else word[0])
    return [(row.texts, answer) for row, answer in zip(rows, answers)]


def _chat_parts(model: Model) -> list[str | int]:
    """The rendered chat around the texts."""
    whole = _chat(model, filled(_prompt(model), MARKS))
    parts: list[str | int] = []
    places = sorted((whole.index(mark), at) for at, mark in enumerate(MARKS) if mark in whole)
    end = 0
    for place, at in places:
        parts += [whole[end:place], at]
        end = place + len(MARKS[at])
    return [*parts, whole[end:]]


def _chat(model: Model, said: str) -> str:
    """The chat template with the examples as turns, and this as what the user says last."""
    prompt = _prompt(model)
    if model.tokenizer.chat_template is None:
        raise InputError(
            f"{model.name} has no chat template; leave chat out of the prompt, or load a model "
            "that was tuned for chat"
        )
    messages = [{"role": "system", "content": prompt.system}] if prompt.system else []
    for texts, answer in _examples(prompt):
        messages.append({"role": "user", "content": filled(prompt, texts)})
        messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": said})
    try:
        rendered: str = model.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
    except Exception as error:  # of Jinja, whose templates raise what they like
        raise InputError(
            f"the chat template of {model.name} refuses the prompt: {error}"
        ) from error
    return rendered


def tokenize(model: Model, text: str) -> Any:
    """The tokenizer's encoding of a rendered prompt: a chat template has special tokens of its own.
    What a decoder is to continue has no end token.
    """
    special = not _prompt(model).chat
    return model.tokenizer(text, add_special_tokens=special, verbose=False).encodings[0]


def encode_prompt(model: Model, example: Example, *, part: str = "all") -> Encoded:
    """The example in the prompt: the texts in the slots are content, all other tokens are fixed.

    A token with characters of a text and spaces of the template around it belongs to the text; one
    that it shares with other characters of the template is fixed.

    *Laws*: the ids are the tokenizer's own for the rendered prompt; without truncation, the content
    tokens cover the texts and nothing of the template but spaces.
    """
    if literal_specials(model.tokenizer, example.texts):
        detail = "the text spells the padding or mask token, which a prompt would read as such"
        raise BadRow(skipped_row(example, "special", detail))
    rendered = render(model, example)
    tokens, mixed = _tokenized(model, rendered)
    words = continuations(model.verbalizer)
    room = model.limit - max((len(ids) - 1 for ids in words), default=0)
    kept = _kept(tokens, room, example)
    row = to_encoded(example, [_only(tokens, kept)], part)
    lost = _lost(row, example, mixed)
    return replace(
        row,
        continuations=words,
        tokenless=(*row.tokenless, *lost),
        truncated_from=None if len(kept) == len(tokens.ids) else len(tokens.ids),
    )


_Shared = tuple[int, Span, str]
"""A token with characters of a text and of the template: the text, its characters, the token."""


def _tokenized(model: Model, rendered: Rendered) -> tuple[Tokenized, list[_Shared]]:
    """The prompt's tokens, and those that texts share with the template."""
    encoding = tokenize(model, rendered.text)
    count = len(encoding.ids)
    while not model.is_encoder_decoder and encoding.sequence_ids[count - 1] is None:
        count -= 1
    special = set(model.tokenizer.all_special_ids) - {model.tokenizer.unk_token_id}
    segments, offsets, mixed = [], [], []
    for at, (token, span) in enumerate(zip(encoding.ids[:count], encoding.offsets)):
        text, inside, shared = _owner(rendered, span)
        if token in special or shared:
            mixed += [(text, inside, encoding.tokens[at])] if shared else []
            text, inside = -1, (0, 0)
        segments.append(text)
        offsets.append(inside)
    tokens = Tokenized(
        tuple(encoding.ids[:count]),
        None,
        tuple(offsets),
        tuple(encoding.tokens[:count]),
        tuple(segments),
    )
    return tokens, mixed


def _owner(rendered: Rendered, span: Span) -> tuple[int, Span, bool]:
    """The text that these characters of the prompt are of (-1: none), the characters in that text,
    and whether the template has a part in them that is not space.
    """
    for text, (start, end) in rendered.spans.items():
        first, last = max(span[0], start), min(span[1], end)
        if first < last:
            outside = rendered.text[span[0] : first] + rendered.text[last : span[1]]
            shift = rendered.stripped[text] - start
            return text, (first + shift, last + shift), bool(outside.strip())
    return -1, (0, 0), False


def _kept(tokens: Tokenized, room: int, example: Example) -> list[int]:
    """The tokens that are read: of a prompt that is too long, the longest text loses its end."""
    segments = np.array(tokens.segment)
    excess = len(segments) - room
    if excess <= 0:
        return list(range(len(segments)))
    longest = max(range(len(example.texts)), key=lambda text: int((segments == text).sum()))
    places = np.flatnonzero(segments == longest)
    if excess >= len(places):
        detail = f"the prompt has {len(segments)} tokens and the model reads {room}"
        raise BadRow(skipped_row(example, "long", detail))
    dropped = set(places[len(places) - excess :].tolist())
    return [token for token in range(len(segments)) if token not in dropped]


def _only(tokens: Tokenized, kept: Sequence[int]) -> Tokenized:
    return Tokenized(
        tuple(tokens.ids[at] for at in kept),
        None,
        tuple(tokens.offsets[at] for at in kept),
        tuple(tokens.tokens[at] for at in kept),
        tuple(tokens.segment[at] for at in kept),
    )


def _lost(row: Encoded, example: Example, mixed: Sequence[_Shared]) -> tuple[TokenlessWord, ...]:
    """What of the texts has no token but one that it shares with the template."""
    present = set(zip(row.word_segment, row.word_offsets))
    return tuple(
        TokenlessWord(example.texts[text][start:end], text, start, end, token, "the prompt")
        for text, (start, end), token in mixed
        if not any(of == text and first <= start and end <= last for of, (first, last) in present)
    )


def word_tokens(model: Model, word: str) -> tuple[int, ...]:
    """The tokens of a label's word as it continues the prompt, exactly as it is written."""
    if model.is_encoder_decoder:
        ids = model.tokenizer(text_target=word, add_special_tokens=False)["input_ids"]
        return tuple(ids)
    sample = Example("label", ("N/A",) * len(slots(_prompt(model))))
    before = render(model, sample).text
    alone = _trimmed(model, before)
    whole = _trimmed(model, before + word)
    if whole[: len(alone)] != alone or len(whole) == len(alone):
        raise InputError(
            f"the word {word!r} of a label shares a token with the end of the prompt; end the "
            "template without a space, and begin the word with one, or the reverse"
        )
    return tuple(whole[len(alone) :])


def _trimmed(model: Model, text: str) -> list[int]:
    encoding = tokenize(model, text)
    return [token for token, of in zip(encoding.ids, encoding.sequence_ids) if of is not None]
