"""The plane of a surrogate model: every word at its value (x) and its importance (y), as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

from markupsafe import Markup, escape

from babelscope.display.numbers import significant
from babelscope.errors import InputError
from babelscope.types import Attribution

WIDTH, HEIGHT, MARGIN = 640, 400, 48


def has_plane(attribution: Attribution) -> bool:
    """Whether the explanation carries a value and an importance for its tokens."""
    return (
        any(value is not None for value in attribution.details.get("value", ()))
        and "importance" in attribution.details
    )


def plane_svg(attribution: Attribution) -> Markup:
    """Each distinct unit once at its value (x) and importance (y), with bars of one standard
    deviation.

    Blue units support the explained class, orange ones oppose it, as in the text.
    """
    if not has_plane(attribution):
        raise InputError(
            f"{attribution.id}: an explanation by {attribution.method} has no value and "
            "importance to plot; explain with slalom"
        )
    points = _points(attribution)
    across = _axis(
        [value + side * (sd or 0) for _, value, _, sd, _ in points for side in (-1, 1)] + [0.0]
    )
    upward = _axis(
        [height + side * (sd or 0) for _, _, height, _, sd in points for side in (-1, 1)] + [0.0]
    )

    def x(value: float) -> float:
        return MARGIN + (value - across[0]) / (across[-1] - across[0]) * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return (
            HEIGHT - MARGIN - (value - upward[0]) / (upward[-1] - upward[0]) * (HEIGHT - 2 * MARGIN)
        )

    parts = [Markup('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" '
                    'width="{}">').format(
        WIDTH, HEIGHT, WIDTH)]  # fmt: skip
    parts.append(
        Markup("<title>{}</title>").format(f"value and importance of the words of {attribution.id}")
    )
    parts.append(Markup('<rect width="{}" height="{}" fill="#fff"/>').format(WIDTH, HEIGHT))
    parts.append(Markup('<g font-family="system-ui,sans-serif" font-size="11" fill="#555">'))
    for tick in across:
        parts.append(
            _line(x(tick), MARGIN, x(tick), HEIGHT - MARGIN, "#bbb" if tick == 0 else "#eee")
        )
        parts.append(_text(x(tick), HEIGHT - MARGIN + 16, significant(tick, 6), "middle"))
    for tick in upward:
        parts.append(
            _line(MARGIN, y(tick), WIDTH - MARGIN, y(tick), "#bbb" if tick == 0 else "#eee")
        )
        parts.append(_text(MARGIN - 6, y(tick) + 4, significant(tick, 6), "end"))
    parts.append(
        _text(
            WIDTH / 2,
            HEIGHT - 10,
            f"value: the {attribution.quantity} of {attribution.target} for the word alone",
            "middle",
        )
    )
    parts.append(
        _text(MARGIN, MARGIN - 14, "importance: its weight among the other words", "start")
    )
    parts.append(Markup("</g>"))
    for name, value, height, value_sd, height_sd in points:
        parts += _point(name, x(value), y(height), value > 0,
                        [x(value + side * (value_sd or 0)) for side in (-1, 1)],
                        [y(height + side * (height_sd or 0)) for side in (-1, 1)])  # fmt: skip
    return Markup("").join([*parts, Markup("</svg>")])


def _points(attribution: Attribution) -> list[tuple[str, float, float, float | None, float | None]]:
    """Name, value, importance and their standard deviations of every distinct unit."""
    names: dict[int, str] = {}
    first: dict[int, int] = {}
    for token, place in enumerate(attribution.details["unit_position"]):
        start, end = attribution.offsets[token]
        names[place] = names.get(place, "") + (
            attribution.texts[attribution.segment[token]][start:end].strip()
            or attribution.tokens[token]
        )
        first.setdefault(place, token)
    points = {}
    for place, token in first.items():
        numbers = [
            attribution.details[name][token]
            for name in ("value", "importance", "value_sd", "importance_sd")
        ]
        if numbers[0] is not None and isfinite(numbers[0]):
            points[(names[place], attribution.segment[token])] = (names[place], *numbers)
    return list(points.values())


def _axis(values: Sequence[float]) -> list[float]:
    """Ticks at round numbers, from below the least to above the largest value."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    step = 10 ** floor(log10((high - low) / 3))
    step *= next(times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= 8)
    return [round(at * step, 10) for at in range(floor(low / step), ceil(high / step) + 1)]


def _point(
    name: str, x: float, y: float, supports: bool, wide: Sequence[float], tall: Sequence[float]
) -> list[Markup]:
    colour = "#2166ac" if supports else "#b35806"
    bars = [_line(wide[0], y, wide[1], y, colour), _line(x, tall[0], x, tall[1], colour)]
    dot = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>').format(x, y, colour)
    label = Markup(
        '<text x="{:.1f}" y="{:.1f}" font-family="system-ui,sans-serif" font-size="13" '
        'fill="{}">{}</text>'
    )
    return [*bars, dot, label.format(x + 6, y - 5, colour, escape(name))]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> Markup:
    line = Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}"/>')
    return line.format(x1, y1, x2, y2, colour)


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        x, y, anchor, text
    )
