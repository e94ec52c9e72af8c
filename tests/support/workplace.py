"""The local files that the study files name: vectors, tables of reviews, a corpus, checkpoints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from transformers import AutoTokenizer

from babelscope.data.corpora.sib200 import CODES, LABELS
from babelscope.data.segmentation import segment
from mirror_texts import PHRASES, sentence

SIZES = {"train": 40, "dev": 20, "test": 12}


def write(root: Path, mirror: Path) -> Path:
    """Writes everything below `root`; checkpoints are copies of those of the mirror."""
    for lang in PHRASES:
        _write_vectors(root / "vectors" / f"wiki.{lang}.align.vec", lang)
    for split in SIZES:
        for lang in ("en", "hi", "ar"):
            columns = ("review_body", "stars")
            _write_reviews(root / "data" / lang / f"{split}.jsonl", lang, split, columns)
        for lang in ("en", "es", "ar", "hi", "sw", "zh"):
            _write_topics(root / "corpora" / "sib200" / CODES[lang] / f"{split}.tsv", lang, split)
    _write_marks(root / "corpora" / "yelp-hat" / "raw_data" / "ham_part1_50words.csv")
    models = mirror / "models"
    shutil.copytree(models / "FacebookAI/xlm-roberta-base", root / "models/mini-multilingual")
    shutil.copytree(models / "your-name/mbert-reviews", root / "models/xlm-r-reviews")
    _write_subwords(root / "models/aligned-subwords", root / "models/mini-multilingual")
    return root


def _rows(lang: str, split: str) -> list[str]:
    start = 1000 * list(SIZES).index(split)
    return [sentence(lang, number) for number in range(start, start + SIZES[split])]


def _write_vectors(place: Path, lang: str) -> None:
    """A vector for every word of the first test sentences of the mirror; random ones."""
    texts = [sentence(lang, number, shift) for number in range(2000, 2012) for shift in (0, 1)]
    words = {text[start:end].lower() for text in texts for start, end in segment(text, lang)}
    generator = np.random.default_rng(len(words))
    lines = [f"{len(words)} 8"]
    for word in sorted(words):
        lines.append(" ".join([word, *(f"{value:.3f}" for value in generator.normal(size=8))]))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(lines) + "\n", "utf-8")


def _write_reviews(place: Path, lang: str, split: str, columns: tuple[str, str]) -> None:
    text, label = columns
    count = 5 if label == "stars" else 2
    rows = [
        {text: each, label: str(number % count + (label == "stars"))}
        | ({"review_id": f"r{number}", "language": lang} if label == "stars" else {"lang": lang})
        for number, each in enumerate(_rows(lang, split))
    ]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _write_marks(place: Path) -> None:
    """As published: a line for each of three readers, whose marks are in the page that they saw."""
    lines = ["Input.label,Input.text,Answer.Q1Answer,Answer.html_output"]
    for number, text in enumerate(_rows("en", "test")):
        words = text.split()
        for reader in range(3):
            marked = {1, 2 + reader}
            active = [' class=""active""' if at in marked else "" for at in range(len(words))]
            spans = [f"<span{mark}>{word}</span>" for mark, word in zip(active, words)]
            label = number % 2
            lines.append(f'{label},"{text}",{label},"{" ".join(spans)}"')
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(lines) + "\n", "utf-8")


def _write_topics(place: Path, lang: str, split: str) -> None:
    """As published: sorted by topic."""
    texts = _rows(lang, split)
    lines = ["index_id\tcategory\ttext"]
    for number, text in enumerate(texts):
        lines.append(f"{number}\t{LABELS[number * len(LABELS) // len(texts)]}\t{text}")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(lines) + "\n", "utf-8")


def _write_subwords(folder: Path, model: Path) -> None:
    vocabulary = AutoTokenizer.from_pretrained(model).get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    folder.mkdir(parents=True)
    np.save(folder / "vectors.npy", np.random.default_rng(0).normal(size=(len(pieces), 8)))
    (folder / "pieces.txt").write_text("\n".join(pieces) + "\n", "utf-8")
