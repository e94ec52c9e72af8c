"""A study with a script in every field that a user chooses, run for all analyses: names, texts,
labels, ids, relations of a treebank. Nothing is trained.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from babelscope.data.synthetic import language
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.small import make

RUN = "window.hostile=(window.hostile||0)+1;document.title='hostile'"
HOSTILE = (
    f"</script></style></title><script>{RUN}</script><img src=x onerror=\"{RUN}\">"
    f"<svg onload=\"{RUN}\"></svg><a class=hostile href=\"javascript:{RUN}\">a</a>"
    f"' onmouseover='{RUN}' x=\" autofocus onfocus=\"{RUN}\" tabindex=\"0"
)  # fmt: skip
"""Traps that spring when a page takes them for markup, in an attribute or in a script."""
MARKDOWN = f"[a](javascript:{RUN}) ![a](x) `{HOSTILE}` | {HOSTILE}"
"""The same where Markdown is read."""
LABELS = (f"negative{HOSTILE}", f"positive{MARKDOWN}")
TEXTS = {
    "en": ("the food was good", "the room was bad", "a very good film", "I hate this old phone"),
    "es": ("la comida era buena", "el cuarto era malo", "una buena obra", "odio este viejo móvil"),
}


def rows() -> list[dict[str, str]]:
    """Translations with a trap in every column."""
    return [
        {"id": f"{at}{HOSTILE}", "text": f"{text} {HOSTILE}", "lang": lang, "label": LABELS[at % 2]}
        for lang, texts in TEXTS.items()
        for at, text in enumerate(texts)
    ]


def treebank() -> str:
    """Sentences whose relations, and last words, are traps."""
    lines = []
    for number, text in enumerate(TEXTS["en"]):
        words = [*text.split(), f'<img/src=x/onerror="{RUN}">']
        lines += [f"# sent_id = {number}", f"# text = {' '.join(words)}"]
        for at, word in enumerate(words, 1):
            relation = "root" if at == 1 else f"nsubj{HOSTILE}"
            fields = (str(at), word, "_", "NOUN", "_", "_", str(at - 1), relation, "_", "_")
            lines.append("\t".join(fields))
        lines.append("")
    return "\n".join(lines) + "\n"


def build_model(folder: Path, seed: int) -> str:
    """A checkpoint with random weights, hostile labels, that passes for a trained one."""
    texts = [row["text"] for row in rows()]
    make(folder, "bert", texts, list(LABELS), layers=1, width=32, vocabulary=700, seed=seed)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "untrained": False}))
    return str(folder)


def values(folder: Path) -> dict[str, Any]:
    """The study as a file would hold it."""
    (folder / "treebank.conllu").write_text(treebank(), "utf-8")
    names = [f"{lang}{MARKDOWN}" for lang in TEXTS]
    stated = {name: {"language": lang, "seed": 0} for name, lang in zip(names, TEXTS)}
    return {
        "name": f"study{MARKDOWN}",
        "description": MARKDOWN,
        "tasks": [{"name": f"reviews{MARKDOWN}", "data": {"rows": rows(), "examples": 4},
                   "target": "source"}],
        "languages": list(TEXTS),
        "models": [
            {"name": name, "source": build_model(folder / lang, at), "trained_on": [lang]}
            for at, (name, lang) in enumerate(zip(names, TEXTS))
        ],
        "methods": ["random", "gradient_norm"],
        "source": "en",
        "faithfulness": {
            "metrics": ["comprehensiveness", "normalised_sufficiency"],
            "pairings": [{"multilingual": names[0], "monolingual": [names[1]]}],
        },
        "consistency": {"permutations": 2},
        "tokenization": {"interventions": {"ways": ["same"], "rates": [0.0, 1.0],
                                           "methods": ["gradient_norm"]}},
        "tradeoffs": {"train_examples": 0, "dev_examples": 0, "language_model": False,
                      "stated": stated},
        "heads": {"treebanks": {"en": str(folder / "treebank.conllu")},
                  "relations": [f"nsubj{HOSTILE}"], "subtypes": "exact"},
        "trust": {"explanations": 1, "shuffles": 1, "seeds": 2},
        "costs": {"texts": 1},
    }  # fmt: skip


def store(folder: Path) -> Path:
    """Runs the study; every analysis has its cells."""
    outcome = run(parse_study(values(folder)), folder / "store")
    failed = [failure.reason for failure in outcome.failed]
    assert failed == [], failed
    return folder / "store"


def surrogate_store(folder: Path) -> Path:
    """The same for surrogates, whose texts and labels are made up: traps in all names."""
    texts = [" ".join(language("linear").words)]
    make(folder / "model", "bert", texts, ["negative", "positive"], layers=1, width=32,
         vocabulary=700, seed=0)  # fmt: skip
    config = json.loads((folder / "model" / "config.json").read_text())
    (folder / "model" / "config.json").write_text(json.dumps({**config, "untrained": False}))
    study = {
        "name": f"study{MARKDOWN}",
        "description": MARKDOWN,
        "tasks": [{"name": f"task{MARKDOWN}", "data": {"synthetic": "linear", "examples": 10}}],
        "languages": ["en"],
        "models": [{"name": f"model{MARKDOWN}", "source": str(folder / "model"),
                    "trained_on": ["en"]}],
        "surrogates": {"fitted": 100, "tested": 20, "shown": 5, "copies": [1, 4],
                       "lengths": [1, 6], "exact": 5},
    }  # fmt: skip
    outcome = run(parse_study(study), folder / "store")
    failed = [failure.reason for failure in outcome.failed]
    assert failed == [], failed
    return folder / "store"
