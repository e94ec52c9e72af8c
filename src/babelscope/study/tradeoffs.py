"""A trade-off study from a YAML file: its models trained where they are not in the cache, its texts read."""

from __future__ import annotations

from typing import NamedTuple

from babelscope.analyses.tradeoffs.cells import BASE, Corpus, Tuned, parallel_corpus
from babelscope.data.examples import (
    examples,
)
from babelscope.errors import InputError
from babelscope.model.inference_state import Progress
from babelscope.study.config import Study
from babelscope.training.models import (
    started,
    train,
)


class Prepared(NamedTuple):
    models: list[Tuned]
    texts: Corpus
    base: str


def prepared(study: Study, *, progress: Progress | None = None) -> Prepared:
    """Every model of the study at every seed, the base that they share, and the texts of its first task.

    Models are those with `train` from a `base`; one with several languages is joint training. Test texts are in all languages
    of the study, dev and train texts in those that single models are tuned on.
    """
    data, found, bases = study.tasks[0].data, list[Tuned](), set[str]()
    for one in study.models:
        if one.train is None or one.train.base is None:
            raise InputError(
                f"{study.name}: the model {one.name!r} has no train with a base; trade-offs need what it came from"
            )
        bases.add(started(one.train, progress))
        kind = "tuned" if len(one.train.languages) == 1 else "joint"
        source = one.train.languages[0] if kind == "tuned" else kind
        found += [Tuned(source, seed, str(train(one.train, data, seed, progress)), kind) for seed in study.seeds]
    if len(bases) > 1:
        raise InputError(f"{study.name}: the models start from {len(bases)} bases; trade-offs compare tunings of one")
    single = next((one.train for one in study.models if one.train is not None and len(one.train.languages) == 1), None)
    if single is None:
        raise InputError(f"{study.name}: no model is tuned on one language; trade-offs need one at least")
    texts = {"test": {lang: examples(data, lang) for lang in study.languages}}
    sources = [one.source for one in found if one.kind == "tuned"]
    for split, count in (("dev", single.dev_examples), ("train", single.examples)):
        texts[split] = {lang: examples(data, lang, split, count) for lang in dict.fromkeys(sources)}
    (base,) = bases
    return Prepared([*found, Tuned(BASE, 0, base, BASE)], parallel_corpus(texts), base)
