"""How often the intervals that reports print contain the truth, by number of groups: writes the
table in docs/statistics.md. `python -m benchmarks.coverage`, about a minute on one core.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import exp, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from babelscope.analyses.tokenization.counts import agreement
from babelscope.analyses.tradeoffs.attention import language_effect
from babelscope.analyses.tradeoffs.behaviour import factorial, two_way
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.random import keyed
from babelscope.stats.jackknife import Scale, bounds, rate_bounds
from benchmarks.coverage_samples import (
    SLOW,
    TEXTS,
    Array,
    Sample,
    calibrated,
    classified,
    followed_relation,
    gap_over_seeds,
    other_texts,
    repeated,
    similar_states,
    vocabulary_use,
)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "statistics.md"
GROUPS = (3, 5, 10, 20, 50)
REPETITIONS = 4000


class Row(NamedTuple):
    name: str
    distribution: str
    sample: Sample
    repetitions: int = REPETITIONS


def of_group_sums(
    sums: Array, statistic: Callable[[Array], Array], scale: Scale
) -> tuple[Array, Array]:
    """Bounds of a function of sums [repetition, group, part], as `stats.of_sums` computes them."""
    total = sums.sum(axis=1)
    left_out = statistic(total[:, None] - sums)
    return bounds(statistic(total), [np.moveaxis(left_out, 1, 0)], scale=scale)


def quotient(sums: Array) -> Array:
    return np.asarray(sums[..., 0] / sums[..., 1])


def shared(rng: np.random.Generator, groups: int, share: float = 0.5, texts: int = TEXTS) -> Array:
    """Standard normal values of the texts of a group, correlated by `share`."""
    common = rng.standard_normal((REPETITIONS, groups, 1))
    return np.sqrt(share) * common + np.sqrt(1 - share) * rng.standard_normal(
        (REPETITIONS, groups, texts)
    )


def mean_of(values: Callable[[Array], Array], truth: float) -> Sample:
    """The mean of a function of correlated normal values."""

    def sample(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
        table = values(shared(rng, groups))
        sums = np.stack([table.sum(axis=2), np.full(table.shape[:2], float(TEXTS))], axis=2)
        low, high = of_group_sums(sums, quotient, "plain")
        return low - truth, high - truth

    return sample


def percentiles(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """What was printed before: percentiles of the mean over resamples of groups."""
    means = shared(rng, groups)[:SLOW].mean(axis=2)
    chosen = rng.integers(0, groups, (1000, groups))
    low, high = np.quantile(means[:, chosen].mean(axis=2), [0.025, 0.975], axis=1)
    return low, high


def unequal_groups(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    sizes = rng.integers(1, 9, (REPETITIONS, groups)).astype(float)
    sums = np.stack([sizes * rng.standard_normal(sizes.shape), sizes], axis=2)
    return of_group_sums(sums, quotient, "plain")


def rate_of(truth: float, share: float, texts: int = TEXTS) -> Sample:
    """The share of texts that are right, correlated within groups."""

    def sample(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
        right = shared(rng, groups, share, texts) < norm.ppf(truth)
        sums = right.sum(axis=2).astype(float)
        total = sums.sum(axis=1)
        left_out = (total[:, None] - sums) / (texts * (groups - 1))
        size, many = float(texts * groups), float(groups)
        value = total / size
        low, high = rate_bounds(value, [left_out.T], size=size, groups=many)
        return low - truth, high - truth

    return sample


def rate_over_seeds(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """An accuracy over texts and three seeds, both of which vary."""
    lows, highs = [], []
    for _ in range(SLOW):
        text, seed = rng.standard_normal((1, groups)), 0.5 * rng.standard_normal((3, 1))
        right = text + seed + rng.standard_normal((3, groups)) < norm.ppf(0.8) * 1.5
        table = right[:, None, None].astype(float)
        interval = intervals(table, list(map(str, range(groups))), lambda a: a, scale="rate")
        lows.append(interval.low[0, 0] - 0.8)
        highs.append(interval.high[0, 0] - 0.8)
    return np.array(lows), np.array(highs)


def random_ratio(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """Random scores divided by other random scores on the same texts."""
    level = rng.gamma(4, 0.1, (REPETITIONS, groups, 1))
    parts = [(level * rng.gamma(5, 0.2, (REPETITIONS, groups, 2))).sum(axis=2) for _ in range(2)]
    low, high = of_group_sums(np.stack(parts, axis=2), quotient, "log")
    return low - 1, high - 1


def fertility(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """Tokens by words of texts of 5 to 29 words."""
    words = rng.integers(5, 30, (REPETITIONS, groups)).astype(float)
    tokens = words * 1.5 * np.exp(0.2 * rng.standard_normal(words.shape) - 0.02)
    low, high = of_group_sums(np.stack([tokens, words], axis=2), quotient, "log")
    return low - 1.5, high - 1.5


def log_quotient(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """The log of the quotient of two models' ratios to their controls, on the same texts; the
    truth is log(1.2)."""
    level = rng.gamma(4, 0.1, (REPETITIONS, groups))
    parts = [share * level * rng.gamma(5, 0.2, level.shape) for share in (1.8, 1.5, 1.0, 1.0)]

    def statistic(sums: Array) -> Array:
        logs = np.log(sums)
        return np.asarray(logs[..., 0] - logs[..., 2] - logs[..., 1] + logs[..., 3])

    low, high = of_group_sums(np.stack(parts, axis=2), statistic, "plain")
    return low - np.log(1.2), high - np.log(1.2)


def equal_boundaries(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """F1 of the word-internal boundaries of two tokenizers: each has a share of those that are
    possible, which differs by group; the truth is that of the expected counts.
    """
    words = rng.integers(5, 30, (REPETITIONS, groups, TEXTS))
    common = rng.binomial(words, rng.beta(6, 6, (REPETITIONS, groups, 1)))
    sides = [common + rng.binomial(words, share) for share in (0.3, 0.5)]
    sums = np.stack([part.sum(axis=2) for part in (common, *sides)], axis=2).astype(float)
    low, high = of_group_sums(sums, agreement, "share")
    truth = 2 * 0.5 / (0.8 + 1.0)
    return low - truth, high - truth


def partial_correlation(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """The correlation of two quantities given a third, which drives both; the truth is .4."""
    given = shared(rng, groups)
    x_rest, noise = shared(rng, groups), shared(rng, groups)
    x = given + x_rest
    y = given + 0.4 * x_rest + sqrt(1 - 0.16) * noise
    columns = (x, y, given)
    products = [(a * b).sum(axis=2) for at, a in enumerate(columns) for b in columns[at:]]

    def statistic(sums: Array) -> Array:
        xx, xy, xz, yy, yz, zz = np.moveaxis(sums, -1, 0)
        return np.asarray((xy * zz - xz * yz) / np.sqrt((xx * zz - xz**2) * (yy * zz - yz**2)))

    low, high = of_group_sums(np.stack(products, axis=2), statistic, "correlation")
    return low - 0.4, high - 0.4


def pearson(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """A correlation of .5 of values whose means are known, four texts in a group."""
    x, noise = shared(rng, groups), shared(rng, groups)
    y = 0.5 * x + sqrt(0.75) * noise
    sums = np.stack([(x * y).sum(axis=2), (x * x).sum(axis=2), (y * y).sum(axis=2)], axis=2)

    def statistic(parts: Array) -> Array:
        return np.asarray(parts[..., 0] / np.sqrt(parts[..., 1] * parts[..., 2]))

    low, high = of_group_sums(sums, statistic, "correlation")
    return low - 0.5, high - 0.5


def kappa(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """(C - C_perm) / (ceil - C_perm) of means, all three correlated; the truth is .25."""
    level = rng.beta(8, 8, (REPETITIONS, groups))
    c, chance, ceil = (
        level * share + 0.05 * rng.standard_normal(level.shape) for share in (0.9, 0.8, 1.2)
    )
    low, high = of_group_sums(np.stack([c - chance, ceil - chance], axis=2), quotient, "plain")
    return low - 0.25, high - 0.25


def slope(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """A slope within texts of a group, each with three doses and a noise that differs by text."""
    shape = (REPETITIONS, groups, 2, 3)
    dose = np.broadcast_to([-1.0, 0.0, 1.0], shape)
    effect = 0.3 * rng.standard_normal((*shape[:2], 1, 1)) - 0.7
    noise = rng.gamma(2, 0.3, (*shape[:3], 1)) * rng.standard_normal(shape)
    outcome = effect * dose + noise
    outcome = outcome - outcome.mean(axis=3, keepdims=True)
    sums = np.stack([(dose * outcome).sum(axis=(2, 3)), (dose**2).sum(axis=(2, 3))], axis=2)
    low, high = of_group_sums(sums, quotient, "plain")
    return low + 0.7, high + 0.7


def nested_mean(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """Tasks as groups, two seeds each, five texts each: `stats.hierarchical`."""
    shape = (REPETITIONS, groups)
    task = rng.standard_normal(shape) + sqrt(0.09 / 2 + 0.49 / 10) * rng.standard_normal(shape)
    return of_group_sums(np.stack([task, np.ones(shape)], axis=2), quotient, "plain")


ACCURACIES = np.array([[0.9, 0.6, 0.5], [0.6, 0.85, 0.55], [0.5, 0.6, 0.7]])


def transfer(statistic: Callable[[Array], Array], scale: Scale, texts: int = 20) -> Sample:
    """A function of the transfer matrix of ACCURACIES; texts of a group share their difficulty."""
    truth = statistic(ACCURACIES)

    def sample(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
        shape = (SLOW, groups, texts, 3, 3)
        latent = np.sqrt(0.2) * rng.standard_normal((*shape[:2], 1, 1, 1))
        latent = latent + np.sqrt(0.3) * rng.standard_normal((*shape[:3], 1, 1))
        latent = latent + np.sqrt(0.5) * rng.standard_normal(shape)
        means = (latent < norm.ppf(ACCURACIES)).mean(axis=2)
        total = means.sum(axis=1)
        left_out = statistic((total[:, None] - means) / (groups - 1))
        low, high = bounds(statistic(total / groups), [np.moveaxis(left_out, 1, 0)], scale=scale)
        return np.asarray(low - truth), np.asarray(high - truth)

    return sample


def equal_length(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
    """The effect of a language on attention at equal length (.1), four texts in a group."""
    lows, highs = [], []
    clusters = np.repeat(np.arange(groups), TEXTS).astype(str).tolist()
    for _ in range(SLOW):
        count = groups * TEXTS
        tokens = np.exp(rng.normal([3.0, 3.2], 0.3, (count, 2)))
        group = np.repeat(0.2 * rng.standard_normal((groups, 2)), TEXTS, axis=0)
        text = rng.standard_normal((count, 1))
        noise = 0.2 * rng.standard_normal((count, 2))
        values = text + np.array([0.0, 0.1]) + 0.3 * np.log(tokens) + group + noise
        effect = language_effect(values, tokens, clusters)
        lows.append(effect.low[1] - 0.1)
        highs.append(effect.high[1] - 0.1)
    return np.array(lows), np.array(highs)


def retained(a: Array) -> Array:
    """The share of what the target's own model gains over chance that the first model reaches."""
    return np.asarray((a[..., 0, 1] - 1 / 3) / (a[..., 1, 1] - 1 / 3))


ROWS = (
    Row("mean, difference", "normal", mean_of(lambda z: z, 0.0)),
    Row("mean, difference", "bounded and skewed", mean_of(lambda z: norm.cdf(z) ** 3, 0.25)),
    Row("mean, difference", "60 % zeros", mean_of(lambda z: np.maximum(z - norm.ppf(0.6), 0),
        float(norm.pdf(norm.ppf(0.6)) - 0.4 * norm.ppf(0.6)))),
    Row("mean, difference", "log-normal, heavy tail", mean_of(np.exp, exp(0.5))),
    Row("mean, difference", "groups of 1 to 8 texts", unequal_groups),
    Row("mean over tasks", "two seeds, five texts", nested_mean),
    Row("rate", ".7, single texts", rate_of(0.7, 0.0, 1)),
    Row("rate", ".7, correlated", rate_of(0.7, 0.3)),
    Row("rate", ".95, correlated", rate_of(0.95, 0.3)),
    Row("rate", ".8, three seeds", rate_over_seeds, SLOW),
    Row("ratio", "random / random", random_ratio),
    Row("ratio", "tokens / words", fertility),
    Row("log of a quotient of ratios", "two models, two controls", log_quotient),
    Row("agreement of tokenizers", "boundaries in words", equal_boundaries),
    Row("efficiency of a vocabulary", "Zipf, topics", repeated(vocabulary_use), SLOW),
    Row("kappa", "correlated parts", kappa),
    Row("correlation", ".5, correlated texts", pearson),
    Row("partial correlation", ".4, correlated texts", partial_correlation),
    Row("slope within texts", "unequal noise", slope),
    Row("transfer gap", "right or wrong", transfer(lambda a: a[..., 1, 1] - a[..., 0, 1], "plain"), SLOW),
    Row("transfer gap", "right or wrong, three seeds", repeated(gap_over_seeds), SLOW),
    Row("difference of languages", "other texts in each", repeated(other_texts), SLOW),
    Row("macro-F1", "three classes, correlated", repeated(classified), SLOW),
    Row("retained share", "right or wrong", transfer(retained, "plain"), SLOW),
    Row("factorial effect: input", "right or wrong", transfer(lambda a: factorial(a[..., :2, :2]).input, "plain"), SLOW),
    Row("factorial effect: interaction", "right or wrong", transfer(lambda a: factorial(a[..., :2, :2]).interaction, "plain"), SLOW),
    Row("share of variance", "right or wrong", transfer(lambda a: two_way(a).shares[..., 2], "share"), SLOW),
    Row("language effect", "at equal length", equal_length, SLOW),
    Row("similarity of states (CKA)", "two models, 16 dimensions", repeated(similar_states), SLOW),
    Row("calibration near a text", "calibrated, single texts", repeated(calibrated), SLOW),
    Row("accuracy of a head", ".6, three pairs a sentence", repeated(followed_relation), SLOW),
    Row("*percentile bootstrap*", "*normal, for comparison*", percentiles, SLOW),
)  # fmt: skip


def coverage(row: Row, groups: int) -> float:
    """The share of repetitions whose interval contains the truth; one without an interval does
    not."""
    low, high = row.sample(keyed("coverage", row.name, row.distribution, groups), groups)
    return float(((low <= 0) & (high >= 0)).mean())


def table() -> str:
    head = "| quantity | distribution | " + " | ".join(f"{each} groups" for each in GROUPS) + " |"
    lines = [head, "|---|---|" + "---|" * len(GROUPS)]
    for row in ROWS:
        cells = [f"{coverage(row, groups):.3f}".lstrip("0") for groups in GROUPS]
        lines.append(f"| {row.name} | {row.distribution} | {' | '.join(cells)} |")
    errors = [1.96 * sqrt(0.95 * 0.05 / count) for count in (REPETITIONS, SLOW)]
    lines.append(
        f"\n{REPETITIONS} repetitions each (Monte-Carlo error ±{errors[0]:.3f}), {SLOW} for rates over "
        "seeds, efficiency, the transfer matrix, macro-F1, language effects, states, calibration, heads and the "
        f"bootstrap (±{errors[1]:.3f})."
    )
    return "\n".join(lines)


def main() -> None:
    page = PAGE.read_text("utf-8")
    start, end = "<!-- coverage: python -m benchmarks.coverage -->", "<!-- /coverage -->"
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
    written = table()
    print(written)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE} lacks the lines {start} and {end}")
    PAGE.write_text(pattern.sub(lambda _: f"{start}\n{written}\n{end}", page), "utf-8")


if __name__ == "__main__":
    main()
