"""Search for the settings of a map that lose the fewest near pairs.

What is lost, Γ, is a whole number: a landscape of terraces, rough at every scale, on which no
gradient leads anywhere. Between settings that lose equally many pairs the *strain* decides: how far
the lost pairs are out of reach, Σ log(distance / reach).

Four stages, each with what the one before found: a coarse *scan* of the box; random *tries* that
close in from the best scan of every choice of the cheap settings, since each may lie in a narrow
valley of its own; *mixing* of the ends and the best so far (differential evolution: a member moves
by the difference of two others and stays where that is better); and tries again around the best.
On eight sets of points and two tables (papers/coembed/search.py) that loses as few pairs as the
genetic search of the paper or fewer, but on two, with 37 % of its evaluations and 22 % of its
singular value problems.
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

NICHES, FIRST_TRIES = 9, 20
MEMBERS, MIXED, MIXING, JITTER = 24, 300, 0.6, 0.05
LAST_TRIES = 90
SAME_HEAVY = 0.5  # share of tries that leave the costly settings as they are

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

    def sorted(self) -> list[Point]:
        """All points so far, the best first."""
        return sorted(self.seen, key=self.seen.__getitem__)

    def __call__(self, point: Point) -> Cost:
        """Return the cost of a point."""
        if point not in self.seen:
            self.seen[point] = self.cost(point)
            best = self.seen[self.best]
            if best.lost == 0 or self.watch(len(self.seen), best):
                raise Ended
        return self.seen[point]


Method: TypeAlias = Callable[[Ledger, Box, Sequence[Point], np.random.Generator], None]


def staged(ledger: Ledger, box: Box, scan: Sequence[Point], rng: np.random.Generator) -> None:
    """Scan, try around the best of every niche, mix, try around the best."""
    for point in scan:
        ledger(point)
    niches: dict[Point, Point] = {}
    for point in ledger.sorted():
        niches.setdefault(point[box.heavy :], point)
    ends = [_tries(ledger, box, rng, p, FIRST_TRIES) for p in list(niches.values())[:NICHES]]
    _mix(ledger, box, rng, list(dict.fromkeys([*ends, *ledger.sorted()]))[:MEMBERS])
    _tries(ledger, box, rng, ledger.best, LAST_TRIES)


def _tries(ledger: Ledger, box: Box, rng: np.random.Generator, point: Point, count: int) -> Point:
    """Try at random around a point, wider after a success, closer after a failure."""
    radius = 1.0
    for _ in range(count):
        jump = rng.normal(size=len(point)) * box.step * radius
        if rng.random() < SAME_HEAVY and box.heavy < len(point):
            jump[: box.heavy] = 0
        trial = box.inside(point + jump)
        if ledger(trial) < ledger(point):
            point, radius = trial, min(1.5 * radius, 1.0)
        else:
            radius = max(0.96 * radius, 0.05)
    return point


def _mix(ledger: Ledger, box: Box, rng: np.random.Generator, members: list[Point]) -> None:
    """Move members by differences of others; settings without a step are exchanged as they are."""
    if len(members) < 3:
        return
    free = box.step > 0
    for _ in range(MIXED):
        i = rng.integers(len(members))
        a, b, c = (np.array(members[j]) for j in rng.choice(len(members), 3, replace=False))
        moved = np.array(min(members, key=ledger)) if rng.random() < 0.5 else a
        moved[free] += MIXING * (b[free] - c[free])
        moved[free] += JITTER * (rng.normal(size=len(free)) * box.step)[free]
        taken = rng.random(len(free)) < 0.8
        if rng.random() < SAME_HEAVY:
            taken[: box.heavy] = False
        trial = box.inside(np.where(taken, moved, members[i]))
        if ledger(trial) < ledger(members[i]):
            members[i] = trial


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


METHODS: dict[str, Method] = {"staged": staged, "genetic": genetic}


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
                points = dict.fromkeys(
                    tuple(float(choice[n]) for n in box.names) for choice in scan
                )
                method = METHODS[settings["search"]]
                method(ledger, box, list(points), generator(settings["random_state"]))
            else:
                ledger(())
    trials = tuple(Trial(whole(point), int(c.lost)) for point, c in ledger.seen.items())
    return Found(whole(ledger.best), int(ledger.seen[ledger.best].lost), trials)
