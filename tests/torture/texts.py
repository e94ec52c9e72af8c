"""Hostile texts explained by many methods with models of four tokenizer families.

Every text is either refused in one line or explained by every method, with offsets that the
tokenizer confirms and no undefined score without a flag.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torture import children, material
from torture.hostile import SPACELESS, WORDS, hostile_text
from torture.offsets import offset_faults

NUMBER = 10_000
"""Texts per family."""
CHUNK = 40
"""Texts that are explained together."""
TOGETHER = 2
"""Families that are attacked at the same time."""
SHOWN = 10
"""Faults that each family lists."""
METHODS = (
    "random", "position", "occlusion", "gradient_norm", "input_x_gradient",
    "integrated_gradients", "attention", "scaled_attention", "rollout", "attcat", "transatt",
    "attnlrp", "cp_lrp", "deeplift",
)  # fmt: skip
FAMILIES = {
    "WordPiece": ("bert", "wordpiece"),
    "SentencePiece unigram": ("xlm-roberta", "unigram"),
    "byte-level BPE": ("gpt2", "bytes"),
    "characters": ("xlm-roberta", "characters"),
}
"""Architecture and kind of tokenizer."""


def attack(folder: Path, seed: int, end: float) -> material.Outcome:
    """Each family in a process of its own, two at a time, the next when one has ended."""
    children.preload()
    sys.stdout.flush()
    running: set[int] = set()
    for family in FAMILIES:
        while len(running) == TOGETHER:
            running.discard(os.wait()[0])
        pid = os.fork()
        if pid == 0:
            _family(family, folder / f"{family}.json", seed, end)
        running.add(pid)
    while running:
        running.discard(os.wait()[0])
    faults, counts = [], {}
    for family in FAMILIES:
        result = json.loads((folder / f"{family}.json").read_text("utf-8"))
        faults += [f"{family}: {line}" for line in result["faults"]]
        counts[family] = Counter(result["counts"])
    total = sum(counts.values(), Counter())
    done = ", ".join(f"{family} {count['texts']}" for family, count in counts.items())
    kinds = ("tracebacks", "unflagged NaN", "wrong offsets")
    line = (
        f"texts of {NUMBER} by family: {done}; {len(METHODS)} methods, "
        f"{total['explanations']} explanations, {total['refused']} texts refused in one line, "
        + ", ".join(f"{total[kind]} {kind}" for kind in kinds)
        + f"; {total['shared']} texts with words that share a token, each named"
    )
    return material.Outcome(faults, line, min(each["texts"] for each in counts.values()), NUMBER)


def _family(family: str, file: Path, seed: int, end: float) -> None:
    """A child: attacks one family, writes its counts and faults, and never returns."""
    counts: Counter[str] = Counter()
    faults: list[str] = []
    try:
        warnings.simplefilter("ignore")
        model = _model(*FAMILIES[family])
        for first in range(0, NUMBER, CHUNK):
            if time.monotonic() > end:
                break
            texts = [hostile_text(seed, number) for number in range(first, first + CHUNK)]
            _explain(model, texts, counts, faults)
    except BaseException:
        counts["tracebacks"] += 1
        faults.append(traceback.format_exc())
    listed = faults[:SHOWN] + [f"{len(faults) - SHOWN} more"] * (len(faults) > SHOWN)
    file.write_text(json.dumps({"counts": counts, "faults": listed}), "utf-8")
    os._exit(0)


def _model(architecture: str, kind: str) -> Any:
    """A classifier with random weights that reads at most 24 tokens."""
    import torch

    from babelscope.model.load import load
    from babelscope.training.small import make_model, make_tokenizer

    torch.manual_seed(0)
    texts = [*material.TEXTS, *SPACELESS, " ".join(WORDS)]
    tokenizer = make_tokenizer(architecture, texts, 400, 24, kind=kind)
    hf = make_model(architecture, tokenizer, material.LABELS, layers=1, width=32, positions=24)
    return load((hf.eval(), tokenizer), task="text-classification")


def _explain(model: Any, texts: Sequence[str], counts: Counter[str], faults: list[str]) -> None:
    """Explains the texts that are not refused together; one by one where that fails."""
    from babelscope.errors import BabelscopeError
    from babelscope.methods.explain import explain
    from babelscope.model.encode import encode
    from babelscope.types import Example

    accepted = []
    for text in texts:
        counts["texts"] += 1
        example = Example(str(counts["texts"]), (text,))
        try:
            encode(model, [example])
            accepted.append(example)
        except BabelscopeError as error:
            _refused(error, text, counts, faults)
        except Exception as error:
            _crashed(error, text, counts, faults)
    batches = [accepted] if accepted else []
    while batches:
        batch = batches.pop()
        try:
            explained = explain(model, batch, METHODS)
        except Exception as error:
            if len(batch) > 1:
                batches += [[example] for example in batch]
            elif isinstance(error, BabelscopeError):
                _refused(error, batch[0].texts[0], counts, faults)
            else:
                _crashed(error, batch[0].texts[0], counts, faults)
            continue
        for attribution in explained:
            _check(attribution, model, counts, faults)


def _refused(error: Exception, text: str, counts: Counter[str], faults: list[str]) -> None:
    counts["refused"] += 1
    message = str(error)
    if not message or "\n" in message.strip() or len(message) > 1_000:
        faults.append(f"{text[:80]!r} is refused in other than one line: {message[:300]!r}")


def _crashed(error: Exception, text: str, counts: Counter[str], faults: list[str]) -> None:
    counts["tracebacks"] += 1
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    faults.append(f"{text[:80]!r}: {type(error).__name__}: {str(error)[:200]} ({where})")


def _check(attribution: Any, model: Any, counts: Counter[str], faults: list[str]) -> None:
    """Counts an explanation, and what is wrong with it."""
    counts["explanations"] += 1
    where = f"{attribution.texts[0][:80]!r}, {attribution.method}"
    scores = (*attribution.scores, *attribution.word_scores)
    if any(score != score for score in scores) and not attribution.flags:
        counts["unflagged NaN"] += 1
        faults.append(f"{where}: an undefined score without a flag")
    if len(attribution.scores) != len(attribution.tokens) or not attribution.probability >= 0:
        counts["unflagged NaN"] += 1
        faults.append(f"{where}: scores do not belong to tokens, or there is no probability")
    if attribution.method == METHODS[0]:  # all methods share the input
        lines = offset_faults(attribution, model.tokenizer, model.limit)
        counts["wrong offsets"] += bool(lines)
        counts["shared"] += "tokenless_words" in attribution.details
        faults += [f"{where}: {line}" for line in lines[:1]]
