"""The checkpoints that the study files name, with the hub's classes, tokenizers and configs, but
few pieces, two layers and random weights.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import pre_tokenizers
from transformers import BertTokenizer, GPT2Tokenizer, RobertaTokenizer, XLMRobertaTokenizer

from mirror_texts import characters

BERT = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103}
TRAINED = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4}
BETO = {"[MASK]": 0, "[PAD]": 1, "[EOS]": 2, "[UNK]": 3, "[CLS]": 4, "[SEP]": 5}
BLOOM = {"<unk>": 0, "<s>": 1, "</s>": 2, "<pad>": 3}
ROBERTA = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
CASED = {"do_lower_case": False, "model_max_length": 512}
UNCASED = {"do_lower_case": True, "model_max_length": 512}
LIMIT = {"model_max_length": 512}
SIZES = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64,
}  # fmt: skip
DECODERS = ("bloom", "mamba", "llama", "qwen3")
BYTE_LEVEL = ("Roberta", "GPT2", "Bloom", "Mamba", "Llama", "Qwen3")
"""Beginnings of the classes whose tokenizers are byte-level BPE."""
RENAMED = {
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 1024},
    "xlm": {
        "emb_dim": 32,
        "n_layers": 2,
        "n_heads": 2,
        "n_langs": 1,
        "max_position_embeddings": 512,
    },
    "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 2},
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "num_heads": 2},
}
"""Names that these configurations use for the same sizes."""
SPREAD = 0.2
"""Of the random weights: ten times the usual one, so that narrow models answer differently to
different texts and metrics of their explanations are defined."""
SPECIAL_XLM = tuple(f"<special{at}>" for at in range(10))


MERGES = [("t", "h"), ("Ġ", "th")]


@dataclass(frozen=True)
class Checkpoint:
    """A repository: its model class, the pieces with fixed ids, and what its files say."""

    name: str
    model: str
    pieces: Mapping[str, int] = field(default_factory=lambda: BERT)
    tokenizer: Mapping[str, Any] = field(default_factory=lambda: LIMIT)
    """The whole of tokenizer_config.json."""
    config: Mapping[str, Any] = field(default_factory=dict)
    vocabulary_only: bool = False
    """Whether there is a vocab.txt (of byte BPE: vocab.json and merges.txt), no tokenizer.json."""
    pickled: bool = False
    """Whether the weights are in pytorch_model.bin and not in model.safetensors."""


XLMR, MLM = "XLMRobertaForMaskedLM", "BertForMaskedLM"
STARS = {str(at): f"{at + 1}" for at in range(5)}
CHECKPOINTS = (
    Checkpoint("google-bert/bert-base-multilingual-cased", MLM, tokenizer=CASED),
    Checkpoint("google-bert/bert-base-multilingual-uncased", MLM, tokenizer=UNCASED),
    Checkpoint(
        "google-bert/bert-base-uncased", MLM, tokenizer=UNCASED, config={"num_hidden_layers": 6}
    ),
    Checkpoint("google-bert/bert-base-chinese", MLM, tokenizer=CASED),
    Checkpoint(
        "hfl/chinese-roberta-wwm-ext", MLM, tokenizer={"init_inputs": []},
        config={"bos_token_id": 0, "eos_token_id": 2}, pickled=True,
    ),
    Checkpoint(
        "dccuchile/bert-base-spanish-wwm-uncased", MLM, BETO,
        {**UNCASED, "strip_accents": False}, {"pad_token_id": 1}, pickled=True,
    ),
    Checkpoint(
        "dbmdz/bert-base-french-europeana-cased", MLM, TRAINED,
        {"do_lower_case": False, "strip_accents": False, "max_len": 512},
        vocabulary_only=True, pickled=True,
    ),
    Checkpoint("l3cube-pune/hindi-bert-scratch", MLM, TRAINED, UNCASED),
    Checkpoint("sentence-transformers/LaBSE", "BertModel", tokenizer=CASED),
    Checkpoint(
        "your-name/mbert-reviews", "BertForSequenceClassification", tokenizer=CASED,
        config={"id2label": STARS, "label2id": {label: int(at) for at, label in STARS.items()}},
    ),
    Checkpoint("FacebookAI/xlm-roberta-base", XLMR, ROBERTA),
    Checkpoint("FacebookAI/xlm-roberta-large", XLMR, ROBERTA, config={"num_hidden_layers": 3}),
    Checkpoint("FacebookAI/roberta-base", "RobertaForMaskedLM", ROBERTA),
    Checkpoint(
        "FacebookAI/roberta-large", "RobertaForMaskedLM", ROBERTA, config={"num_hidden_layers": 3}
    ),
    Checkpoint(
        "hfl/chinese-roberta-wwm-ext-large", MLM, tokenizer={"init_inputs": []},
        config={"num_hidden_layers": 3, "bos_token_id": 0, "eos_token_id": 2}, pickled=True,
    ),
    Checkpoint("FacebookAI/xlm-mlm-tlm-xnli15-1024", "XLMWithLMHeadModel", {}, LIMIT),
    Checkpoint("FacebookAI/xlm-mlm-100-1280", "XLMWithLMHeadModel", {}, LIMIT, pickled=True),
    Checkpoint(
        "PlanTL-GOB-ES/roberta-base-bne", "RobertaForMaskedLM", {**ROBERTA, "<mask>": 4},
        config={"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}, pickled=True,
    ),
    Checkpoint(
        "ClassCat/roberta-base-french", "RobertaForMaskedLM", ROBERTA, {"max_len": 50},
        pickled=True,
    ),
    Checkpoint(
        "flax-community/roberta-hindi", "RobertaForMaskedLM", ROBERTA, {}, pickled=True,
    ),
    Checkpoint("dbmdz/bert-base-turkish-cased", MLM, TRAINED, CASED, vocabulary_only=True),
    Checkpoint("aubmindlab/bert-base-arabertv02", MLM, TRAINED, CASED),
    Checkpoint("flax-community/roberta-swahili", "RobertaForMaskedLM", ROBERTA, {}, pickled=True),
    Checkpoint(
        "urduhack/roberta-urdu-small", "RobertaForMaskedLM", ROBERTA, LIMIT, vocabulary_only=True,
        pickled=True,
    ),
    Checkpoint(
        "distilbert/distilbert-base-uncased", "DistilBertForMaskedLM", tokenizer=UNCASED,
        config={"n_layers": 6},
    ),
    Checkpoint(
        "openai-community/gpt2", "GPT2LMHeadModel", {}, {"model_max_length": 1024}, {"n_layer": 6}
    ),
    *(
        Checkpoint(
            f"textattack/bert-base-uncased-{task}", "BertForSequenceClassification",
            tokenizer=UNCASED, config={"num_labels": classes}, vocabulary_only=True, pickled=True,
        )
        for task, classes in (("SST-2", 2), ("imdb", 2), ("QQP", 2), ("MNLI", 3))
    ),
    Checkpoint(
        "fabriceyhc/bert-base-uncased-yelp_polarity", "BertForSequenceClassification",
        tokenizer=UNCASED, pickled=True,
    ),
    Checkpoint(
        "csarron/bert-base-uncased-squad-v1", "BertForQuestionAnswering", tokenizer=UNCASED,
        vocabulary_only=True,
    ),
    Checkpoint(
        "ericRosello/bert-base-uncased-finetuned-squad-frozen-v2", "BertForQuestionAnswering",
        tokenizer=UNCASED, pickled=True,
    ),
    Checkpoint(
        "thatdramebaazguy/roberta-base-squad", "RobertaForQuestionAnswering", ROBERTA,
        vocabulary_only=True, pickled=True,
    ),
    Checkpoint(
        "21iridescent/RoBERTa-base-finetuned-squad2-lwt", "RobertaForQuestionAnswering", ROBERTA,
        vocabulary_only=True, pickled=True,
    ),
    Checkpoint(
        "anas-awadalla/gpt2-span-head-finetuned-squad", "GPT2ForQuestionAnswering", {},
        {"model_max_length": 1024}, pickled=True,
    ),
    Checkpoint("PlanTL-GOB-ES/gpt2-base-bne", "GPT2LMHeadModel", {}, {}, pickled=True),
    Checkpoint("asi/gpt-fr-cased-small", "GPT2LMHeadModel", {}, {"model_max_length": 1024}),
    Checkpoint(
        "uer/gpt2-chinese-cluecorpussmall", "GPT2LMHeadModel", BERT,
        {"do_lower_case": False, "model_max_length": 1024}, {"tokenizer_class": "BertTokenizer"},
        vocabulary_only=True, pickled=True,
    ),
    Checkpoint(
        "bigscience/bloom-560m", "BloomForCausalLM", BLOOM,
        {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"},
        {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 3},
    ),
    Checkpoint("bigscience/bloom-7b1", "BloomForCausalLM", BLOOM, {}),
    Checkpoint("state-spaces/mamba-2.8b-hf", "MambaForCausalLM", {"<|endoftext|>": 0}, {}),
    Checkpoint("meta-llama/Llama-3.2-1B", "LlamaForCausalLM", {}, {}),
    Checkpoint(
        "Qwen/Qwen3-1.7B", "Qwen3ForCausalLM", {}, {},
        config={"head_dim": 16, "num_key_value_heads": 2},
    ),
    Checkpoint("HuggingFaceTB/SmolLM2-1.7B", "LlamaForCausalLM", {"<|endoftext|>": 0}, {}),
)  # fmt: skip


def write(root: Path) -> None:
    """Writes all checkpoints below a folder, as ORGANISATION/NAME."""
    torch.manual_seed(0)
    for row in CHECKPOINTS:
        folder = root / row.name
        folder.mkdir(parents=True)
        tokenizer = _tokenizer(row)
        _write_tokenizer(folder, row, tokenizer)
        kind = getattr(transformers, row.model)
        model = kind(
            kind.config_class(**_settings(row, kind.config_class, tokenizer), **_spread(kind))
        )
        model.save_pretrained(folder)
        if row.pickled:
            torch.save(model.state_dict(), folder / "pytorch_model.bin")
            (folder / "model.safetensors").unlink()


def _spread(kind: Any) -> dict[str, float]:
    names = ("init_std", "embed_init_std") if "XLMWith" in kind.__name__ else ("initializer_range",)
    return dict.fromkeys(names, SPREAD)


def _settings(row: Checkpoint, config: Any, tokenizer: Any) -> dict[str, Any]:
    sizes = dict(RENAMED.get(config.model_type, SIZES)) | {"vocab_size": len(tokenizer)}
    if config.model_type in DECODERS:
        last = tokenizer.eos_token_id
        ends = {"bos_token_id": last, "eos_token_id": last, "pad_token_id": tokenizer.pad_token_id}
        spare = {"vocab_size": len(tokenizer) + 3}  # as on the hub: more rows than tokens
        return sizes | spare | ends | dict(row.config)
    if config.model_type == "gpt2":
        last = {"bos_token_id": len(tokenizer) - 1, "eos_token_id": len(tokenizer) - 1}
        return sizes | last | dict(row.config)
    if config.model_type == "xlm":
        return sizes | {"n_words": sizes.pop("vocab_size"), "pad_index": 2} | dict(row.config)
    if "roberta" in config.model_type:
        fixed = {"max_position_embeddings": 514, "type_vocab_size": 1, "pad_token_id": 1}
        return sizes | fixed | {"bos_token_id": 0, "eos_token_id": 2} | dict(row.config)
    return sizes | {"max_position_embeddings": 512, "pad_token_id": 0} | dict(row.config)


def _tokenizer(row: Checkpoint) -> Any:
    if row.model.startswith("XLMWith"):
        pieces = [form for each in (*characters(), "th") for form in (each, f"{each}</w>")]
        return _numbered(
            {}, ["<s>", "</s>", "<pad>", "<unk>", *SPECIAL_XLM, *dict.fromkeys(pieces)]
        )
    if row.model.startswith("XLMRoberta"):
        scored = [(piece, 0.0) for piece in row.pieces]
        scored += [(piece, -float(at)) for at, piece in enumerate(["▁", *characters()], 1)]
        return XLMRobertaTokenizer(vocab=[*scored, ("<mask>", 0.0)])
    if row.model.startswith(BYTE_LEVEL) and "[CLS]" not in row.pieces:
        alphabet = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "th", "Ġth"]
        roberta = row.model.startswith("Roberta")
        last = "<mask>" if roberta else "<|endoftext|>"
        kind = RobertaTokenizer if roberta else GPT2Tokenizer
        ids = _numbered(row.pieces, [*alphabet, *({last} - set(row.pieces))])
        return kind(vocab=ids, merges=MERGES)
    pieces = [form for each in characters() for form in (each, f"##{each}")]
    settings = {name: row.tokenizer[name] for name in ("strip_accents",) if name in row.tokenizer}
    lower = bool(row.tokenizer.get("do_lower_case", True))
    return BertTokenizer(vocab=_numbered(row.pieces, pieces), do_lower_case=lower, **settings)


def _numbered(fixed: Mapping[str, int], pieces: list[str]) -> dict[str, int]:
    """The ids of all pieces: the fixed ones where they are on the hub, unused ones between them."""
    names = {at: piece for piece, at in fixed.items()}
    first = [names.get(at, f"[unused{at}]") for at in range(max(names, default=-1) + 1)]
    return {piece: at for at, piece in enumerate([*first, *pieces])}


def _write_tokenizer(folder: Path, row: Checkpoint, tokenizer: Any) -> None:
    (folder / "tokenizer_config.json").write_text(json.dumps(row.tokenizer))
    if row.model.startswith("XLMWith"):  # a slow tokenizer: a vocabulary and merges
        _write_merges(folder, tokenizer, ["t h", ""])
    elif row.vocabulary_only and row.model.startswith("Roberta"):
        lines = ["#version: 0.2", *(" ".join(pair) for pair in MERGES), ""]
        _write_merges(folder, tokenizer.get_vocab(), lines)
    elif row.vocabulary_only:
        vocabulary = tokenizer.get_vocab()
        (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n")
    else:
        tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))


def _write_merges(folder: Path, vocabulary: Mapping[str, int], lines: list[str]) -> None:
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("\n".join(lines), "utf-8")
