"""The trade-off tables of what models say: behaviour, confidence, errors. Each is a function of the dump alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs import behaviour, confidence, confusions
from babelscope.analyses.tradeoffs.cells import Answers, Dump, Tuned, answers
from babelscope.analyses.tradeoffs.flips import flips
from babelscope.analyses.tradeoffs.intervals import Interval, Statistic, comparisons, intervals
from babelscope.analyses.tradeoffs.reliability import reliability, temperature, wilson
from babelscope.stats import estimate
from babelscope.types import Estimate

LISTED = 10
"""Flipped texts that are shown per pair of languages."""


class Grid(NamedTuple):
    """Answers of the models that make the matrix: those tuned on one language, seed by seed."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    seeds: tuple[int, ...]
    own: list[int]
    test: dict[tuple[int, str, str], Answers]
    """By seed, source and target."""
    dev: dict[tuple[int, str, str], Answers]

    groups: dict[str, str]
    """All test texts, those of one language after those of another where they differ, with their clusters."""
    parallel: bool
    """Whether all languages have all of them."""

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(self.groups.values())

    @property
    def gold(self) -> NDArray[np.int64]:
        """By target and text; -1 where the language does not have the text."""
        found = np.full((len(self.targets), len(self.groups)), -1)
        for row, target in enumerate(self.targets):
            found[row, self.places(target)] = self.test[self.seeds[0], self.sources[0], target].gold
        return found

    def places(self, target: str) -> NDArray[np.int64]:
        """Where the texts of a language stand among all."""
        at = {group: place for place, group in enumerate(self.groups)}
        return np.array([at[group] for group in self.test[self.seeds[0], self.sources[0], target].groups], dtype=np.int64)

    def row(self, of: Mapping[str, Float[np.ndarray, " _known"]]) -> Float[np.ndarray, "target text"]:
        """What is known of each language's own texts, side by side; NaN where a language does not have the text."""
        found = np.full((len(self.targets), len(self.groups)), np.nan)
        for row, target in enumerate(self.targets):
            found[row, self.places(target)] = of[target]
        return found


def grid(found: Dump, kind: str = "tuned") -> Grid:
    """The models of a kind that have all seeds in common."""
    mine = [one for one in found.models if one.kind == kind]
    sources = tuple(dict.fromkeys(one.source for one in mine))
    targets = tuple(found.corpus.texts["test"])
    by_place = {(one.seed, one.source): one for one in mine}
    seeds = tuple(sorted(seed for seed in {one.seed for one in mine} if all((seed, s) in by_place for s in sources)))
    held: dict[str, dict[tuple[int, str, str], Answers]] = {"test": {}, "dev": {}}
    for (seed, source), one in by_place.items():
        for split, into in held.items():
            for lang in found.corpus.texts.get(split, {}):
                if seed in seeds and (one, split, lang) in found.cells:
                    into[seed, source, lang] = answers(found, one, split, lang)
    groups = {group: cluster for one in held["test"].values() for group, cluster in zip(one.groups, one.clusters)}
    parallel = found.corpus.parallel
    return Grid(sources, targets, seeds, behaviour.columns(sources, targets), held["test"], held["dev"], groups, parallel)


def right(given: Grid) -> Float[np.ndarray, "seed source target text"]:
    hits = {at: (one.logits.argmax(axis=1) == one.gold).astype(float) for at, one in given.test.items()}
    return np.array([[given.row({t: hits[k, s, t] for t in given.targets}) for s in given.sources] for k in given.seeds])


def behaviour_table(
    given: Grid, references: Mapping[str, Float[np.ndarray, "source target text"]], labels: int, *, seed: int = 0
) -> dict[str, Any]:
    """The matrix and what follows from it; gains over each reference, and where tuning did harm by the probe's measure."""
    hits, own, many = right(given), given.own, len(given.sources)

    def of(statistic: Statistic) -> dict[str, Any]:
        return told(intervals(hits, given.clusters, statistic, seed=seed))

    made: dict[str, Any] = {
        "accuracy": of(lambda a: a),
        "preference": of(lambda a: behaviour.preference(a, own)),
        "transfer_gap": of(lambda a: behaviour.transfer_gap(a, own)),
        "specialisation": of(lambda a: behaviour.specialisation(a, own)),
        "donor": of(lambda a: behaviour.two_way(a).donor),
        "difficulty": of(lambda a: behaviour.two_way(a).difficulty),
        "shares": of(lambda a: behaviour.two_way(a).shares),
        "relative_transfer": of(lambda a: behaviour.relative_transfer(a, own, 1 / labels)),
        "tests": [each._asdict() for each in _gaps(given, hits, seed)],
        "references": {},
        "gain": {},
    }
    for name, theirs in references.items():
        both = np.concatenate([hits, np.broadcast_to(theirs, hits.shape)], axis=1)
        made["references"][name] = told(intervals(both, given.clusters, lambda a: a[..., many:, :], seed=seed))
        gained = intervals(both, given.clusters, lambda a: a[..., :many, :] - a[..., many:, :], seed=seed)
        made["gain"][name] = told(gained)
    made["harmed"] = _harmed(given, made["gain"].get("probe"))
    return made


def _gaps(given: Grid, hits: Float[np.ndarray, "seed source target text"], seed: int) -> list[Any]:
    cells = [
        (row, owner) for owner, place in enumerate(given.own) if place >= 0 for row in range(len(given.sources)) if row != owner
    ]
    if not cells:
        return []
    first = np.stack([hits[:, row, given.own[owner]] for row, owner in cells], axis=1)
    second = np.stack([hits[:, owner, given.own[owner]] for _, owner in cells], axis=1)
    names = [(given.sources[row], given.sources[owner]) for row, owner in cells]
    return comparisons(first, second, names, given.clusters, seed=seed)


def _harmed(given: Grid, gained: Mapping[str, Any] | None) -> list[list[str]] | None:
    """Cells off the source's own language where tuning did worse than the probe, by the interval; None without a probe."""
    if gained is None:
        return None
    return [
        [source, target] for row, source in enumerate(given.sources) for place, target in enumerate(given.targets)
        if place != given.own[row] and gained["high"][row][place] < 0
    ]  # fmt: skip


def confidence_table(given: Grid, *, seed: int = 0) -> list[dict[str, Any]]:
    """One row per source and target, means over seeds; the diagram's points of all seeds together."""
    return [_confidence(given, source, target, seed) for source in given.sources for target in given.targets]


def _confidence(given: Grid, source: str, target: str, seed: int) -> dict[str, Any]:
    mine = [given.test[k, source, target] for k in given.seeds]
    sure = [confidence.probabilities(one.logits).max(axis=1) for one in mine]
    hits = [one.logits.argmax(axis=1) == one.gold for one in mine]
    briers = [confidence.brier(one.logits, one.gold) for one in mine]
    row: dict[str, Any] = {"source": source, "target": target}
    for equal in confidence.EDGES:
        row[f"ece_{equal}"] = _mean([confidence.ece(*each, equal=equal) for each in zip(sure, hits)])
        row[f"null_{equal}"] = _mean([confidence.ece_null(each, equal=equal, seed=seed) for each in sure])
    row["distinguishable"] = row["ece_width"] > row["null_width"]
    row["class_ece"] = _mean([confidence.class_ece(one.logits, one.gold) for one in mine])
    row["over"] = _shown(
        estimate(np.mean([s - h for s, h in zip(sure, hits)], axis=0).tolist(), list(mine[0].clusters), seed=seed)
    )
    row["over_beyond_own"] = _beyond(given, source, target, seed)
    row["brier"] = {name: _mean([getattr(each, name) for each in briers]) for name in confidence.Brier._fields}
    row["nll"] = _mean([confidence.nll(one.logits, one.gold) for one in mine])
    row["entropy"] = _mean([confidence.predictive_entropy(one.logits).mean() for one in mine])
    row["auroc"] = _mean([confidence.auroc(*each) for each in zip(sure, hits)])
    row["risk_coverage"] = _mean([confidence.risk_coverage(*each)[1] for each in zip(sure, hits)])
    row["temperature"] = _temperatures(given, source, target)
    row["diagram"] = [point._asdict() for point in reliability(np.concatenate(sure), np.concatenate(hits))]
    return row


def _beyond(given: Grid, source: str, target: str, seed: int) -> dict[str, Any] | None:
    """By how much over-confidence grows from the model's own language; paired where the languages share their texts."""
    if source not in given.targets or source == target:
        return None
    steps = []
    for k in given.seeds:
        mine = {lang: given.test[k, source, lang] for lang in given.targets}
        over = {lang: confidence.probabilities(one.logits).max(axis=1) - (one.logits.argmax(axis=1) == one.gold)
                for lang, one in mine.items()}  # fmt: skip
        steps.append([given.row(over)])
    here, there = (given.targets.index(lang) for lang in (source, target))
    found = intervals(np.array(steps), given.clusters, lambda a: a[..., 0, there] - a[..., 0, here], seed=seed)
    return {name: float(getattr(found, name)) for name in found._fields}


def _temperatures(given: Grid, source: str, target: str) -> dict[str, Any]:
    """T from the source's dev examples (what zero-shot use has) and from the target's (what it has not)."""
    made: dict[str, Any] = {}
    for name, lang in (("source", source), ("target", target)):
        found = []
        for k in given.seeds:
            if (k, source, lang) in given.dev:
                dev, test = given.dev[k, source, lang], given.test[k, source, target]
                fitted = temperature(dev.logits, dev.gold)
                sure = confidence.probabilities(test.logits / fitted.value).max(axis=1)
                found.append((fitted.value, confidence.ece(sure, test.logits.argmax(axis=1) == test.gold), fitted.bound))
        if found:
            made[name] = {
                "t": _mean([f[0] for f in found]),
                "ece": _mean([f[1] for f in found]),
                "bound": any(f[2] for f in found),
            }
    return made


def errors_table(found: Dump, given: Grid) -> list[dict[str, Any]]:
    """One row per source and target: confusions summed over seeds, the rest of the first seed or as means."""
    return [_errors(found, given, source, target) for source in given.sources for target in given.targets]


def _errors(found: Dump, given: Grid, source: str, target: str) -> dict[str, Any]:
    mine, labels = [given.test[k, source, target] for k in given.seeds], len(found.labels)
    counts = np.sum([confusions.confusion(one.gold, one.logits.argmax(axis=1), labels) for one in mine], axis=0)
    scored, shift = confusions.scores(counts), confusions.label_shift(counts)
    row: dict[str, Any] = {
        "source": source, "target": target, "confusion": counts.tolist(), "accuracy": float(np.trace(counts) / counts.sum()),
        "wilson": list(wilson(round(np.trace(counts) / len(mine)), len(mine[0].gold))),
        **{name: _plain(getattr(scored, name)) for name in scored._fields},
        "label_shift": {name: _plain(getattr(shift, name)) for name in shift._fields},
        "auroc": _plain(np.mean([confusions.one_vs_rest(one.logits, one.gold) for one in mine], axis=0)),
        "truncated": mine[0].truncated,
    }  # fmt: skip
    corrected = []
    for k, one in zip(given.seeds, mine):
        if (k, source, target) in given.dev:
            dev = given.dev[k, source, target]
            moved = confusions.offsets(dev.logits, np.bincount(dev.gold, minlength=labels) / len(dev.gold))
            corrected.append(float(((one.logits + moved).argmax(axis=1) == one.gold).mean()))
    row["accuracy_corrected"] = _mean(corrected) if corrected else None
    if given.parallel and source in given.targets and source != target:
        here, there = given.test[given.seeds[0], source, source], mine[0]
        sure = confidence.probabilities(there.logits).max(axis=1)
        told_ = flips(there.groups, there.gold, here.logits.argmax(axis=1), there.logits.argmax(axis=1), sure, labels)
        row["flips"] = {name: _plain(getattr(told_, name)) for name in ("rate", "by_class", "agreement", "kappa")}
        row["flips"]["transitions"] = [list(each) for each in told_.transitions[:LISTED]]
        row["flips"]["listed"] = [each._asdict() for each in told_.listed[:LISTED]]
    return row


def factorial_table(found: Dump, given: Grid, *, seed: int = 0) -> list[dict[str, Any]]:
    """Per class and pair of sources: what the input, the model and their match do to recall, with intervals."""
    hits, made = right(given), []
    pairs = [(i, j) for i, j in combinations(range(len(given.sources)), 2) if min(given.own[i], given.own[j]) >= 0]
    gold, least = given.gold.max(axis=0), given.gold.min(axis=0, initial=len(found.labels), where=given.gold >= 0)
    for label, name in enumerate(found.labels):
        mine = np.flatnonzero(gold == label)
        if not pairs or (gold != least).any() or not (given.gold[:, mine] >= 0).any(axis=1).all():
            continue  # a class that a language lacks has no recall there; languages that disagree on gold are no translations

        def effects(a: Float[np.ndarray, "... source target"]) -> Float[np.ndarray, "... pair effect"]:
            return np.stack(
                [np.stack(behaviour.factorial(a[..., [i, j], :][..., [given.own[i], given.own[j]]]), -1) for i, j in pairs], -2
            )

        held = intervals(hits[..., mine], [given.clusters[at] for at in mine], effects, seed=seed)
        for place, (i, j) in enumerate(pairs):
            row: dict[str, Any] = {"class": name, "first": given.sources[i], "second": given.sources[j], "n": len(mine)}
            for at, effect in enumerate(behaviour.Factorial._fields):
                row[effect] = [float(part[place, at]) for part in held]
            made.append(row)
    return made


def told(one: Interval) -> dict[str, Any]:
    return {"value": _plain(one.value), "low": _plain(one.low), "high": _plain(one.high)}


def _shown(one: Estimate) -> dict[str, float]:
    return {"value": one.mean, "low": one.low, "high": one.high}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def of_kind(found: Dump, kind: str) -> list[Tuned]:
    return [one for one in found.models if one.kind == kind]
