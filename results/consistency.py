"""Do translations get the same explanation in a real encoder? SIB-200, English to the other languages, zero-shot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.material import SHARED
from benchmarks.timing import table

from babelscope.crosslingual.correlation import correlation, partial
from babelscope.crosslingual.spaces import floor, settled
from babelscope.crosslingual.subwords import subwords
from babelscope.data.sources import rows
from babelscope.model.finetune import Recipe, finetune
from babelscope.model.load import Model, load
from babelscope.model.vectors import untrained
from babelscope.progress import bar
from babelscope.study.cache import cache_folder
from babelscope.study.consistency import Pair, Settings, in_space, score
from babelscope.study.consistency_table import Line, summary
from babelscope.study.spaces import needed
from babelscope.study.translations import explained, parallel
from babelscope.types import Estimate

TARGETS = (
    "ar", "bg", "de", "el", "es", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sw", "th", "tr", "ur", "vi", "zh",
    "zh-Hant",
)  # fmt: skip
METHOD = "integrated_gradients"
NAMES = ("c", "c_unif", "c_perm", "c_mis", "c_rand", "ceil", "lift")


def tuned() -> Model:
    """The same model as in docs/results/sib200.md, seed 0."""
    base, data = SHARED / "models" / "mini-multilingual", SHARED / "data"
    recipe = Recipe(learning_rate=2e-4, epochs=10, batch=16, freeze_embeddings=True, seed=0)
    folder = cache_folder() / "results" / "sib200-en-0"
    return load(finetune(base, rows("sib200/en/train", folder=data), rows("sib200/en/dev", folder=data), folder, recipe))


def pairs(targets: Sequence[str], count: int | None, method: str) -> tuple[list[Pair], dict[str, float]]:
    """Every pair, and the mean cosine of random words of English and each language."""
    model = tuned()
    texts = parallel("sib200", ["en", *targets], count=count, folder=SHARED / "data")
    with bar("explaining") as tell:
        found = explained(model, texts, "en", method=method, progress=tell)
        random = explained(untrained(model), texts, "en", method=method, progress=tell)
    place = SHARED / "models"
    space = settled(subwords(place / "aligned-subwords", place / "mini-multilingual", needed(found)), "en")
    floors = {lang: floor(space, "en", lang) for lang in targets}
    return score(found, "en", in_space(space), targets=targets, settings=Settings(), untrained=random, workers=2), floors


def _shown(one: Estimate) -> str:
    return f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f})"


def _lines(lines: Sequence[Line], accuracy: dict[str, float], floors: dict[str, float]) -> str:
    head = ["language", "accuracy", "same prediction", "C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift (95 %)",
            "kappa (95 %)", "p", "coverage", "floor", "undefined"]  # fmt: skip
    made = []
    for line in lines:
        means = [f"{line.means[name].mean:.3f}" for name in NAMES[:-1]]
        made.append([line.lang, f"{accuracy[line.lang]:.3f}", f"{line.same_prediction:.2f}", *means, _shown(line.means["lift"]),
                     _shown(line.kappa), f"{line.p:.3f}", f"{line.coverage[1]:.2f}", f"{floors[line.lang]:.3f}",
                     line.means["c"].undefined])  # fmt: skip
    return table(head, made)


def _beside(lines: Sequence[Line], accuracy: dict[str, float]) -> str:
    right = np.array([accuracy[line.lang] for line in lines])
    unif = np.array([line.means["c_unif"].mean for line in lines])
    made = []
    for name in ("c", "lift", "c_unif"):
        values = np.array([line.means[name].mean for line in lines])
        found = correlation(values, right)
        given = "" if name == "c_unif" else f"{partial(values, right, unif):.2f}"
        made.append([name, f"{found.pearson:.2f}", f"{found.spearman:.2f}", f"{found.kendall:.2f}", f"{found.p:.3f}", given])
    return table(["", "Pearson", "Spearman", "Kendall", "p (permutation)", "partial given C_unif"], made)


def page(targets: Sequence[str] = TARGETS, count: int | None = None, method: str = METHOD) -> str:
    if not (SHARED / "models" / "mini-multilingual").is_dir():
        raise SystemExit("the folder of public data is not there: set $BABELSCOPE_SHARED")
    found, floors = pairs(targets, count, method)
    lines = summary(found)
    right = {lang: [pair.correct_t for pair in found if pair.lang == lang and pair.correct_t is not None] for lang in targets}
    accuracy = {lang: float(np.mean(each)) for lang, each in right.items()}
    size = lines[0].means["c"].n + lines[0].means["c"].undefined
    beaten = [line.lang for line in lines if line.means["c_rand"].mean > line.means["c"].mean]
    return f"""# Consistency on SIB-200

mini-multilingual, tuned on English SIB-200 (seed 0, [as here](sib200.md)), explained with `{method}` on
{size} test sentences in English and {len(targets)} other languages, for the class that it gives the English sentence. Words are
compared in aligned-subwords, the context-free table that this model's embeddings were initialised with: the space is not
independent of the model. This page is written by `python -m results consistency`; [how to read it](../consistency.md).

{_lines(lines, accuracy, floors)}

An untrained model of the same shape has a higher raw C in {len(beaten)} of {len(lines)} languages
({", ".join(beaten) or "none"}).

## Beside accuracy, over {len(lines)} languages

{_beside(lines, accuracy)}

One model, one seed, one method. The sentences are translations of one another, so the languages' figures go together.
"""
