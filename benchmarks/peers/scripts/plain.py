"""Hugging Face models for the scripts of the peers: the folder that ours reads, called as its
documentation says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedTokenizerFast,
)

Text = dict[str, Any]


@dataclass
class Plain:
    """A model with its tokenizer; `first` is the position of the first token (2 in RoBERTa)."""

    hf: Any
    tokenizer: Any
    first: int
    mask: int
    pad: int


def load(job: dict[str, Any], **options: Any) -> Plain:
    """`options` go to transformers."""
    kind = AutoModelForCausalLM if job["decoder"] else AutoModelForSequenceClassification
    hf = kind.from_pretrained(job["folder"], **options).float().eval()
    for weights in hf.parameters():
        weights.requires_grad_(False)
    try:
        tokenizer = AutoTokenizer.from_pretrained(job["folder"])
    except ValueError:  # transformers 4 does not know the class that transformers 5 writes
        tokenizer = PreTrainedTokenizerFast.from_pretrained(job["folder"])
    return Plain(hf, tokenizer, job["first"], job["mask"], job["pad"])


def logits(plain: Plain, ids: torch.Tensor, attended: torch.Tensor, **more: Any) -> torch.Tensor:
    """Of classes, or of the next token. Ids, or as `inputs_embeds` embeddings."""
    where = {} if "inputs_embeds" in more else {"input_ids": ids}
    out = plain.hf(**where, attention_mask=attended, **more).logits
    return out[:, -1] if out.dim() == 3 else out


def batches(texts: list[Text], tokens: int = 1024) -> list[list[int]]:
    """Numbers of texts by length, so many tokens together at most, padding included."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]["ids"]))
    groups: list[list[int]] = [[]]
    for at in order:
        if (len(groups[-1]) + 1) * len(texts[at]["ids"]) > tokens:
            groups.append([])
        groups[-1].append(at)
    return [group for group in groups if group]


def padded(plain: Plain, texts: list[Text]) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and attention mask; a decoder's are padded at the left."""
    longest = max(len(text["ids"]) for text in texts)
    ids = torch.full((len(texts), longest), plain.pad)
    attended = torch.zeros((len(texts), longest), dtype=torch.long)
    for row, text in enumerate(texts):
        where = slice(0, len(text["ids"]))
        if plain.first < 0:
            where = slice(longest - len(text["ids"]), longest)
        ids[row, where] = torch.tensor(text["ids"])
        attended[row, where] = 1
    return ids, attended


def prepared(plain: Plain, texts: list[Text]) -> list[Text]:
    """The texts with token ids and the class of the highest logit, from strings: what libraries
    leave to their users that take these. ValueError where they are not those of the job.
    """
    rows = [{**text, "ids": plain.tokenizer(text["text"])["input_ids"]} for text in texts]
    with torch.no_grad():
        for group in batches(rows):
            ids, attended = padded(plain, [rows[at] for at in group])
            places = (attended.cumsum(dim=1) - 1).clamp(min=0) + max(plain.first, 0)
            highest = logits(plain, ids, attended, position_ids=places).argmax(-1)
            for at, target in zip(group, highest.tolist()):
                rows[at]["target"] = target
    for row, text in zip(rows, texts):
        if row["ids"] != text["ids"] or row["target"] != text["target"]:
            raise ValueError("other token ids or another class than ours")
    return rows


def answers(plain: Plain, text: Text) -> Any:
    """The explained logit for rows that say which units are present: the tokens of the others are
    replaced by the mask token, in batches of 64, without padding.
    """
    ids, content = torch.tensor(text["ids"]), torch.tensor(text["content"])
    unit = torch.tensor(text["unit"])

    def call(present: Any) -> Any:
        values = []
        with torch.no_grad():
            for part in (torch.as_tensor(present) > 0.5).split(64):
                batch = ids.repeat(len(part), 1)
                batch[:, content] = torch.where(part[:, unit], batch[:, content], plain.mask)
                values.append(logits(plain, batch, torch.ones_like(batch))[:, text["target"]])
        return torch.cat(values).double().numpy()

    return call


def probabilities(plain: Plain, texts: list[str]) -> Any:
    """Of strings, in padded batches of 64."""
    rows = []
    with torch.no_grad():
        for start in range(0, len(texts), 64):
            batch = plain.tokenizer(
                list(texts[start : start + 64]), return_tensors="pt", padding=True
            )
            rows.append(torch.softmax(plain.hf(**batch).logits.double(), -1))
    return torch.cat(rows).numpy()


def content(text: Text, row: Any) -> list[float]:
    """The scores of the content tokens, of a row for all tokens of the text."""
    values = [float(each) for each in row]
    if len(values) != len(text["ids"]):
        raise ValueError(f"{len(values)} scores for {len(text['ids'])} tokens")
    return [each for each, kept in zip(values, text["content"]) if kept]
