"""Spaces of words out of a model: its input table, words encoded alone, and words averaged over texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float

from babelscope.analyses.consistency.spaces import Needed, Space, make_space
from babelscope.errors import InputError
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Encoded, Example

Progress = Callable[[int, int], None]


def embedded(model: Model, needed: Needed) -> Space:
    """A word as the mean of its tokens' rows in the model's input table.

    Circular if the same model is explained: its own table then decides which words are alike.
    """
    table = model.embeddings.weight.detach().double().cpu().numpy()
    unknown = {model.tokenizer.unk_token_id, *model.tokenizer.all_special_ids}
    found: dict[str, dict[str, np.ndarray]] = {}
    for lang, words in needed.items():
        found[lang] = {}
        for word in words:
            ids = model.tokenizer(word, add_special_tokens=False, verbose=False)["input_ids"]
            if ids and not unknown.intersection(ids):
                found[lang][word] = table[ids].mean(0)
    return make_space(f"input embeddings of {model.name}", found)


def isolated(model: Model, needed: Needed, *, progress: Progress | None = None) -> Space:
    """A word as the mean of its tokens' last hidden states when it is the whole text: free of context by construction."""
    total, done = sum(len(words) for words in needed.values()), 0
    found: dict[str, dict[str, np.ndarray]] = {}
    for lang, words in needed.items():
        found[lang] = {}
        for word in words:
            row = encode(model, [Example(word, (word,), lang, words=(((0, len(word)),),))], task=False)[0]
            found[lang][word] = states(model, row, -1)[row.content].mean(0)
            done += 1
            if progress is not None:
                progress(done, total)
    return make_space(f"words alone in {model.name}", found)


def averaged(
    model: Model, texts: Mapping[str, Sequence[Example]], *, layer: int | None = None, progress: Progress | None = None
) -> Space:
    """A word as the mean of its occurrences' vectors over texts of its language, to be aligned with a dictionary (`align`).

    An occurrence is the mean of its tokens' hidden states at the layer (from 0, the input table; default: the middle).
    Words are lower-cased. Each language has its own vectors, so a dictionary can turn one onto the other.
    """
    depth = int(model.hf.config.get_text_config().num_hidden_layers)
    chosen = depth // 2 if layer is None else layer
    if not 0 <= chosen <= depth:
        raise InputError(f"{model.name} has the layers 0 (its input table) to {depth}; {chosen} was asked for")
    total, done = sum(len(rows) for rows in texts.values()), 0
    found: dict[str, dict[str, np.ndarray]] = {}
    for lang, rows in texts.items():
        sums: dict[str, np.ndarray] = {}
        counts: dict[str, int] = {}
        for row in encode(model, rows, task=False):
            for word, vector in zip(row.words, word_states(model, row, chosen)):
                name = word.lower()
                sums[name] = sums.get(name, 0.0) + vector
                counts[name] = counts.get(name, 0) + 1
            done += 1
            if progress is not None:
                progress(done, total)
        found[lang] = {word: sums[word] / counts[word] for word in sums}
    return make_space(f"layer {chosen} of {model.name}, averaged", found)


def word_states(model: Model, row: Encoded, layer: int) -> Float[np.ndarray, "word dimension"]:
    """Each word's mean over its tokens' hidden states at that layer: what word alignments are found in."""
    tokens = states(model, row, layer)[row.content]
    owner = row.word[row.content]
    sums = np.zeros((len(row.words), tokens.shape[1]))
    np.add.at(sums, owner, tokens)
    return sums / np.bincount(owner, minlength=len(row.words))[:, None]


def states(model: Model, row: Encoded, layer: int) -> Float[np.ndarray, "token dimension"]:
    """The hidden states of one text, alone in its batch, so that there is no padding and no neighbour."""
    ids = torch.from_numpy(row.ids)[None].to(model.device)
    given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if row.types is not None and "token_type_ids" in model.accepts:
        given["token_type_ids"] = torch.from_numpy(row.types)[None].to(model.device)
    with model.inference_mode(), torch.no_grad():
        output = model.hf.base_model(**given, output_hidden_states=True)
    return np.asarray(output.hidden_states[layer][0].double().cpu().numpy())


def untrained(model: Model, seed: int = 0) -> Model:
    """A model of the same shape and tokenizer with random weights: what an explanation owes to training is beyond it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        fresh = type(model.hf)(model.hf.config).to(dtype=next(model.hf.parameters()).dtype)
    fresh.eval().to(model.device)
    return Model(fresh, model.tokenizer, f"{model.name} with random weights", model.task)
