"""A model whose attention is known: every word names its syntactic head, and each attention head
has a role.

The word `h3` hangs on the third word of the sentence, `h0` is the root, `h3ss` is the same in three
pieces. So a head can look at the syntactic head of a word, and the sentences are drawn with their
trees.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from babelscope.model.load import Model, load
from babelscope.random import keyed
from babelscope.types import Example

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = tuple(f"h{head}" for head in range(41))
NAMES = ("nsubj", "nsubj:pass", "obj", "dobj", "amod", "advmod", "advmod:emph", "det", "punct")


def starts(ids: list[int]) -> list[int]:
    """The first token of every word."""
    return [at for at, each in enumerate(ids) if len(SPECIALS) <= each < len(SPECIALS) + len(WORDS)]


def to_head(ids: list[int]) -> dict[int, int]:
    """From a word's first token to that of its syntactic head."""
    first = starts(ids)
    heads = [ids[at] - len(SPECIALS) for at in first]
    return {at: first[head - 1] for at, head in zip(first, heads) if 0 < head <= len(first)}


Role = Callable[[list[int], np.ndarray], None]
"""Fills the weights [query, key] of one sentence."""


def previous(ids: list[int], weights: np.ndarray) -> None:
    for at in range(len(ids)):
        weights[at, max(at - 1, 0)] = 1


def itself(ids: list[int], weights: np.ndarray) -> None:
    weights[np.arange(len(ids)), np.arange(len(ids))] = 1


def first(ids: list[int], weights: np.ndarray) -> None:
    weights[:, 0] = 1


def uniform(ids: list[int], weights: np.ndarray) -> None:
    weights[:] = 1


def syntactic(ids: list[int], weights: np.ndarray) -> None:
    weights[:, 0] = 0.1
    for at, goal in to_head(ids).items():
        weights[at, goal] = 1


def dependent(ids: list[int], weights: np.ndarray) -> None:
    """The last dependent."""
    weights[:, 0] = 0.1
    for at, goal in to_head(ids).items():
        weights[goal] = 1e-12
        weights[goal, at] = 1


def random(number: int) -> Role:
    def fill(ids: list[int], weights: np.ndarray) -> None:
        weights[:] = keyed(number, "weights", *ids).exponential(size=weights.shape) ** 3

    return fill


class PlantedAttentionForSequenceClassification(PreTrainedModel):
    """Attention by role; a causal one cuts off what lies ahead. The logits are of no interest."""

    config_class = PretrainedConfig

    def __init__(self, config: PretrainedConfig, roles: list[list[Role]], causal: bool) -> None:
        super().__init__(config)
        self.words = torch.nn.Embedding(len(SPECIALS) + len(WORDS) + 1, 2)
        self.roles, self.causal = roles, causal

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.words

    def set_attn_implementation(self, name: str) -> None:
        """There is only one."""

    def forward(
        self, input_ids: Any, attention_mask: Any = None, output_attentions: bool = False
    ) -> Any:
        attention_mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        made = torch.zeros(
            len(self.roles),
            len(input_ids),
            len(self.roles[0]),
            *[input_ids.shape[1]] * 2,
            dtype=torch.float64,
        )
        for row, (ids, attended) in enumerate(zip(input_ids, attention_mask)):
            real = ids[attended.bool()].tolist()
            for layer, heads in enumerate(self.roles):
                for head, role in enumerate(heads):
                    made[layer, row, head, : len(real), : len(real)] = torch.from_numpy(
                        self.weights(real, role)
                    )
        return SimpleNamespace(
            logits=torch.zeros(len(input_ids), 2, dtype=torch.float64), attentions=tuple(made)
        )

    def weights(self, ids: list[int], role: Role) -> np.ndarray:
        found = np.full((len(ids), len(ids)), 1e-12)
        role(ids, found)
        if self.causal:
            found = np.tril(found)
        return found / found.sum(axis=1, keepdims=True)


def planted_heads(roles: list[list[Role]], *, causal: bool = False, limit: int = 128) -> Model:
    vocabulary = {name: at for at, name in enumerate((*SPECIALS, *WORDS, "##s"))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=limit, **dict(zip(names, SPECIALS))
    )
    config = PretrainedConfig(id2label={0: "a", 1: "b"}, label2id={"a": 0, "b": 1})
    config.pad_token_id, config.num_hidden_layers, config.num_attention_heads = (
        0,
        len(roles),
        len(roles[0]),
    )
    return load(
        (
            PlantedAttentionForSequenceClassification(config, roles, causal).double().eval(),
            tokenizer,
        )
    )


def drawn(count: int, *, pieces: int = 1, seed: int = 0) -> list[Example]:
    """Sentences with trees: every word hangs on a word drawn before it, then the words are
    shuffled.
    """
    found = []
    for number in range(count):
        draw = keyed(seed, "tree", number)
        n = int(draw.integers(5, 13))
        place = draw.permutation(n)
        heads = [0] * n
        for at in range(1, n):
            heads[place[at]] = int(place[draw.integers(at)]) + 1
        names = [str(draw.choice(NAMES)) if head else "root" for head in heads]
        forms = [f"h{head}{'s' * int(draw.integers(pieces))}" for head in heads]
        ends = np.cumsum([len(form) + 1 for form in forms]).tolist()
        words = tuple((end - 1 - len(form), end - 1) for end, form in zip(ends, forms))
        text = " ".join(forms)
        found.append(
            Example(
                f"t{number}",
                (text,),
                "en",
                words=(words,),
                heads=(tuple(heads),),
                relations=(tuple(names),),
            )
        )
    return found
