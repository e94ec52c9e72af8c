"""Do translations get the same explanation in a real encoder? SIB-200, XNLI and PAWS-X, tuned on
English, zero-shot.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from benchmarks.material import SHARED
from benchmarks.timing import table

from babelscope import corpus
from babelscope.analyses.consistency.comparisons import Comparison, compare_all
from babelscope.analyses.consistency.flips import association
from babelscope.analyses.consistency.gold_links import in_links
from babelscope.analyses.consistency.load_spaces import words_by_language
from babelscope.analyses.consistency.pairs import Settings, in_space
from babelscope.analyses.consistency.sensitivity import (
    accuracies,
    matrix_with_accuracy,
    steadiness,
    with_accuracy,
)
from babelscope.analyses.consistency.spaces import centre_if_needed, mean_cosine
from babelscope.analyses.consistency.subwords import subword_space
from babelscope.analyses.consistency.summary import COLUMNS, Line
from babelscope.analyses.consistency.translations import explain_translations
from babelscope.analyses.consistency.weights import NORMS
from babelscope.training.evaluate import evaluate
from babelscope.types import Estimate
from experiments.consistency_runs import (
    MATRIX,
    PAWSX,
    SIB,
    SIB_LRP,
    XNLI,
    Run,
    explanations,
    matrix_models,
    texts,
    tuned,
)

TOPICS, PAIRS = (SIB, SIB_LRP), (XNLI, PAWSX)
MATRIX_TEXTS = 30


def scored(run: Run) -> tuple[list[Comparison], dict[str, float]]:
    """A run under each norm, and the mean cosine of random words of its source and each target.
    Where only the sign of the lift is read, five permutations do."""
    found, fresh = explanations(run), explanations(run, random=True)
    place = SHARED / "models"
    space = centre_if_needed(
        subword_space(
            place / "aligned-subwords", place / "mini-multilingual", words_by_language(found)
        ),
        run.source,
    )
    settings = [Settings(norm, permutations=20 if norm == "abs" else 5) for norm in NORMS]
    made = compare_all(
        found,
        run.source,
        {"aligned-subwords": in_space(space)},
        settings=settings,
        targets=run.targets,
        untrained=fresh,
    )
    return made, {lang: mean_cosine(space, run.source, lang) for lang in run.targets}


def page() -> str:
    return f"""# Consistency on SIB-200

{_head(TOPICS)}
## Models trained in each language

{_matrix()}
"""


def pairs_page() -> str:
    return f"""# Consistency on XNLI and PAWS-X

{_head(PAIRS)}"""


def _head(runs: Sequence[Run]) -> str:
    if not (SHARED / "models" / "mini-multilingual").is_dir():
        raise SystemExit("the folder of public data is not there: set $BABELSCOPE_SHARED")
    name = "consistency" if runs == TOPICS else "consistency-pairs"
    parts = "".join(_section(run) for run in runs)
    return f"""mini-multilingual (XLM-R of 4 layers and width 256), tuned on English and explained zero-shot for the class
that it gives the English text: with integrated gradients, the published study's method (at least 4 nodes, gap at most 0.1), or
with AttnLRP, which takes one gradient pass. Words are compared in aligned-subwords, the context-free table that this model's
embeddings were initialised with: the space is not independent of the model. Pairs of texts are blocked: weight flows from
premise to premise and from hypothesis to hypothesis. Intervals and p resample texts that share a sentence together. One
model and one seed per corpus; small samples, as said below. The texts are translations of one another, so the languages'
figures go together. This page is written by `python -m experiments {name}`; [how to read it](../consistency.md).

{parts}"""


def _section(run: Run) -> str:
    found, floors = scored(run)
    one = found[0]
    right = accuracies(one.pairs)
    beaten = [line.lang for line in one.lines if line.means["c_rand"].mean > line.means["c"].mean]
    higher = [line.lang for line in one.lines if line.means["c_unif"].mean > line.means["c"].mean]
    size, clusters = len({pair.id for pair in one.pairs}), len({pair.cluster for pair in one.pairs})
    return f"""## {run.title}

{_told(run)} `{run.method}` on {size} test texts ({clusters} that share no sentence) in English and {len(run.targets)} other
languages.

{_lines(one, right, floors)}

An untrained model of the same shape has a higher raw C in {len(beaten)} of {len(one.lines)} languages, and equal weights have
one in {len(higher)}. Its lift: {_random_lift(run, one)}.

Lift and accuracy over {len(one.lines)} languages:

{_beside(one)}

Pair by pair, within languages: does little lift go with another prediction than the English text's (a flip), beyond the model's
confidence in both texts? And with a wrong prediction, given whether the two predictions agree?

{_flips(one)}

The lift under all six norms: {_norms(found)}

"""


def _told(run: Run) -> str:
    model = tuned(run)
    english = evaluate(model, texts(run)[run.source])[0]
    return (
        f"Tuned on {run.rows} English rows; accuracy on the English texts below "
        f"{_shown(english.estimate)}, where the most "
        f"frequent class has {english.chance:.3f}. {run.remark}"
    ).strip()


def _lines(one: Comparison, right: dict[str, float], floors: dict[str, float]) -> str:
    head = ["language", "accuracy", "same prediction", "C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift (95 %)",
            "kappa (95 %)", "p", "coverage", "floor", "undefined"]  # fmt: skip
    made = []
    for line in one.lines:
        means = [f"{line.means[name].mean:.3f}" for name in COLUMNS[:-1]]
        made.append([line.lang, f"{right[line.lang]:.3f}", f"{line.same_prediction:.2f}", *means, _shown(line.means["lift"]),
                     _shown(line.kappa), f"{line.p:.3f}", f"{line.coverage[1]:.2f}", f"{floors[line.lang]:.3f}",
                     line.means["c"].undefined])  # fmt: skip
    return table(head, made)


def _random_lift(run: Run, mine: Comparison) -> str:
    """The lift of the model with random weights, over all languages, beside that of the
    tuned one.
    """
    fresh = explanations(run, random=True)
    place = SHARED / "models"
    space = centre_if_needed(
        subword_space(
            place / "aligned-subwords", place / "mini-multilingual", words_by_language(fresh)
        ),
        run.source,
    )
    (one,) = compare_all(
        fresh, run.source, {"": in_space(space)}, settings=[Settings()], targets=run.targets
    )
    lifts = [
        float(np.mean([line.means["lift"].mean for line in each.lines])) for each in (one, mine)
    ]
    above = sum(a.means["lift"].mean > b.means["lift"].mean for a, b in zip(mine.lines, one.lines))
    return (
        f"{lifts[0]:.3f} on average; the tuned model's {lifts[1]:.3f}, higher in {above} of "
        f"{len(one.lines)} languages"
    )


def _beside(one: Comparison) -> str:
    made = []
    for name in ("c", "lift", "c_unif"):
        found, given = with_accuracy(one, name)
        numbers = [found.pearson, found.spearman, found.kendall, found.p, given]
        made.append([name, *(f"{each:.2f}" if np.isfinite(each) else "" for each in numbers)])
    return table(
        ["", "Pearson", "Spearman", "Kendall", "p (permutation)", "partial given C_unif"], made
    )


def _flips(one: Comparison) -> str:
    made = []
    for outcome, given in (("flip", "confidence"), ("wrong", "confidence"), ("wrong", "agreement")):
        found = association(one.pairs, outcome, given)
        made.append([outcome, given, f"{found.share:.2f}", " / ".join(f"{each:.2f}" for each in found.thirds),
                     _shown(found.plain), _shown(found.partial)])  # fmt: skip
    head = [
        "outcome",
        "given",
        "its share",
        "in the lowest / middle / highest third of lift",
        "r with lift",
        "partial r",
    ]
    return table(head, made)


def _norms(found: Sequence[Comparison]) -> str:
    steady = steadiness(found)
    held = [each.lang for each in steady if each.claim == "above chance"]
    low, high = (
        min(steady, key=lambda each: each.lowest),
        max(steady, key=lambda each: each.highest),
    )
    others = [each.lang for each in steady if each.claim != "above chance"]
    rest = f"; for {', '.join(others)} it depends on the norm" if others else ""
    return (
        f"its whole interval is above 0 under every norm in {len(held)} of {len(steady)} "
        f"languages{rest}. The lowest mean is "
        f"{low.lowest:.3f} ({low.lang}), the highest {high.highest:.3f} ({high.lang})."
    )


def _matrix() -> str:
    given = {lang: corpus.read("topic", lang, "test", MATRIX_TEXTS) for lang in MATRIX}
    compare = in_links([row for each in given.values() for row in each])
    found = []
    for source, model in matrix_models().items():
        made = explain_translations(model, given, source, options={"tolerance": 0.01})
        others = [lang for lang in MATRIX if lang != source]
        found += compare_all(
            made, source, {"gold links": compare}, settings=[Settings()], targets=others
        )
    cells = {(one.source, line.lang): line for one in found for line in one.lines}
    right = {
        (one.source, lang): each for one in found for lang, each in accuracies(one.pairs).items()
    }
    parts = []
    for name in ("lift", "kappa", "accuracy"):
        rows = [
            [source, *(_in_matrix(name, cells, right, source, lang) for lang in MATRIX)]
            for source in MATRIX
        ]
        parts.append(
            f"{name.capitalize()}, a row per training "
            f"language:\n\n{table(['source', *MATRIX], rows)}"
        )
    lift, c = matrix_with_accuracy(found), matrix_with_accuracy(found, "c")
    fewest = 1 / prod(range(1, len(MATRIX) + 1))
    body = "\n\n".join(parts)
    return f"""The small multilingual encoder of the built-in corpus, tuned on its topics in each of {", ".join(MATRIX)};
{MATRIX_TEXTS} test texts; words are compared by the corpus' gold links, so no space of vectors has a part in it.

{body}

Mantel's r with accuracy over the cells: lift {lift[0]:.2f} (p {lift[1]:.3f}), C {c[0]:.2f} (p {c[1]:.3f}). With
{len(MATRIX)} languages p cannot be below {fewest:.3f}."""


def _in_matrix(
    name: str,
    cells: dict[tuple[str, str], Line],
    right: dict[tuple[str, str], float],
    source: str,
    lang: str,
) -> str:
    if source == lang:
        return "–"
    if name == "accuracy":
        return f"{right[source, lang]:.3f}"
    line = cells[source, lang]
    return _shown(line.means["lift"] if name == "lift" else line.kappa)


def _shown(one: Estimate) -> str:
    return f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f})"
