"""Search for the settings of a map that lose the fewest near pairs.

What is lost, Γ, is a whole number: a landscape of terraces, rough at every scale, on which no
gradient leads anywhere. Between settings that lose equally many pairs the *strain* decides: how far
the lost pairs are out of reach, Σ log(distance / reach).

Three stages, each with what the one before found: a coarse *scan* of the box; from its best corners
that are apart, a *compass* search (step along axes and diagonals while that helps, then halve the
steps); around the best of these, a *scatter* of random tries that close in on it. On eight sets of
points (papers/coembed/search.py) that ends at Γ as small as the genetic search of the paper or
smaller, with a third of its evaluations and an eighth of its singular value problems.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relmap._progress import Step, tell, watching
from relmap._types import Floats, generator
from relmap.engines.nearness import NearPairs
from relmap.errors import NeighboursWarning
from relmap.models.coembedding.core import Core

STARTS = 6  # scanned corners from which a compass search sets out
HALVINGS = 4
TRIES = 200  # of the scatter
SAME_HEAVY = 2 / 3  # share of tries that leave the costly settings as they are

Point = tuple[float, ...]


class Cost(NamedTuple):
    """Pairs lost, and the strain; compared in this order."""

    lost: float
    strain: float


class Trial(NamedTuple):
    """One choice of settings that was tried, and how many near pairs its map loses."""

    settings: dict[str, float]
    lost: int


class Range(NamedTuple):
    """Where a setting is looked for, a step that changes the map, and whether it is costly."""

    low: float
    high: float
    step: float
    heavy: bool = False


@dataclass(frozen=True)
class Box:
    """Where the settings are looked for.

    Attributes
    ----------
    names : tuple of str
    low, high, step : arrays
        The range of each setting, and a step that changes the map noticeably.
    heavy : int
        So many of the first settings are costly to change.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    step: Floats
    heavy: int

    @classmethod
    def of(cls, ranges: Mapping[str, Range], settings: Mapping[str, Any]) -> Box:
        """Take the settings that are "auto"."""
        free = {name: r for name, r in ranges.items() if settings[name] == "auto"}
        low, high, step = np.array([r[:3] for r in free.values()], dtype=float).reshape(-1, 3).T
        return cls(tuple(free), low, high, step, sum(r.heavy for r in free.values()))

    def inside(self, point: Floats) -> Point:
        """Return the nearest point of the box, in figures short enough to be read."""
        return tuple(np.round(np.clip(point, self.low, self.high), 4).tolist())


class Ended(Exception):  # noqa: N818 (an ending, not an error)
    """Nothing better can be found, or a callback asked to stop."""


@dataclass
class Ledger:
    """Evaluates points once each, and remembers all of them."""

    cost: Callable[[Point], Cost]
    watch: Callable[[int, Cost], bool]
    seen: dict[Point, Cost] = field(default_factory=dict)

    @property
    def best(self) -> Point:
        """The best point so far."""
        return min(self.seen, key=self.seen.__getitem__)

    def __call__(self, point: Point) -> Cost:
        """Return the cost of a point."""
        if point not in self.seen:
            self.seen[point] = self.cost(point)
            best = self.seen[self.best]
            if best.lost == 0 or self.watch(len(self.seen), best):
                raise Ended
        return self.seen[point]


Method: TypeAlias = Callable[[Ledger, Box, Sequence[Point], np.random.Generator], None]


def pattern(ledger: Ledger, box: Box, scan: Sequence[Point], rng: np.random.Generator) -> None:
    """Scan, compass, scatter."""
    for point in scan:
        ledger(point)
    for point in _apart(ledger, box):
        _compass(ledger, box, point)
    _scatter(ledger, box, rng)


def _apart(ledger: Ledger, box: Box) -> list[Point]:
    """Return the best of every costly choice, as long as they are more than a step apart."""
    chosen: list[Point] = []
    heavy = slice(0, box.heavy)
    reach = 1.01 * box.step[heavy]
    for point in sorted(ledger.seen, key=ledger.seen.__getitem__):
        if not any(np.isclose(point[heavy], o[heavy], 0, reach).all() for o in chosen):
            chosen.append(point)
        if len(chosen) == STARTS:
            break
    return chosen


def _compass(ledger: Ledger, box: Box, start: Point) -> None:
    """Step while that helps, then halve the steps."""
    point, directions = start, _directions(len(start), box.heavy)
    for halving in range(HALVINGS):
        step, before = box.step / 2**halving, None
        while before != point:
            before = point
            for direction in directions:
                while ledger(trial := box.inside(point + direction * step)) < ledger(point):
                    point = trial


def _directions(size: int, heavy: int) -> list[Floats]:
    """Return the axes, the cheap ones first, and the diagonals of the costly ones."""
    axes = [
        sign * np.eye(size)[i] for i in (*range(heavy, size), *range(heavy)) for sign in (1, -1)
    ]
    if heavy < 2:
        return axes
    corners = [np.array(c, dtype=float) for c in ((1, 1), (-1, -1), (1, -1), (-1, 1))]
    return axes + [np.concatenate([c, np.zeros(size - 2)]) for c in corners]


def _scatter(ledger: Ledger, box: Box, rng: np.random.Generator) -> None:
    """Try at random around the best point, wider after a success, closer after a failure."""
    point, radius = ledger.best, 1.0
    for _ in range(TRIES):
        jump = rng.normal(size=len(point)) * box.step * radius
        if rng.random() < SAME_HEAVY and box.heavy < len(point):
            jump[: box.heavy] = 0
        trial = box.inside(point + jump)
        if ledger(trial) < ledger(point):
            point, radius = trial, min(1.5 * radius, 1.0)
        else:
            radius = max(0.96 * radius, 0.05)


POPULATION, ELITE, CROSSED, PATIENCE, GENERATIONS = 52, 3, 0.8, 50, 400


def genetic(ledger: Ledger, box: Box, _scan: Sequence[Point], rng: np.random.Generator) -> None:
    """Search as the paper did: 52 members, ranks, uniform crossover, elitism, 50 idle generations.

    The paper used Matlab's toolbox; what it does not tell (three elite members, mutations of 15 %
    of the range) follows that toolbox's defaults.
    """
    span = box.high - box.low
    members = [box.inside(box.low + rng.random(len(span)) * span) for _ in range(POPULATION)]
    idle, best = 0, min(map(ledger, members))
    for _ in range(GENERATIONS):
        members.sort(key=ledger)
        members = members[:ELITE] + _children(members, box, rng)
        now = min(map(ledger, members))
        idle, best = (idle + 1, best) if now.lost >= best.lost else (0, now)
        if idle >= PATIENCE:
            break


def _children(members: Sequence[Point], box: Box, rng: np.random.Generator) -> list[Point]:
    """Return children of sorted members: most of two parents, the others mutations of one."""
    fitness = np.arange(1, POPULATION + 1) ** -0.5
    count = POPULATION - ELITE
    pointers = (rng.random() + np.arange(2 * count)) / (2 * count)
    parents = np.searchsorted(np.cumsum(fitness / fitness.sum()), pointers).clip(0, POPULATION - 1)
    rng.shuffle(parents)
    first, second = np.array(members)[parents].reshape(2, count, -1)
    crossed = np.where(rng.random(first.shape) < 0.5, first, second)
    mutated = first + 0.15 * (box.high - box.low) * rng.normal(size=first.shape)
    few = np.arange(count) >= round(CROSSED * count)
    return [box.inside(child) for child in np.where(few[:, None], mutated, crossed)]


METHODS: dict[str, Method] = {"pattern": pattern, "genetic": genetic}


def near_pairs(core: Core, settings: Mapping[str, Any], ranges: Iterable[str]) -> NearPairs:
    """Find the pairs whose loss the search counts; warn where none can be lost."""
    near = NearPairs.of(core.counts, settings["neighbours"])
    crowded = [
        (room >= size).all() for room, size in zip(near.room, core.counts.shape[::-1], strict=True)
    ]
    if all(crowded) and any(settings[name] == "auto" for name in ranges):
        n, m = core.counts.shape
        warnings.warn(
            f"with neighbours={settings['neighbours']} all of the {n:,} rows and {m:,} columns are "
            'near each other: no map keeps more of that than another, and what is "auto" is '
            "arbitrary. Take fewer neighbours, or give the settings.",
            NeighboursWarning,
            stacklevel=5,
        )
    return near


class Found(NamedTuple):
    """The settings chosen (those given among them), what they lose, and all that was tried."""

    settings: dict[str, Any]
    lost: int
    trials: tuple[Trial, ...]


def choose(
    cost: Callable[[dict[str, Any]], Cost],
    ranges: Mapping[str, Range],
    scan: Sequence[Mapping[str, float]],
    settings: Mapping[str, Any],
    description: str,
) -> Found:
    """Choose the settings that are "auto" among `ranges`, the others being given.

    `scan` lists whole choices, from which the search sets out.
    """
    box = Box.of(ranges, settings)
    given = {name: settings[name] for name in ranges}

    def whole(point: Point) -> dict[str, Any]:
        return given | dict(zip(box.names, point, strict=True))

    with watching(settings, description) as callbacks:

        def watch(count: int, best: Cost) -> bool:
            return tell(callbacks, Step(count, count, best.lost, best.strain, limit=count))

        ledger = Ledger(lambda point: cost(whole(point)), watch)
        with suppress(Ended):
            if box.names:
                points = dict.fromkeys(tuple(choice[n] for n in box.names) for choice in scan)
                method = METHODS[settings["search"]]
                method(ledger, box, list(points), generator(settings["random_state"]))
            else:
                ledger(())
    trials = tuple(Trial(whole(point), int(c.lost)) for point, c in ledger.seen.items())
    return Found(whole(ledger.best), int(ledger.seen[ledger.best].lost), trials)
