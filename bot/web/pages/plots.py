"""Bars by day, as numbers that a template draws. Pure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 170
LEFT, TOP, BOTTOM = 56, 10, 24
SCALES = ((1, 4), (2, 4), (4, 4), (6, 3), (8, 4), (10, 5))
"""Where a scale may end, and into how many parts it is cut: all but the first two into whole ones."""
MOST_DAYS_NAMED = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; `kind` is its class, `said` what it stands for."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    said: str


@dataclass(frozen=True, slots=True)
class Plot:
    """`ticks` are heights with what they stand for, `days` places from the left with the day's name.

    `legend` names the kinds of bars, where there are several.
    """

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    days: tuple[tuple[float, str], ...]
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """A value for each day, stacked on those of the series before; `say` writes one."""

    kind: str
    name: str
    values: Sequence[float]


def plot(days: Sequence[str], series: Sequence[Series], say: Callable[[float], str], least: float = 0.0) -> Plot:
    """Stacked bars over `days`; each series has a value for each day, and the scale ends at `least` or later."""
    most, parts = scale(
        max((sum(each) for each in zip(*(one.values for one in series), strict=True)), default=0.0), least
    )
    tall, step = HEIGHT - TOP - BOTTOM, (WIDTH - LEFT) / max(len(days), 1)
    bars = []
    for number, day in enumerate(days):
        floor = float(HEIGHT - BOTTOM)
        for one in series:
            height = tall * one.values[number] / most
            floor -= height
            if height:
                said = f"{day}: {say(one.values[number])} {one.name}".rstrip()
                x = round(LEFT + number * step + step * 0.1, 1)
                bars.append(Bar(x, round(floor, 1), round(step * 0.8, 1), round(height, 1), one.kind, said))
    ticks = [(round(HEIGHT - BOTTOM - tall * part / parts, 1), say(most * part / parts)) for part in range(parts + 1)]
    every = math.ceil(len(days) / MOST_DAYS_NAMED) or 1
    named = [(round(LEFT + at * step + step / 2, 1), day[5:]) for at, day in enumerate(days) if at % every == 0]
    legend = tuple((one.kind, one.name) for one in series) if len(series) > 1 else ()
    return Plot(tuple(bars), tuple(ticks), tuple(named), legend)


def scale(value: float, least: float = 0.0) -> tuple[float, int]:
    """Where a scale ends that holds the value, and how many parts it has; 1 where there is nothing to hold."""
    value = max(value, least)
    if value <= 0:
        return 1.0, 4
    power = 10.0 ** math.floor(math.log10(value))
    return next((end * power, parts) for end, parts in SCALES if end * power >= value * (1 - 1e-9))
