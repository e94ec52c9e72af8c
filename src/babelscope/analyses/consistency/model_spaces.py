"""Spaces of words out of a model: its input embeddings, words encoded alone, words averaged over
texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float

from babelscope.analyses.consistency.spaces import Needed, Space, make_space
from babelscope.errors import InputError
from babelscope.model.encode import encode_readable
from babelscope.model.load import Model
from babelscope.types import Encoded, Example

Progress = Callable[[int, int], None]
WordVectors = dict[str, dict[str, np.ndarray]]


def embedding_space(model: Model, needed: Needed) -> Space:
    """A word as the mean of its tokens' rows in the model's input embeddings.

    Circular if the same model is explained: its own embeddings then decide which words are alike.
    """
    table = model.embeddings.weight.detach().double().cpu().numpy()
    unknown = {model.tokenizer.unk_token_id, *model.tokenizer.all_special_ids}
    vectors: WordVectors = {}
    for lang, words in needed.items():
        vectors[lang] = {}
        for word in words:
            tokens = model.tokenizer(word, add_special_tokens=False, verbose=False)
            ids = tokens["input_ids"]
            if ids and not unknown.intersection(ids):
                vectors[lang][word] = table[ids].mean(0)
    return make_space(f"input embeddings of {model.name}", vectors)


def isolated_space(model: Model, needed: Needed, *, progress: Progress | None = None) -> Space:
    """A word as the mean of its tokens' last hidden states when it is the whole text: free of
    context by construction."""
    total, done = sum(len(words) for words in needed.values()), 0
    vectors: WordVectors = {}
    for lang, words in needed.items():
        vectors[lang] = {}
        for word in words:
            example = Example(word, (word,), lang, words=(((0, len(word)),),))
            for row in encode_readable(model, [example], task=False)[0]:
                vectors[lang][word] = hidden_states(model, row, -1)[row.content].mean(0)
            done += 1
            if progress is not None:
                progress(done, total)
    return make_space(f"words alone in {model.name}", vectors)


def averaged_space(
    model: Model,
    texts: Mapping[str, Sequence[Example]],
    *,
    layer: int | None = None,
    progress: Progress | None = None,
) -> Space:
    """A word as the mean of its occurrences' vectors over texts of its language, to be aligned with
    a dictionary (`procrustes.align`).

    An occurrence is the mean of its tokens' hidden states at the layer (from 0, the input
    embeddings; default: the middle). Words are lower-cased. Each language has its own vectors, so a
    dictionary can turn one onto the other.
    """
    depth = int(model.hf.config.get_text_config().num_hidden_layers)
    chosen = depth // 2 if layer is None else layer
    if not 0 <= chosen <= depth:
        known = f"the layers 0 (its input embeddings) to {depth}"
        raise InputError(f"{model.name} has {known}; {chosen} was asked for")
    total, done = sum(len(rows) for rows in texts.values()), 0
    vectors: WordVectors = {}
    for lang, rows in texts.items():
        vectors[lang] = _averaged(model, rows, chosen)
        done += len(rows)
        if progress is not None:
            progress(done, total)
    return make_space(f"layer {chosen} of {model.name}, averaged", vectors)


def word_states(model: Model, row: Encoded, layer: int) -> Float[np.ndarray, "word dimension"]:
    """Each word's mean over its tokens' hidden states at that layer: what word alignments are found
    in."""
    tokens = hidden_states(model, row, layer)[row.content]
    owner = row.word[row.content]
    sums = np.zeros((len(row.words), tokens.shape[1]))
    np.add.at(sums, owner, tokens)
    return sums / np.bincount(owner, minlength=len(row.words))[:, None]


def hidden_states(model: Model, row: Encoded, layer: int) -> Float[np.ndarray, "token dimension"]:
    """The hidden states of one text, alone in its batch, so that there is no padding and no
    neighbour."""
    ids = torch.from_numpy(row.ids)[None].to(model.device)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if row.types is not None and "token_type_ids" in model.accepts:
        inputs["token_type_ids"] = torch.from_numpy(row.types)[None].to(model.device)
    with model.inference_mode(), torch.no_grad():
        output = model.hf.base_model(**inputs, output_hidden_states=True)
    return np.asarray(output.hidden_states[layer][0].double().cpu().numpy())


def untrained_model(model: Model, seed: int = 0) -> Model:
    """A model of the same shape and tokenizer with random weights: what an explanation owes to
    training is beyond it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        fresh = type(model.hf)(model.hf.config).to(dtype=next(model.hf.parameters()).dtype)
    fresh.eval().to(model.device)
    return Model(fresh, model.tokenizer, f"{model.name} with random weights", model.task)


def _averaged(model: Model, texts: Sequence[Example], layer: int) -> dict[str, np.ndarray]:
    sums: dict[str, np.ndarray] = {}
    counts: dict[str, int] = {}
    for row in encode_readable(model, texts, task=False)[0]:
        for word, vector in zip(row.words, word_states(model, row, layer)):
            name = word.lower()
            sums[name] = sums.get(name, 0.0) + vector
            counts[name] = counts.get(name, 0) + 1
    return {word: sums[word] / counts[word] for word in sums}
