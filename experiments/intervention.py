"""Does cutting words into more pieces make explanations less faithful? Five arms on small models
of the built-in corpus.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from math import isfinite, nan
from pathlib import Path

from benchmarks.timing import table

from babelscope import corpus
from babelscope.analyses.tokenization.intervention import (
    AGREEMENT,
    intervene,
    trained,
)
from babelscope.analyses.tokenization.responses import Response, flips, responses
from babelscope.data.independence import clusters_by_task
from babelscope.display.progress import bar
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.resegmentation import Resegmentation, frequent
from babelscope.store import key
from babelscope.training import small
from babelscope.training.cache import TRAINING, cache_folder
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.recipes import pretrained
from babelscope.types import DoseOutcome, Estimate, Example
from experiments import files
from experiments.corpus_models import tuned

LANGUAGES = {"en": 24, "hi": 24, "tr": 24}
"""Texts per language; in Chinese these vocabularies hold hardly more than single characters, so
that nothing can be cut.
"""
TASKS = ("sentiment", "topic")
"""What is learned in other pieces: the one is decided by a word, the other by many."""
TEXTS = 40
METHODS = ("deeplift", "attention")
METRICS = (
    "normalised_comprehensiveness",
    "normalised_sufficiency",
    "chance_corrected",
    "loo_correlation",
    "complexity",
    AGREEMENT,
)
LATER = tuple(name for name in METRICS if name != "chance_corrected")
"""Outcomes of the tuned arms: the best order of every text is too long a search there."""
GRADES = {
    "characters": (0.5, 1.0),
    "dropout": (0.5, 1.0),
    "same": (1.0,),
    "filler": (1.0,),
    "duplicate": (1.0,),
}
SIZES = (500, 100)
"""Pieces that are left of the vocabulary, beside single characters."""
VOCABULARIES = (4000, 600, 200)
"""Of the models from scratch."""
TRAIN, DEV, EPOCHS, FROM_SCRATCH = 4000, 400, 8, 16
"""Texts, and epochs: of a pretrained model, and of one that begins with nothing."""
SEED = 0
TINY = 1e-6
"""Slopes nearer to 0 are none."""
LEARNED = 0.75
"""The share of right texts from which on a model of two classes counts as having learned its task.
"""


def saved(name: str, given: object, make: Callable[[], list[DoseOutcome]]) -> list[DoseOutcome]:
    """What `make` gives, kept in the cache under what determined it, so that a run that was
    stopped goes on.
    """
    file = (
        cache_folder()
        / "experiments"
        / "intervention"
        / f"{name}-{key({'given': given, 'training': TRAINING})[:16]}.json"
    )
    if not file.exists():
        made = [asdict(one) for one in make()]
        plain = [
            {n: None if isinstance(v, float) and not isfinite(v) else v for n, v in row.items()}
            for row in made
        ]
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(plain), "utf-8")
        os.replace(part, file)
    read = json.loads(file.read_text("utf-8"))
    return [DoseOutcome(**{n: nan if v is None else v for n, v in row.items()}) for row in read]


def graded() -> list[tuple[str, float, Resegmentation | None]]:
    cuts: list[tuple[str, float, Resegmentation | None]] = []
    for way, rates in GRADES.items():
        cuts += [(way, 0.0, None), *((way, rate, Resegmentation(way, rate)) for rate in rates)]
    return cuts


def truncated(
    model: Model, known: Sequence[Example]
) -> list[tuple[str, float, Resegmentation | None]]:
    """Doses are 0 for the whole vocabulary, then 1, 2, ... for ever fewer pieces."""
    rows = encode(model, known)
    cuts = [
        ("truncate", float(at), Resegmentation("truncate", kept=frequent(model, rows, size)))
        for at, size in enumerate(SIZES, 1)
    ]
    return [("truncate", 0.0, None), *cuts]


def inference(
    model: Model, lang: str, examples: Sequence[Example], known: Sequence[Example], name: str
) -> list[DoseOutcome]:
    given = [model.fingerprint, lang, len(examples), METHODS, METRICS, GRADES, SIZES]

    def make() -> list[DoseOutcome]:
        with bar(f"{name}, {lang}") as tell:
            cuts = [*graded(), *truncated(model, known)]
            return intervene(model, examples, cuts, METHODS, METRICS, progress=tell)

    return saved(f"{name}-{lang}", given, make)


def learned(
    task: str, base: Path, folder: str, cut: Resegmentation | None, seed: int, epochs: int = EPOCHS
) -> Model:
    """A model tuned on English texts with words in those pieces."""
    train, dev = corpus.read(task, "en", "train", TRAIN), corpus.read(task, "en", "dev", DEV)
    recipe = Recipe(learning_rate=5e-4, epochs=epochs, batch=32, seed=seed)
    place = (
        cache_folder()
        / "experiments"
        / f"intervention-{task}-{base.name}-{folder}-{TRAIN}-{epochs}-{seed}"
    )
    with bar(f"{task}, {folder}, seed {seed}") as tell:
        return load(finetune(base, train, dev, place, recipe, resegmentation=cut, progress=tell))


def fine_tuned(task: str, base: Path, examples: Sequence[Example], seed: int) -> list[DoseOutcome]:
    """Arms A2 and A3: the pretrained model tuned on words in other pieces, and explained
    in them.
    """
    whole = learned(task, base, "whole", None, seed)
    rows = encode(whole, corpus.read(task, "en", "train", TRAIN))
    cuts = {"characters": [(rate, Resegmentation("characters", rate)) for rate in (0.5, 1.0)],
            "truncate": [(float(at), Resegmentation("truncate", kept=frequent(whole, rows, size))) for at, size in enumerate(SIZES, 1)],
            "duplicate": [(1.0, Resegmentation("duplicate", 1.0))]}  # fmt: skip
    found: list[DoseOutcome] = []
    for way, doses in cuts.items():
        given = [
            task,
            way,
            seed,
            TRAIN,
            EPOCHS,
            len(examples),
            METHODS,
            LATER,
            SIZES,
            whole.fingerprint,
        ]

        def make(
            way: str = way, doses: list[tuple[float, Resegmentation]] = doses
        ) -> list[DoseOutcome]:
            others = [
                (dose, learned(task, base, f"{way}-{dose:g}", cut, seed), cut)
                for dose, cut in doses
            ]
            models: list[tuple[float, Model, Resegmentation | None]] = [(0.0, whole, None), *others]
            return trained(f"{way}, tuned", models, examples, METHODS, LATER)

        found += saved(f"tuned-{task}-{way}-{seed}", given, make)
    return found


def from_scratch(task: str, examples: Sequence[Example], seed: int) -> list[DoseOutcome]:
    """Arm A5: equal models but for the vocabulary, trained on the labels alone."""
    rows = corpus.read(task, "en", "train", TRAIN)
    given = [
        task,
        "scratch",
        VOCABULARIES,
        seed,
        TRAIN,
        FROM_SCRATCH,
        len(examples),
        METHODS,
        LATER,
    ]

    def make() -> list[DoseOutcome]:
        models: list[tuple[float, Model, Resegmentation | None]] = []
        for at, size in enumerate(VOCABULARIES):
            base = cache_folder() / "experiments" / f"intervention-scratch-{task}-{size}-{seed}"
            if not (base / "tokenizer.json").exists():
                labels = sorted({str(row.label) for row in rows})
                small.make(
                    base,
                    "bert",
                    [row.texts[0] for row in rows],
                    labels,
                    layers=2,
                    width=64,
                    vocabulary=size,
                    seed=seed,
                )
            models.append(
                (float(at), learned(task, base, "scratch", None, seed, FROM_SCRATCH), None)
            )
        return trained("vocabulary, from scratch", models, examples, METHODS, LATER)

    return saved(f"scratch-{task}-{seed}", given, make)


def told(one: Estimate) -> str:
    if not isfinite(one.mean):
        return "–"
    return f"{one.mean:+.3f}" + (
        f" ({one.low:+.3f} to {one.high:+.3f})" if isfinite(one.low) else ""
    )


def doses(found: Sequence[DoseOutcome]) -> str:
    """Realised fertility and changed predictions, a row per arm and dose."""
    lines = [
        [arm, lang, f"{dose:g}", f"{mean:.2f}", f"{lost:.0%}"]
        for (arm, lang, dose), (mean, lost) in flips(found).items()
        if dose > 0 or arm in ("characters", "characters, tuned", "vocabulary, from scratch")
    ]
    return table(["arm", "language", "dose", "tokens per word", "texts left out"], lines)


def slopes(found: Sequence[Response], outcomes: Sequence[str]) -> str:
    """A row per arm, language and method: the slope of each outcome by fertility."""
    cells: dict[tuple[str, str, str], dict[str, Response]] = {}
    for one in found:
        cells.setdefault((one.arm, one.lang, one.method), {})[one.outcome] = one
    lines = []
    for (arm, lang, method), mine in cells.items():
        use = "by_dose" if arm in ("same", "filler") else "by_fertility"
        lines.append([arm, lang, method, *(told(getattr(mine[name], use)) for name in outcomes)])
    return table(
        ["arm", "language", "method", *(name.replace("_", " ") for name in outcomes)], lines
    )


def sides(
    found: Sequence[Response], outcomes: Sequence[str], arms: Sequence[str]
) -> tuple[int, int, int]:
    """How many slopes by fertility there are, and how many of them lie surely below and surely
    above 0.
    """
    mine = [one.by_fertility for one in found if one.outcome in outcomes and one.arm in arms]
    known = [one for one in mine if isfinite(one.low)]
    return len(known), sum(one.high < -TINY for one in known), sum(one.low > TINY for one in known)


def verdict(found: Sequence[Response], outcomes: Sequence[str], arms: Sequence[str]) -> str:
    """How often the slope is surely below, surely above or neither."""
    lines = []
    for name in outcomes:
        count, below, above = sides(found, (name,), arms)
        lines.append(
            [name.replace("_", " "), str(count), str(below), str(above), str(count - below - above)]
        )
    return table(["outcome", "slopes", "interval below 0", "above 0", "holds 0"], lines)


FAITHFUL = (
    "normalised_comprehensiveness",
    "normalised_sufficiency",
    "chance_corrected",
    "loo_correlation",
)
OTHER = ("complexity", AGREEMENT)


def page() -> str:
    base = pretrained("multilingual")
    model = load(
        tuned(base, "sentiment", corpus.LANGUAGES, files.parsed("corpus").joint["sentiment"])
    )
    found: list[DoseOutcome] = []
    read: list[Example] = []
    for lang in LANGUAGES:
        examples = corpus.read("sentiment", lang, "test", 1000 + LANGUAGES[lang])[1000:]
        known = corpus.read("sentiment", lang, "train", TRAIN)
        found += inference(model, lang, examples, known, "inference")
        read += examples
    after: dict[str, list[DoseOutcome]] = {}
    for task in TASKS:
        english = corpus.read(task, "en", "test", 1000 + TEXTS)[1000:]
        after[task] = [*fine_tuned(task, base, english, SEED), *from_scratch(task, english, SEED)]
        read += english
    return written(found, after, clusters_by_task(("", row.group, row.texts) for row in read))


TEXT = """# Words in other pieces

Multilingual vocabularies cut words into more pieces, and explanations of multilingual models have been found less faithful.
Is the cutting the cause? Here it is changed alone: the same words in other pieces of the same vocabulary. Everything is
measured in words. This page is written by `python -m experiments intervention`; what it runs for a model of your own is
`babelscope intervene` ([how](../tokenization.md)).

**The prediction to be tested**: if more pieces as such make explanations less faithful, slopes by tokens per word lie below
0 in the arms that cut (`characters`, `dropout`, `truncate`), and not in the controls (`same`: as many pieces, cut
elsewhere; `duplicate`: as long by repetition; `filler`: as long by filler tokens).

Small is small: {texts} reviews, one cut and one seed of training per dose. The intervals are about texts only;
another training would move a tuned arm by more than they say. Earlier runs on fewer reviews, and with Chinese, whose
words these models read in single characters anyway, were replaced by this one.

## At inference

The small multilingual model of the [corpus page](corpus.md), tuned on sentiment in eight languages and left as it is. A
text whose prediction changes is left out.

{doses}

Slopes by tokens per word, each text compared with itself, with 95 % intervals (`same` and `filler`, which do not change the
tokens per word, by the share of words):

{slopes}

{count}

`chance_corrected` has no lower bound: a single text whose best order hardly beats chance can carry a mean, so read its
interval.

What else changes: how many words the explanation is spread over, and its rank agreement with the explanation of the text as
the tokenizer cuts it.

{other}

## With tuning

For a model that never saw such tokens the input is out of distribution. Here it is fine-tuned on them: the pretrained model on {train:,} English
texts, {epochs} epochs (from scratch {scratch_epochs}), words cut anew in training, dev and test alike (`characters`,
`duplicate`); only the most frequent {sizes} pieces and single characters left (`truncate`); and models of 2 layers and
width 64 from scratch, equal but for vocabularies of {vocabularies} entries. Of {later_texts} test texts those are explained
that all models of an arm get right; "texts left out" counts those that the model itself gets wrong.

{tuned}

## What to make of it

{verdict}
"""


def written(
    found: list[DoseOutcome],
    after: dict[str, list[DoseOutcome]],
    clusters: Mapping[tuple[str, str], str],
) -> str:
    told_all = responses(found, clusters)
    later = {task: responses(rows, clusters) for task, rows in after.items()}
    cutting = ("characters", "dropout", "truncate")
    parts = [
        f"### {task.capitalize()}\n\n{doses(after[task])}\n\n{slopes(later[task], LATER)}"
        for task in after
    ]
    return TEXT.format(
        texts=", ".join(f"{count} ({lang})" for lang, count in LANGUAGES.items()), doses=doses(found),
        slopes=slopes(told_all, FAITHFUL), count=verdict(told_all, FAITHFUL, cutting),
        other=slopes(told_all, OTHER), train=TRAIN, epochs=EPOCHS, scratch_epochs=FROM_SCRATCH,
        sizes=" or ".join(map(str, SIZES)), vocabularies=", ".join(f"{size:,}" for size in VOCABULARIES),
        later_texts=TEXTS, tuned="\n\n".join(parts), verdict=conclusion(told_all, later, after),
    )  # fmt: skip


def unlearned(task: str, found: Sequence[DoseOutcome]) -> dict[str, str]:
    """The arms with a model that did not learn, and what there is to say: from these nothing
    follows.
    """
    lost = {
        arm: max(share for (one, _, _), (_, share) in flips(found).items() if one == arm)
        for arm, _, _ in flips(found)
    }
    return {
        arm: f"* **{task}, {arm}: nothing follows.** A model of this arm gets {share:.0%} of the "
        "texts wrong: so few examples "
        "were not enough to learn the task in these pieces, and an explanation of a guess explains "
        "nothing."
        for arm, share in lost.items()
        if share > 1 - LEARNED
    }


CUT = {"characters, tuned": "cut into characters", "truncate, tuned": "by ever fewer pieces",
       "vocabulary, from scratch": "from scratch, by vocabulary", "duplicate, tuned": "repeated pieces"}  # fmt: skip


def conclusion(
    before: Sequence[Response],
    later: Mapping[str, Sequence[Response]],
    after: Mapping[str, Sequence[DoseOutcome]],
) -> str:
    """The counts in words: nothing is said that they do not say, and none where a model did not
    learn.
    """
    cut = ("characters", "dropout", "truncate")
    lines = [
        counted("at inference, cut", before, cut),
        counted("at inference, repeated pieces", before, ("duplicate",)),
    ]
    for task, rows in later.items():
        guesses = unlearned(task, after[task])
        lines += [
            guesses.get(arm) or counted(f"{task}, tuned, {name}", rows, (arm,))
            for arm, name in CUT.items()
        ]
    return "\n".join(lines) + (
        "\n\nThe intervals are not corrected for one another: of twenty, one lies beside 0 by "
        "chance. The hypothesis asks for "
        "slopes below 0 where words are cut and none where pieces are only repeated."
    )


def counted(name: str, rows: Sequence[Response], arms: Sequence[str]) -> str:
    count, below, above = sides(rows, FAITHFUL, arms)
    return (
        f"* {name}: of {count} slopes of faithfulness, {below} lie surely below 0 and {above} "
        "surely above."
    )
