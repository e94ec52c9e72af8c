"""Laws of pretraining, of the tokenizers and of the start vectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from babelscope import corpus
from babelscope.errors import InputError
from babelscope.training.pretrain import Pretraining, pretrain, rows_by_group
from babelscope.training.pretraining_batches import Row, first_tokens
from babelscope.training.pretraining_losses import contrast
from babelscope.training.recipes import RECIPES, pretrained, texts
from babelscope.training.small import TOKENIZERS, make_tokenizer
from babelscope.training.start_vectors import start_vectors

LANGUAGES = ("en", "hi", "zh")
EXAMPLES = [row for lang in LANGUAGES for row in corpus.read("nli", lang, "train", 60)]
TINY = Pretraining(layers=1, width=32, vocabulary=900, steps=12, batch=8)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(AutoModelForMaskedLM.from_pretrained(folder).state_dict())


@pytest.mark.training
def test_the_same_recipe_gives_the_same_weights(tmp_path: Path) -> None:
    one, two = (weights(pretrain(EXAMPLES, tmp_path / name, TINY)) for name in ("one", "two"))
    other = weights(pretrain(EXAMPLES, tmp_path / "other", replace(TINY, seed=1)))
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.training
def test_labels_are_not_read(tmp_path: Path) -> None:
    blind = [replace(row, label=None, rationale=None, answer=None) for row in EXAMPLES]
    one, two = (
        weights(pretrain(EXAMPLES, tmp_path / "seen", TINY)),
        weights(pretrain(blind, tmp_path / "blind", TINY)),
    )
    assert all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.training
@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
def test_training_lowers_the_loss(tmp_path: Path, architecture: str) -> None:
    """The loss of the words of unmasked text under the model, before and after."""

    def loss(folder: Path) -> float:
        model, tokenizer = (
            AutoModelForMaskedLM.from_pretrained(folder),
            AutoTokenizer.from_pretrained(folder),
        )
        made = tokenizer([row.texts[0] for row in EXAMPLES[:20]], return_tensors="pt", padding=True)
        with torch.no_grad():
            return float(
                model(
                    **made, labels=made["input_ids"].masked_fill(made["attention_mask"] == 0, -100)
                ).loss
            )

    recipe = replace(TINY, architecture=architecture)
    short, long = (
        pretrain(EXAMPLES, tmp_path / str(steps), replace(recipe, steps=steps))
        for steps in (1, 500)
    )
    assert loss(long) < loss(short) - 1


@pytest.mark.training
def test_one_language_needs_no_translation(tmp_path: Path) -> None:
    assert (
        pretrain(EXAMPLES[:60], tmp_path / "mono", replace(TINY, steps=3)) / "tokenizer.json"
    ).exists()
    with pytest.raises(InputError, match="needs texts"):
        pretrain([], tmp_path / "none", TINY)
    with pytest.raises(InputError, match="not 'gpt2'"):
        pretrain(EXAMPLES, tmp_path / "none", replace(TINY, architecture="gpt2"))
    assert not (tmp_path / "none").exists()


def test_tokens_of_the_same_groups_start_alike() -> None:
    """Tokens 5 and 6 occur in the same groups, 7 in others; 8 nowhere."""
    rows = [
        {"a": Row([5, 7], [0, 1], ()), "b": Row([6, 7], [0, 1], ())}
        if at % 2
        else {"a": Row([7, 9], [0, 1], ())}
        for at in range(8)
    ]
    vectors = start_vectors(rows, 10, 4)
    assert torch.allclose(vectors[5], vectors[6], atol=1e-6)
    assert not torch.allclose(vectors[5], vectors[9], atol=1e-3)
    assert vectors[8].abs().sum() == 0
    assert vectors[5].norm() == pytest.approx(0.02 * 4**0.5)


@pytest.mark.slow
def test_start_vectors_find_translations() -> None:
    """Of two hundred pairs, the nearest Spanish token of an English name, thing or city is its
    translation.
    """
    rows = [row for lang in ("en", "es") for row in corpus.read("reading", lang, "train", 400)]
    made, tokenizer = rows_by_group(rows, replace(TINY, vocabulary=3000))
    vectors = torch.nn.functional.normalize(start_vectors(made, len(tokenizer), 64), dim=-1)
    spanish = sorted(
        {token for row in made for token in row["es"].ids}
        - {token for row in made for token in row["en"].ids}
    )
    right = 0
    pairs = {
        "▁dog": "▁perro",
        "▁horse": "▁caballo",
        "▁car": "▁coche",
        "▁guitar": "▁guitarra",
        "▁bicycle": "▁bicicleta",
        "▁drum": "▁tambor",
    }
    for english, wanted in pairs.items():
        at = tokenizer.convert_tokens_to_ids(english)
        best = spanish[int((vectors[spanish] @ vectors[at]).argmax())]
        right += tokenizer.convert_ids_to_tokens(best) == wanted
    assert right >= len(pairs) - 1


def test_partners_are_found_at_no_cost() -> None:
    """Orthogonal states that equal their partners cost exp(-1/T) each; a swap costs 1/T more;
    equals in meaning never count.
    """
    eye = torch.eye(3, dtype=torch.float64)
    found = float(contrast(eye, eye))
    assert found == pytest.approx(
        float(torch.log1p(2 * torch.exp(torch.tensor(-10.0, dtype=torch.float64))))
    )
    assert float(contrast(eye, eye[[1, 0, 2]])) > found + 6
    assert float(contrast(eye, eye, torch.ones(3, 3, dtype=torch.bool))) == 0


def test_a_word_is_found_by_its_first_token() -> None:
    row = Row([0, 5, 6, 7, 2], [-1, 0, 0, 1, -1], (("a", "b"), ("c",)))
    assert first_tokens(row) == {"a": 1, "b": 1, "c": 3}
    made, tokenizer = rows_by_group(EXAMPLES, TINY)
    for group in made[:10]:
        for lang in LANGUAGES:
            assert len(group[lang].words) == len(group[lang].ids)
            assert max(group[lang].words) < len(group[lang].concepts)
            assert group[lang].ids[0] == tokenizer.cls_token_id


@pytest.mark.parametrize("kind", [kind for kind in TOKENIZERS if kind != "bytes"])
@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
def test_tokenizers_of_every_kind(kind: str, architecture: str) -> None:
    sentences = [text for row in EXAMPLES for text in row.texts]
    one, two = (make_tokenizer(architecture, sentences, 700, kind=kind) for _ in range(2))
    assert one.backend_tokenizer.to_str() == two.backend_tokenizer.to_str()
    assert len(one) <= 700 or kind == "characters"
    for text in sentences[:: len(sentences) // 20]:
        made = one(text, return_offsets_mapping=True)
        assert one.unk_token_id not in made["input_ids"]
        covered = {at for start, end in made["offset_mapping"] for at in range(start, end)}
        assert {at for at, character in enumerate(text) if not character.isspace()} <= covered
    if kind == "characters":
        assert (
            max(len(one.convert_ids_to_tokens(at)) for at in one("Maria 买了")["input_ids"][1:-1])
            == 1
        )


def test_kinds_and_recipes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="does not fit gpt2"):
        make_tokenizer("gpt2", ["a"], 300, kind="unigram")
    with pytest.raises(InputError, match="wordpiece, bpe, unigram, characters"):
        make_tokenizer("bert", ["a"], 300, kind="sentencepiece")
    with pytest.raises(InputError, match="there are: multilingual"):
        pretrained("huge")
    with pytest.raises(InputError, match="for one language"):
        pretrained("monolingual", ("en", "hi"))
    with pytest.raises(InputError, match="for several languages"):
        pretrained("multilingual", ("en",))


def test_monolingual_and_multilingual_recipes_are_of_the_same_size() -> None:
    for multi, mono in (("multilingual", "monolingual"), ("multilingual-tiny", "monolingual-tiny")):
        one, two = RECIPES[multi][0], RECIPES[mono][0]
        assert (one.layers, one.width, RECIPES[multi][1]) == (
            two.layers,
            two.width,
            RECIPES[mono][1],
        )
    rows = texts(("en", "sw"), 10)
    assert len(rows) == 2 * 5 * (6 + 2 + 2)
    assert {row.group.split("-")[1] for row in rows} == {"train", "dev", "test"}
