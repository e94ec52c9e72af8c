"""How many texts a comparison needs."""

from __future__ import annotations

from math import ceil

from scipy.stats import norm

from babelscope.errors import InputError


def texts_needed(
    deviation: float, difference: float, *, power: float = 0.8, level: float = 0.05
) -> int:
    """Texts that a paired comparison needs to find a difference of means.

        texts_needed(0.5, 0.1)  # 197

        n = ((z_{1 - level / 2} + z_power) deviation / difference)^2

    `deviation` is the standard deviation over texts of the difference between two models on the
    same text; texts are independent.

    *Laws*: half the difference needs four times the texts; more power needs more.
    """
    if deviation < 0 or difference <= 0 or not (0 < power < 1 and 0 < level < 1):
        raise InputError(
            "a power calculation needs a deviation of at least 0, a difference above 0, and power "
            f"and level between 0 and 1, not {deviation}, {difference}, {power} and {level}"
        )
    z = float(norm.ppf(1 - level / 2) + norm.ppf(power))
    return ceil((z * deviation / difference) ** 2)
