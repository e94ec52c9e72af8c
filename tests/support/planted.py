"""A classifier whose evidence is known: its logit is a sum of one weight per token, so the true
ranking is given.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from babelscope.model.load import Model, load

WEIGHTS = {
    "awful": -3.0,
    "bad": -1.5,
    "dull": -0.7,
    "the": 0.0,
    "film": 0.1,
    "fine": 0.6,
    "good": 1.4,
    "great": 2.9,
}
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class PlantedForSequenceClassification(PreTrainedModel):
    """logits = (0, sum over attended tokens of weight . embedding + bias): linear in the
    embeddings, blind to order.
    """

    config_class = PretrainedConfig

    def __init__(self, config: PretrainedConfig, bias: float = 0.3) -> None:
        super().__init__(config)
        size = len(SPECIALS) + len(WEIGHTS)
        self.words = torch.nn.Embedding(size, 3)
        self.bias = bias
        with torch.no_grad():
            self.words.weight.zero_()
            for row, weight in enumerate(WEIGHTS.values(), len(SPECIALS)):
                self.words.weight[row] = torch.tensor([weight, 2 * weight, -weight]) / 2

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
        total = (embedded.sum(dim=-1) * attention_mask).sum(dim=-1) + self.bias
        return SimpleNamespace(logits=torch.stack((torch.zeros_like(total), total), dim=-1))


@cache
def planted_model() -> Model:
    vocabulary = {name: at for at, name in enumerate((*SPECIALS, *WEIGHTS))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=64, **dict(zip(names, SPECIALS))
    )
    config = PretrainedConfig(
        id2label={0: "negative", 1: "positive"}, label2id={"negative": 0, "positive": 1}
    )
    config.pad_token_id = 0
    return load((PlantedForSequenceClassification(config).double().eval(), tokenizer))
