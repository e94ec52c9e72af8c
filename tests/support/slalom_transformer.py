"""A transformer with one head that is a SLALOM by construction (proposition 5.1), so that its
explanation is known.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from babelscope.model.load import Model, load

IMPORTANCE = {
    "awful": 2.0,
    "bad": 0.5,
    "dull": -0.3,
    "the": -1.5,
    "film": -1.0,
    "fine": 0.1,
    "good": 0.7,
    "great": 1.8,
}
VALUE = {
    "awful": -4.0,
    "bad": -1.5,
    "dull": -0.7,
    "the": 0.2,
    "film": 0.4,
    "fine": 0.9,
    "good": 1.4,
    "great": 3.1,
}
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
AROUND = (-0.4, 0.6)
"""Importance and value of each special token in the model that reads them."""


class SlalomForSequenceClassification(PreTrainedModel):
    """Embedding (s, v, 0), a constant query, key s, value v, the mixed value as the second logit;
    no positions, no norm.
    """

    config_class = PretrainedConfig

    def __init__(self, config: PretrainedConfig, blind: bool, labels: int) -> None:
        super().__init__(config)
        self.words = torch.nn.Embedding(len(SPECIALS) + len(VALUE), 3)
        self.key, self.value = torch.nn.Linear(3, 1, bias=False), torch.nn.Linear(3, 1, bias=False)
        self.labels = labels
        with torch.no_grad():
            self.words.weight.zero_()
            self.words.weight[: len(SPECIALS), 0], self.words.weight[: len(SPECIALS), 1] = (
                (-200.0, 0.0) if blind else AROUND
            )
            for row, name in enumerate(VALUE, len(SPECIALS)):
                self.words.weight[row, :2] = torch.tensor([IMPORTANCE[name], VALUE[name]])
            self.key.weight.copy_(torch.tensor([[1.0, 0.0, 0.0]]))
            self.value.weight.copy_(torch.tensor([[0.0, 1.0, 0.0]]))

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.words

    def forward(
        self,
        input_ids: Any = None,
        attention_mask: Any = None,
        inputs_embeds: Any = None,
        position_ids: Any = None,
    ) -> Any:
        embedded = self.words(input_ids) if inputs_embeds is None else inputs_embeds
        scores = self.key(embedded)[..., 0].masked_fill(attention_mask == 0, -torch.inf)
        mixed = (torch.softmax(scores, dim=-1)[..., None] * self.value(embedded)).sum(dim=1)
        return SimpleNamespace(
            logits=mixed
            if self.labels == 1
            else torch.cat([torch.zeros_like(mixed), mixed], dim=-1)
        )


@cache
def slalom_transformer(*, blind: bool = True, labels: int = 2) -> Model:
    """With `blind` the special tokens have no weight; else each has the importance and value
    AROUND.
    """
    vocabulary = {name: at for at, name in enumerate((*SPECIALS, *VALUE))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=64, **dict(zip(names, SPECIALS))
    )
    known = ("negative", "positive")[-labels:]
    config = PretrainedConfig(
        id2label=dict(enumerate(known)), label2id={name: at for at, name in enumerate(known)}
    )
    config.pad_token_id = 0
    return load((SlalomForSequenceClassification(config, blind, labels).double().eval(), tokenizer))
