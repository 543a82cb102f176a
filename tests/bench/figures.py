"""From pairs of measurements to the lines for people and the one for machines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.floor import Measured
from bench.journal import Run

TARGET = 1.5


@dataclass(frozen=True, slots=True)
class Pair:
    """The pipeline and its floor, measured one right after the other."""

    run: Run
    floor: Measured

    @property
    def ratio(self) -> float:
        """How much longer the pipeline took."""
        return self.run.seconds / self.floor.seconds


@dataclass(frozen=True, slots=True)
class Figures:
    """One subject: one pair without mirror and environment, several with them."""

    name: str
    cold: Pair
    warm: tuple[Pair, ...]

    @property
    def met(self) -> bool:
        """Whether the warm ratio is within the target."""
        return bool(summary(self.warm)["ratio"] <= TARGET)


def summary(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Medians; `suite_runs` counts whole suites, `selected_runs` runs of the target tests alone."""
    seconds = median(pair.run.seconds for pair in pairs)
    floor_seconds = median(pair.floor.seconds for pair in pairs)
    return {
        "seconds": round(seconds, 3),
        "floor_seconds": round(floor_seconds, 3),
        "suite_runs": len(pairs[-1].floor.suites),
        "selected_runs": len(pairs[-1].floor.selections),
        "ratio": round(seconds / floor_seconds, 3),
    }


def document(found: Sequence[Figures], wanted: Iterable[str], write_spacing: float) -> dict[str, Any]:
    """The last line's content. Not met unless every wanted subject was measured and is within the target."""
    result: dict[str, Any] = {one.name: {"cold": summary([one.cold]), "warm": summary(one.warm)} for one in found}
    result["write_spacing_seconds"] = round(write_spacing, 3)
    result["met"] = {one.name for one in found if one.met} == set(wanted)
    return result


def lines(one: Figures) -> list[str]:
    """A subject's figures with their noise, and where the warm seconds went."""
    cold, warm = summary([one.cold]), summary(one.warm)
    spreads = {
        "pipeline": [pair.run.seconds for pair in one.warm],
        "floor": [pair.floor.seconds for pair in one.warm],
        "ratio": [pair.ratio for pair in one.warm],
    }
    return [
        f"{one.name}: {warm['suite_runs']} runs of the suite and {warm['selected_runs']} of the target tests alone",
        f"  cold {_figures(cold)}; one measurement, the floor's install {one.cold.floor.install:.2f} s",
        f"  warm {_figures(warm)}; medians of {len(one.warm)}",
        *(f"       {name} from {min(values):.2f} to {max(values):.2f}" for name, values in spreads.items()),
        f"       without suites side by side, the ratio would be at most {_in_turn(one.warm):.2f}",
        *_parts("pipeline, cold", one.cold.run.breakdown()),
        *_parts("pipeline, warm", _medians([pair.run.breakdown() for pair in one.warm])),
        *_parts("floor, warm", _medians([_floor_parts(pair.floor) for pair in one.warm])),
    ]


def _figures(found: Mapping[str, Any]) -> str:
    return f"{found['seconds']:.2f} s, floor {found['floor_seconds']:.2f} s, ratio {found['ratio']:.2f}"


def _in_turn(pairs: Sequence[Pair]) -> float:
    return median(pair.run.seconds_in_turn for pair in pairs) / median(pair.floor.seconds for pair in pairs)


def _floor_parts(floor: Measured) -> dict[str, float]:
    return {"clone": floor.clone, "suites": sum(floor.suites), "selections": sum(floor.selections)}


def _medians(many: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: median(one[name] for one in many) for name in many[0]}


def _parts(title: str, parts: Mapping[str, float]) -> list[str]:
    return [f"    {title}:", *(f"      {seconds:7.2f} s  {name}" for name, seconds in parts.items())]
