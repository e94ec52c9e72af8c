"""Faithfulness by language of a small real encoder: tuned on English SIB-200, the same sentences
explained in 22 languages.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from benchmarks.material import SHARED
from benchmarks.timing import table

from babelscope.analyses.faithfulness.pairings import readings
from babelscope.data.sources import rows
from babelscope.display.marks import Panel, rows_svg
from babelscope.display.progress import bars
from babelscope.model.load import load
from babelscope.stats import estimate
from babelscope.stats.bootstrap import ratio
from babelscope.stats.corrections import holm
from babelscope.stats.correlations import Correlation, correlation
from babelscope.stats.disparity import CONTROL
from babelscope.stats.paired import Paired, paired
from babelscope.stats.rankings import friedman
from babelscope.store import open_store, read, read_study
from babelscope.study.config import Study, parse_study
from babelscope.study.run import Watch, run
from babelscope.training.cache import cache_folder
from babelscope.training.evaluate import evaluate
from babelscope.types import Estimate
from experiments.sib200 import TAGS, stated

FIGURE = Path(__file__).resolve().parents[1] / "docs" / "results" / "sib200-faithfulness.svg"
SENTENCES = 60
DRAWS = 3
METHODS = ("random", "attention", "input_x_gradient", "deeplift")
HARD = ("normalised_comprehensiveness", "normalised_sufficiency")
SOFT = ("normalised_soft_comprehensiveness", "normalised_soft_sufficiency")


def study() -> Study:
    """The model of seed 0 of the page on zero-shot transfer, sentences drawn from the test split,
    the same in all.
    """
    languages = [TAGS.get(name, name) for name in stated(SHARED / "models" / "mini-multilingual")]
    given = {
        "name": "SIB-200 by language",
        "tasks": [
            {
                "name": "topic",
                "data": {
                    "corpus": "sib200",
                    "folder": str(SHARED / "data"),
                    "examples": SENTENCES,
                    "drawn": True,
                },
            }
        ],
        "languages": languages,
        "models": [
            {
                "name": "mini-multilingual",
                "source": str(cache_folder() / "experiments" / "sib200-en-0"),
            }
        ],
        "methods": list(METHODS),
        "metrics": [
            *HARD,
            *({"name": name, "options": {"scaling": "rank", "draws": 0}} for name in SOFT),
        ],
        "seeds": list(range(DRAWS)),
    }
    return parse_study(given, "SIB-200")


def filled() -> Path:
    """The store of the study; what is there is not computed again."""
    asked, place = study(), cache_folder() / "experiments" / "sib200-faithfulness"
    with bars(asked.name) as (stage, steps):
        outcome = run(asked, place, watch=Watch(stage, steps))
    if outcome.failed:
        raise SystemExit(f"{len(outcome.failed)} cells failed, first: {outcome.failed[0].reason}")
    return place


@dataclass(frozen=True, slots=True)
class Language:
    """A language's faithfulness above chance by metric, its difference from English on the same
    sentences, and covariates.
    """

    lang: str
    above: dict[str, Estimate]
    against: dict[str, Paired]
    accuracy: Estimate
    fertility: Estimate


def above_floor(measures: pd.DataFrame) -> pd.DataFrame:
    """Per language, sentence and metric: the mean over methods of the value less that of random
    scores on the same sentence.
    """
    keys = ["lang", "group", "metric"]
    means = measures.groupby([*keys, "method"])["value"].mean().unstack("method")
    return means.drop(columns=CONTROL).sub(means[CONTROL], axis=0)


def languages(place: Path) -> tuple[list[Language], pd.DataFrame]:
    """All languages in the study's order, and the table of `above_floor`."""
    store = open_store(place, create=False)
    keys = read_study(store)["keys"]
    above = above_floor(read(store, "measures", keys).to_pandas())
    model = next(iter(study().models))
    known = readings(read(store, "attributions", keys), {model.name: (model.name, 0)})
    test = [
        row
        for lang in study().languages
        for row in rows(f"sib200/{lang}/test", folder=SHARED / "data")
    ]
    right = {one.lang: one.estimate for one in evaluate(load(str(model.source)), test)}
    mean = above.mean(axis=1, skipna=False).unstack("metric")
    found = []
    for lang in study().languages:
        mine, base = mean.loc[lang].align(mean.loc["en"], join="inner", axis=0)
        groups = mine.index.tolist()
        read_ = known[known["lang"] == lang]
        found.append(Language(
            lang,
            {name: estimate(mean.loc[lang][name].tolist(), mean.loc[lang].index.tolist()) for name in (*HARD, *SOFT)},
            {name: paired(mine[name], base[name], groups) for name in (*HARD, *SOFT)},
            right[lang],
            ratio(read_["tokens"].to_numpy(), read_["words"].to_numpy(), read_["group"].tolist()),
        ))  # fmt: skip
    return found, above


def main_table(found: list[Language]) -> str:
    """Hard metrics with the difference from English, p corrected over all languages and all four
    metrics.
    """
    family = [(one.lang, name) for one in found if one.lang != "en" for name in (*HARD, *SOFT)]
    by_name = {one.lang: one for one in found}
    adjusted = dict(zip(family, holm([by_name[lang].against[name].p for lang, name in family])))
    lines = []
    for one in found:
        cells = [one.lang]
        for name in HARD:
            cells.append(f"{one.above[name].mean:.3f}")
            test = one.against[name]
            gap = (
                f"{test.difference.mean:+.3f} ({test.difference.low:+.3f} to "
                f"{test.difference.high:+.3f})"
            )
            cells += ["", ""] if one.lang == "en" else [gap, f"{adjusted[one.lang, name]:.3f}"]
        lines.append([*cells, *(f"{one.above[name].mean:.3f}" for name in SOFT), f"{one.accuracy.mean:.3f}",
                      f"{one.fertility.mean:.2f}"])  # fmt: skip
    head = ["language"]
    for name in ("comprehensiveness", "sufficiency"):
        head += [name, "less English (95 %)", "Holm"]
    return table(
        [*head, "soft comprehensiveness", "soft sufficiency", "accuracy", "fertility"], lines
    )


def together(found: list[Language]) -> list[tuple[str, str, Correlation]]:
    """Over the languages: does faithfulness go with accuracy or with fertility?"""
    made = []
    for name in (*HARD, *SOFT):
        values = [one.above[name].mean for one in found]
        for beside in ("accuracy", "fertility"):
            against = [getattr(one, beside).mean for one in found]
            made.append((name, beside, correlation(against, values, ranks=True)))
    return made


def methods_table(above: pd.DataFrame) -> str:
    """Per method the mean over languages and in how many languages it is above chance; do
    languages rank methods alike?
    """
    lines = []
    for name in HARD:
        mine = above.xs(name, level="metric")
        by_language = mine.groupby("lang").mean()
        agreement = friedman(by_language.to_numpy())
        for method in mine.columns:
            sure = [estimate(part.tolist(), part.index.get_level_values("group").tolist()).low > 0
                    for _, part in mine[method].groupby("lang")]  # fmt: skip
            lines.append([name.removeprefix("normalised_"), method, f"{by_language[method].mean():+.3f}",
                          f"{by_language[method].min():+.3f} to {by_language[method].max():+.3f}",
                          f"{sum(sure)} of {len(sure)}", f"{agreement.w:.2f} (p = {agreement.permuted:.4f})"])  # fmt: skip
    head = [
        "metric",
        "method",
        "mean over languages",
        "least to most",
        "languages surely above chance",
        "Kendall's W of languages",
    ]
    return table(head, lines)


def draw(found: list[Language]) -> None:
    order = sorted(found, key=lambda one: -one.above[HARD[0]].mean)
    panels = [
        *(
            Panel(name.removeprefix("normalised_"), [one.above[name] for one in order], zero=True)
            for name in HARD
        ),
        Panel("zero-shot accuracy", [one.accuracy for one in order]),
        Panel("fertility (tokens per word)", [one.fertility for one in order]),
    ]
    about = (
        f"Above random scores, mean of {len(METHODS) - 1} methods, {SENTENCES} sentences in "
        "every language; 95 % intervals."
    )
    FIGURE.write_text(
        str(rows_svg("Faithfulness by language", about, [one.lang for one in order], panels)),
        "utf-8",
    )


def page() -> str:
    if not (SHARED / "models" / "mini-multilingual").is_dir():
        raise SystemExit("the folder of public data is not there: set $BABELSCOPE_SHARED")
    found, above = languages(filled())
    draw(found)
    short = [[name.removeprefix("normalised_").replace("_", " "), beside, f"{one.r:+.2f}", f"{one.p:.3f}",
              f"{one.low:+.2f} to {one.high:+.2f}"] for name, beside, one in together(found)]  # fmt: skip
    lower = [
        one.lang for one in found if one.lang != "en" and one.against[HARD[0]].difference.high < 0
    ]
    higher = [
        one.lang for one in found if one.lang != "en" and one.against[HARD[0]].difference.low > 0
    ]
    return f"""# Faithfulness by language on SIB-200

Is an explanation as true in Swahili as in English? mini-multilingual (XLM-R of 4 layers and width 256, pretrained on 22
languages), tuned on English SIB-200 alone, [zero-shot in the others](sib200.md). The same {SENTENCES} test sentences,
drawn at random, are explained in every language by {", ".join(METHODS[1:])} and by random
scores ({DRAWS} draws), so languages are compared sentence by sentence. This page is written by
`python -m experiments sib200-faithfulness`; what is computed is kept, so a run that was stopped goes on.

A value is the mean over the methods of a normalised metric less that of random scores on the same sentence: 0 is chance. Hard
metrics erase words by the mask token; soft ones are scaled by rank and multiply instead of drawing. Accuracy is over all 204
test sentences, fertility is tokens per word of these sentences.

![Faithfulness, accuracy and fertility by language](sib200-faithfulness.svg)

{main_table(found)}

Differences from English are paired by sentence, with 95 % intervals that resample sentences; p is by sign flips of sentences,
Holm over 21 languages by four metrics. By its own interval, comprehensiveness is below English in {len(lower)} of 21 languages
({", ".join(lower) or "none"}) and above in {len(higher)} ({", ".join(higher) or "none"}).

## Does it go with accuracy or with tokenization?

Spearman's correlation over the {len(found)} languages; p by permutation, not corrected; the range with one language left out.

{table(["metric", "beside", "r", "p", "one left out"], short)}

Languages are few and related, and accuracy and fertility go together; a correlation here says nothing about causes.

## By method

{methods_table(above)}

One model of one seed, {SENTENCES} sentences: a difference that is not seen here may well exist. Wrong predictions are
explained too: the explanation is of what the model says.
"""
