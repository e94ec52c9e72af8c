"""Pretraining of small encoders on parallel text, so that what one language teaches transfers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize
from transformers import AutoModelForMaskedLM

from babelscope.data.segmentation import words_of_tokens
from babelscope.errors import InputError
from babelscope.files import dumps, write_text, writing_folder
from babelscope.model.inference_state import Progress
from babelscope.model.scopes import enough_threads, quiet
from babelscope.training import small
from babelscope.types import Example


@dataclass(frozen=True, slots=True)
class Pretraining:
    """The settings of a pretraining run."""

    architecture: str = "xlm-roberta"
    tokenizer: str = ""
    """One of small.TOKENIZERS; empty: the architecture's default."""
    vocabulary: int = 8000
    layers: int = 2
    width: int = 128
    steps: int = 5000
    batch: int = 48
    """Sequences per step."""
    learning_rate: float = 1e-3
    together: float = 0.35
    """Share of steps with translations side by side (TLM); the others align them contrastively."""
    pull: float = 1.0
    """Weight of the alignment loss."""
    start: bool = True
    """Whether embeddings are initialised from co-occurrence in translations (`start_vectors`)."""
    seed: int = 0


class Row(NamedTuple):
    """One example as token ids; `words` has for each token the number of its word, or -1."""

    ids: list[int]
    words: list[int]
    concepts: tuple[tuple[str, ...], ...]
    """Of the words in order, over both texts."""


ENCODERS = ("bert", "xlm-roberta")
TEMPERATURE = 0.1
LIMITS = (0.15, 0.4)
"""Every sequence has its own share of masked tokens, sampled uniformly between these."""


def pretrain(
    examples: Sequence[Example],
    output: str | Path,
    recipe: Pretraining,
    *,
    progress: Progress | None = None,
) -> Path:
    """An encoder with its tokenizer, pretrained on texts that are translations if they share a
    `group`.

    Three losses on random batches:

    * masked language modelling: each sequence has a share of its tokens, sampled between LIMITS,
      replaced (8 in 10 by the mask, 1 by a random token, 1 kept) and predicted;
    * translation language modelling: the same on a text beside its translation (`together`);
    * contrastive alignment, weighted by `pull`: of two translations that are encoded separately, a
      word's state and its translation's are nearer (cosine) than those of the other words of the
      batch, and so are the two first tokens; cross entropy at TEMPERATURE in both directions. Words
      are aligned where their `concepts` are known; else only the first tokens are.

    With one language only the first remains.

    *Laws*: the same examples, recipe and number of threads give the same weights; no label is used.
    Sources: BERT (Devlin et al. 2019); TLM (Conneau &
    Lample 2019, 3.3); alignment of contextual states (Cao et al. 2020; in-batch contrast as in
    InfoNCE, van den Oord et al. 2018). Choices of ours: masked shares vary, because a small model
    must learn both to use the context and to find the translation.
    """
    final = Path(output)
    if (final / "config.json").exists():
        return final
    if recipe.architecture not in ENCODERS:
        raise InputError(
            f"pretraining is for {' and '.join(ENCODERS)}, not {recipe.architecture!r}"
        )
    rows, tokenizer = _rows(examples, recipe)
    torch.manual_seed(recipe.seed)
    classifier = small.make_model(
        recipe.architecture, tokenizer, ["0", "1"], layers=recipe.layers, width=recipe.width
    )
    model = AutoModelForMaskedLM.from_config(classifier.config)
    if recipe.start:
        with torch.no_grad():
            model.get_input_embeddings().weight.copy_(
                start_vectors(rows, len(tokenizer), recipe.width)
            )
    with quiet(), enough_threads(model):
        _train(model, tokenizer, rows, recipe, progress)
        model.config.id2label = model.config.label2id = None
        with writing_folder(final) as part:
            model.save_pretrained(part)
            tokenizer.save_pretrained(part)
            write_text(part / "pretraining.json", dumps(asdict(recipe)))
    return final


def _rows(examples: Sequence[Example], recipe: Pretraining) -> tuple[list[dict[str, Row]], Any]:
    """Translations by group and language."""
    if not examples:
        raise InputError("pretraining needs texts; none were given")
    texts = [text for row in examples for text in row.texts]
    tokenizer = small.make_tokenizer(
        recipe.architecture, texts, recipe.vocabulary, kind=recipe.tokenizer
    )
    groups: dict[str, dict[str, Row]] = {}
    for example in examples:
        groups.setdefault(example.group, {})[example.lang] = _row(example, tokenizer)
    return list(groups.values()), tokenizer


def _row(example: Example, tokenizer: Any) -> Row:
    encoding = tokenizer(*example.texts, return_offsets_mapping=True, truncation=True)
    words, before = [-1] * len(encoding["input_ids"]), 0
    segments = encoding.sequence_ids(0)
    concepts: list[tuple[str, ...]] = []
    for number, spans in enumerate(example.words or ()):
        places = [at for at, segment in enumerate(segments) if segment == number]
        offsets = [encoding["offset_mapping"][at] for at in places]
        for at, word in zip(places, words_of_tokens(offsets, spans, example.texts[number])):
            words[at] = before + word if word >= 0 else -1
        before += len(spans)
        if example.concepts:
            concepts += [
                tuple(f"{number}.{each}" for each in word) for word in example.concepts[number]
            ]
    return Row(list(encoding["input_ids"]), words, tuple(concepts))


def _train(
    model: Any,
    tokenizer: Any,
    rows: Sequence[dict[str, Row]],
    recipe: Pretraining,
    progress: Progress | None,
) -> None:
    rng = random.Random(recipe.seed)
    decayed = [weight for weight in model.parameters() if weight.ndim > 1]
    plain = [weight for weight in model.parameters() if weight.ndim < 2]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=(0.9, 0.98))
    warm = max(1, recipe.steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / warm) * max(0.02, 1 - step / recipe.steps)
    )
    model.train()
    for step, batch in enumerate(_batches(rows, recipe, tokenizer, rng)):
        loss = _loss(model, tokenizer, batch, recipe)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if progress is not None:
            progress(step + 1, recipe.steps)
    model.eval()


def start_vectors(
    rows: Sequence[dict[str, Row]], size: int, width: int
) -> Float[Tensor, "{size} {width}"]:
    """Token vectors in which translations are neighbours, from the co-occurrence of tokens in
    groups.

    X[t, g] = max(0, log(n(t, g) N / (n(t) n(g)))), with n(t, g) = 1 if a translation of group g
    holds token t; the vector of t is row t of U S^(1/2) in X = U S V', scaled to the usual norm at
    initialisation (0.02 sqrt(width)); zeros if in no group. Law: tokens that occur in exactly the
    same groups have the same vector.
    Source: Levy, Soegaard & Goldberg 2017 (sentence identifiers as features), with PPMI and SVD as
    in Levy & Goldberg 2014.
    """
    pairs = {
        (token, at)
        for at, row in enumerate(rows)
        for translation in row.values()
        for token in translation.ids
    }
    tokens, groups = np.array(sorted(pairs)).T
    counts = csr_matrix((np.ones(len(tokens)), (tokens, groups)), shape=(size, len(rows)))
    by_token, by_group = np.asarray(counts.sum(1)).ravel(), np.asarray(counts.sum(0)).ravel()
    information = np.log(len(tokens) / (by_token[tokens] * by_group[groups]))
    ppmi = csr_matrix((np.maximum(information, 0.0), (tokens, groups)), shape=(size, len(rows)))
    rank = min(width, *(side - 1 for side in ppmi.shape))
    left, values, _ = svds(ppmi, k=rank, v0=np.ones(min(ppmi.shape)), solver="arpack")
    vectors: Tensor = torch.zeros(size, width)
    vectors[:, :rank] = torch.from_numpy(np.ascontiguousarray(left * np.sqrt(values))).float()
    scaled: Tensor = 0.02 * width**0.5 * normalize(vectors, dim=-1)
    return scaled


class Batch(NamedTuple):
    """Sequences; for translations in separate sequences the aligned pairs of rows and of tokens."""

    ids: list[list[int]]
    pairs: list[tuple[int, int]]
    tokens: list[tuple[int, int, int, int]]
    """Row and position, row and position."""
    meanings: list[str]
    """The concept of each of these pairs: others of the same concept are not used as negatives."""


def _batches(
    rows: Sequence[dict[str, Row]], recipe: Pretraining, tokenizer: Any, rng: random.Random
) -> Iterator[Batch]:
    """Batches of sequences of similar length: many are sampled at a time and sorted."""
    ahead, done = 16, 0
    while done < recipe.steps:
        single = all(len(row) == 1 for row in rows)
        kinds = [
            "alone" if single else "together" if rng.random() < recipe.together else "apart"
            for _ in range(ahead)
        ]
        for kind in dict.fromkeys(kinds):
            count = kinds.count(kind)
            size = recipe.batch if kind == "alone" else recipe.batch // 2
            sampled = [_sample(rows, kind, rng) for _ in range(count * size)]
            sampled.sort(key=lambda pair: sum(len(row.ids) for row in pair))
            size = len(sampled) // count
            batches = [sampled[start : start + size] for start in range(0, len(sampled), size)]
            rng.shuffle(batches)
            for batch in batches[: recipe.steps - done]:
                yield _batch(batch, kind, tokenizer)
                done += 1


def _sample(rows: Sequence[dict[str, Row]], kind: str, rng: random.Random) -> tuple[Row, ...]:
    row = rows[int(rng.random() * len(rows))]
    if kind == "alone":
        return (row[rng.choice(list(row))],)
    while len(row) < 2:
        row = rows[int(rng.random() * len(rows))]
    first, second = rng.sample(list(row), 2)
    return row[first], row[second]


def _batch(sampled: Sequence[tuple[Row, ...]], kind: str, tokenizer: Any) -> Batch:
    if kind == "alone":
        return Batch([row.ids for (row,) in sampled], [], [], [])
    if kind == "together":
        limit = tokenizer.model_max_length
        return Batch(
            [(first.ids + second.ids[1:])[:limit] for first, second in sampled], [], [], []
        )
    ids = [row.ids for pair in sampled for row in pair]
    tokens, meanings = [], []
    for at, (first, second) in enumerate(sampled):
        firsts, seconds = _first_tokens(first), _first_tokens(second)
        shared = [name for name in firsts if name in seconds]
        tokens += [(2 * at, firsts[name], 2 * at + 1, seconds[name]) for name in shared]
        meanings += [name.rpartition(".")[2] for name in shared]
    return Batch(ids, [(2 * at, 2 * at + 1) for at in range(len(sampled))], tokens, meanings)


def _first_tokens(row: Row) -> dict[str, int]:
    """The first token of the first word that expresses each concept."""
    places: dict[str, int] = {}
    for at, word in enumerate(row.words):
        if word >= 0 and row.concepts:
            for concept in row.concepts[word]:
                places.setdefault(concept, at)
    return places


def _loss(model: Any, tokenizer: Any, batch: Batch, recipe: Pretraining) -> Float[Tensor, ""]:
    length = max(map(len, batch.ids))
    ids = torch.full((len(batch.ids), length), tokenizer.pad_token_id)
    for number, row in enumerate(batch.ids):
        ids[number, : len(row)] = torch.tensor(row)
    attended = (ids != tokenizer.pad_token_id).long()
    hidden, chosen = _masked(ids, attended, tokenizer)
    states = model.base_model(input_ids=hidden, attention_mask=attended).last_hidden_state
    head = model.cls if hasattr(model, "cls") else model.lm_head
    loss = cross_entropy(head(states[chosen]), ids[chosen])
    if batch.pairs and recipe.pull:
        losses = [
            _contrast(
                states[[a for a, _ in batch.pairs], 0], states[[b for _, b in batch.pairs], 0]
            )
        ]
        if batch.tokens:
            first, at, second, to = (torch.tensor(column) for column in zip(*batch.tokens))
            numbers = {name: number for number, name in enumerate(dict.fromkeys(batch.meanings))}
            same = torch.tensor([numbers[name] for name in batch.meanings])
            losses.append(
                _contrast(states[first, at], states[second, to], same[:, None] == same[None, :])
            )
        loss = loss + recipe.pull * torch.stack(losses).mean()
    return loss


def _masked(
    ids: Int[Tensor, "row token"], attended: Int[Tensor, "row token"], tokenizer: Any
) -> tuple[Int[Tensor, "row token"], Tensor]:
    """The ids with some masked, and where these are."""
    special = torch.isin(ids, torch.tensor(tokenizer.all_special_ids)) | (attended == 0)
    low, high = LIMITS
    share = low + (high - low) * torch.rand(len(ids), 1)
    chosen = (torch.rand(ids.shape) < share) & ~special
    chosen[0, int((~special[0]).nonzero()[0])] = True  # never nothing
    chance = torch.rand(ids.shape)
    hidden = torch.where(chosen & (chance < 0.8), tokenizer.mask_token_id, ids)
    return torch.where(
        chosen & (chance >= 0.9), torch.randint(0, len(tokenizer), ids.shape), hidden
    ), chosen


def _contrast(
    first: Float[Tensor, "pair width"],
    second: Float[Tensor, "pair width"],
    same: Bool[Tensor, "pair pair"] | None = None,
) -> Float[Tensor, ""]:
    """Cross entropy of each state's partner among all states of other concepts, in both
    directions."""
    alike = normalize(first, dim=-1) @ normalize(second, dim=-1).T / TEMPERATURE
    if same is not None:
        alike = alike.masked_fill(same & ~torch.eye(len(alike), dtype=torch.bool), -torch.inf)
    right = torch.arange(len(alike))
    return (cross_entropy(alike, right) + cross_entropy(alike.T, right)) / 2
