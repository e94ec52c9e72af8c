"""Laws of swapping the tokenizer of a checkpoint: what is kept, copied and averaged."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from babelscope import corpus
from babelscope.errors import UnsupportedModel
from babelscope.training import small
from babelscope.training.tokenizer_swap import RECORD, swap_tokenizer
from babelscope.training.vocabulary_transfer import forms, transfer

TEXTS = {
    lang: [text for row in corpus.read("topic", lang, "train", 60) for text in row.texts]
    for lang in ("en", "es", "hi", "zh")
}
KINDS = ("bert", "xlm-roberta", "gpt2")


def tokenizer(architecture: str, *langs: str, size: int = 500) -> Any:
    texts = [text for lang in langs for text in TEXTS[lang]]
    return small.make_tokenizer(architecture, texts, size)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Untrained masked language models with a vocabulary of four languages, and of one."""
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, kind, langs in (
        ("bert", "bert", ("en",)), ("bert-multi", "bert", tuple(TEXTS)),
        ("xlm-roberta", "xlm-roberta", tuple(TEXTS)), ("xlm-roberta-en", "xlm-roberta", ("en",)),
    ):  # fmt: skip
        made = tokenizer(kind, *langs)
        torch.manual_seed(1)
        head = small.make_model(kind, made, ["0", "1"], layers=2, width=32)
        AutoModelForMaskedLM.from_config(head.config).save_pretrained(folder / name)
        made.save_pretrained(folder / name)
    return {each.name: each for each in folder.iterdir()}


def states(folder: Path, ids: list[int]) -> torch.Tensor:
    model = AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        states: torch.Tensor = model(torch.tensor([ids])).last_hidden_state
    return states


def logits(folder: Path, text: str) -> torch.Tensor:
    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    read = AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        scores: torch.Tensor = model(**read(text, return_tensors="pt")).logits
    return scores


@pytest.mark.parametrize("name", ["bert", "xlm-roberta"])
def test_its_own_tokenizer_changes_nothing(
    checkpoints: dict[str, Path], tmp_path: Path, name: str
) -> None:
    base = checkpoints[name]
    swapped = swap_tokenizer(str(base), str(base), tmp_path / "same")
    assert torch.equal(logits(swapped, TEXTS["en"][0]), logits(base, TEXTS["en"][0]))
    before, after = (
        AutoModelForMaskedLM.from_pretrained(each).state_dict() for each in (base, swapped)
    )
    assert all(torch.equal(before[key], after[key]) for key in before)
    counts = json.loads((swapped / RECORD).read_text("utf-8"))
    assert (counts["averaged"], counts["unknown"]) == (0, 0)


@pytest.mark.parametrize(
    ("base", "other"),
    [(base, other) for base, other in product(("bert", "xlm-roberta"), repeat=2) if base != other],
)
def test_the_same_pieces_have_the_same_states_under_another_padding_id(
    checkpoints: dict[str, Path], tmp_path: Path, base: str, other: str
) -> None:
    """BERT pads by 0 and XLM-R by 1: positions, counted from the padding id in XLM-R, must not
    shift. The same text in the same pieces, between each tokenizer's own special tokens, has the
    same states in the same body.
    """
    swapped = swap_tokenizer(str(checkpoints[base]), str(checkpoints[other]), tmp_path / "swapped")
    old, new = (AutoTokenizer.from_pretrained(each) for each in (checkpoints[base], swapped))
    sources = transfer(old, new).sources
    vocabulary = {form for form, _, _ in forms(old)}
    shared = [at for form, at, _ in forms(new) if form in vocabulary][:6]
    assert len(shared) == 6
    wrapped = [new.cls_token_id, *shared, new.sep_token_id]
    theirs = [sources[at][0] for at in wrapped]
    assert theirs[0] == old.cls_token_id
    assert theirs[-1] == old.sep_token_id
    torch.testing.assert_close(states(swapped, wrapped), states(checkpoints[base], theirs))


def test_segments_and_length_are_those_of_the_body(
    checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    swapped = swap_tokenizer(
        str(checkpoints["xlm-roberta"]), str(checkpoints["bert"]), tmp_path / "swapped"
    )
    read = AutoTokenizer.from_pretrained(swapped)
    pair = read("the book", "the train", return_tensors="pt")
    assert "token_type_ids" not in pair
    assert torch.isfinite(AutoModel.from_pretrained(swapped)(**pair).last_hidden_state).all()
    old = AutoTokenizer.from_pretrained(checkpoints["xlm-roberta"])
    assert read.model_max_length == old.model_max_length


@pytest.mark.parametrize(("old", "new"), list(product(KINDS, repeat=2)))
def test_sources_spell_the_piece(old: str, new: str) -> None:
    """Whatever the kinds of vocabulary: the bytes of a new piece's sources, joined, are its own,
    where the old vocabulary has all of its letters; without them it starts from the unknown token.
    """
    before, after = tokenizer(old, "en", "es", size=900), tokenizer(new, "en", "zh", size=900)
    bytes_of = {at: spelt for (spelt, _), at, _ in forms(before)}
    moves = transfer(before, after)
    assert moves.copied + moves.averaged + moves.unknown == len(moves.sources) == len(after)
    letters = {spelt for spelt in bytes_of.values() if len(spelt) == 1}
    lengths = [len(moves.sources[at]) for _, at, _ in forms(after)]
    assert min(lengths) == 1
    assert max(lengths) > 1
    for (spelt, _), at, name in forms(after):
        sources = moves.sources[at]
        if spelt and all(bytes([byte]) in letters for byte in spelt):
            assert b"".join(bytes_of[source] for source in sources) == spelt, name
        elif spelt and old == "bert" and not set(spelt) & set(b"".join(bytes_of.values())):
            assert sources == (before.unk_token_id,), name


def test_special_tokens_correspond_by_role() -> None:
    old, new = tokenizer("xlm-roberta", "en"), tokenizer("bert", "en")
    sources = transfer(old, new).sources
    for role in ("cls", "sep", "pad", "unk", "mask"):
        assert sources[getattr(new, f"{role}_token_id")] == (getattr(old, f"{role}_token_id"),)


def test_a_piece_that_begins_a_word_is_not_taken_for_one_inside() -> None:
    """`▁a` of XLM-R is BERT's `a`, `a` is `##a`, where BERT has both."""
    old, new = tokenizer("bert", "en"), tokenizer("xlm-roberta", "en")
    sources, names = transfer(old, new).sources, old.get_vocab()
    vocabulary = new.get_vocab()
    both = [letter for letter in "aeiost" if letter in names and f"##{letter}" in names]
    known = [letter for letter in both if f"▁{letter}" in vocabulary and letter in vocabulary]
    assert known
    for letter in known:
        assert sources[vocabulary[f"▁{letter}"]] == (names[letter],)
        assert sources[vocabulary[letter]] == (names[f"##{letter}"],)


def test_a_tokenizer_without_a_mask_is_refused(
    checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    tokenizer("gpt2", "en").save_pretrained(tmp_path / "gpt2")
    (tmp_path / "gpt2" / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(UnsupportedModel, match="has no mask token"):
        swap_tokenizer(str(checkpoints["bert"]), str(tmp_path / "gpt2"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
