"""Where labels go: beside their points, never over each other, never outside the frame.

Labels are placed one after the other in the order they are given. Each tries places around its
point, near ones first and then farther ones with a leader line, and takes the free place that costs
least: covering points costs their area, distance costs a little, and so does the left side. What
is free is read off a raster of one cell per point of print, so that a label costs the same however
many points and labels there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from relmap.views.raster import along, cells, printed, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relmap._types import Floats, Integers

GAPS = (2.0, 9.0, 17.0, 27.0, 39.0, 54.0, 74.0)
"""How far from the edge of its marker a label may be, in points of print."""

LEADER_FROM = 5.0
"""A label farther from its marker than this gets a leader line."""

MANY = 150
"""Among more points than this, leader lines stay short."""

ROUNDS, FEW = 8, 80
"""How often up to so many labels are placed anew while some are unhappy; those then go first."""

UNHAPPY = 50.0
"""A label with a place that costs more than this is unhappy, as one without a place is."""

FULL = 250
"""After so many labels in a row for which there is no room, the frame is taken to be full."""

Size: TypeAlias = "Callable[[int], tuple[float, float]]"
"""From the position of a marker to the width and height of its label."""

_ANGLES = np.arange(16) * np.pi / 8
_SIDES = np.tile(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1), (len(GAPS), 1))
_GAPS = np.repeat(GAPS, len(_ANGLES))
_COSTS = (
    (0.3 * _GAPS + _GAPS**2 / 40 + 4.0 * (_GAPS > LEADER_FROM))
    + 1.2 * (1.0 - _SIDES[:, 0])
    + 0.8 * np.abs(_SIDES[:, 1])
)
"""What a place costs by itself: distance, a line, not being at the right, not being level."""

_LABEL, _LINE, _MARKER = 1, 2, 4
_SIEVE = np.linspace(0.02, 0.98, 9)


@dataclass(frozen=True)
class Ground:
    """What labels are laid on: a frame and the markers in it, in points of print.

    Attributes
    ----------
    width, height : float
    centres : array, n × 2
        Where the markers are, from the lower left corner.
    radii : array, n
    kinds : array of int, n
    """

    width: float
    height: float
    centres: Floats
    radii: Floats
    kinds: Integers


@dataclass(frozen=True)
class Placed:
    """Labels that found room.

    Attributes
    ----------
    points : array, k
        Which marker each label belongs to.
    boxes : array, k × 4
        Left, bottom, right and top of each label.
    leaders : array, k × 4
        From marker (x, y) to label (x, y); NaN where the label is beside its point.
    """

    points: Integers
    boxes: Floats
    leaders: Floats


def place(ground: Ground, order: Iterable[int], size: Size, most: Sequence[int]) -> Placed:
    """Place labels, up to a number for each kind and a number in all.

    Parameters
    ----------
    ground : Ground
    order : positions of the markers to label, the most important first
    size : function from such a position to the width and height of its label
    most : for each kind how many labels at most, and last how many in all
    """
    wanted = list(order)
    best = _Round(ground).run(wanted, size, most)
    if len(wanted) > min(most[-1], FEW):
        return best.placed()
    latest = best
    for _ in range(ROUNDS):
        unhappy = {point for point in wanted if latest.cost.get(point, np.inf) > UNHAPPY}
        if not unhappy:
            break
        wanted.sort(key=lambda point: point not in unhappy)
        latest = _Round(ground).run(wanted, size, most)
        best = max(best, latest, key=_Round.merit)
    return best.placed()


class _Round:
    """Labels laid one after the other on a raster that knows which cells are taken."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.found: dict[int, tuple[Floats, Floats]] = {}
        self.cost: dict[int, float] = {}
        shape = (int(np.ceil(ground.height)) + 1, int(np.ceil(ground.width)) + 1)
        self.printed = printed(ground.centres, ground.radii, shape)
        self.ink = summed(self.printed)
        self.taken = np.zeros(shape, dtype=np.uint8)
        count = max(len(ground.centres), 1)
        # Few points can all be kept free; among many a label must cover some, and long leader
        # lines would only add to the crowd.
        self.price = 0.35 + 1000.0 / count
        self.allowed = np.flatnonzero((GAPS[-1] if count <= MANY else GAPS[3]) >= _GAPS)

    def run(self, order: Iterable[int], size: Size, most: Sequence[int]) -> _Round:
        """Place labels until there are enough or the frame is full."""
        left, misses = list(most), 0
        for point in order:
            kind = int(self.ground.kinds[point])
            if not left[-1] or misses >= FULL:
                break
            if not left[kind] or self._hidden(point):
                continue
            settled = self._settle(point, *size(point))
            misses = 0 if settled else misses + 1
            left[kind] -= settled
            left[-1] -= settled
        return self

    def merit(self) -> tuple[int, float]:
        """Return what makes a round better: more labels, then lower costs."""
        return len(self.cost), -sum(self.cost.values())

    def placed(self) -> Placed:
        """Return the labels that found room."""
        boxes, leaders = zip(*self.found.values(), strict=True) if self.found else ((), ())
        points = np.fromiter(self.found, dtype=np.intp)
        return Placed(points, np.reshape(boxes, (-1, 4)), np.reshape(leaders, (-1, 4)))

    def _hidden(self, point: int) -> bool:
        """Say whether a label lies over the middle of a marker."""
        column, row = self.ground.centres[point].astype(np.intp)
        return bool(self.taken[row, column] & _LABEL)

    def _settle(self, point: int, width: float, height: float) -> bool:
        """Take the cheapest free place for a label, if there is one."""
        centre, radius = self.ground.centres[point], float(self.ground.radii[point])
        boxes = _around(centre, radius, width, height)[self.allowed]
        likely = self._likely(boxes)
        boxes, costs = boxes[likely], _COSTS[self.allowed][likely]
        costs = costs + self.price * (self._covered(boxes) + self._crossed(centre, radius, boxes))
        for i in np.argsort(costs, kind="stable"):
            leader = _leader(centre, radius, boxes[i])
            if self._free(boxes[i], leader):
                self._take(centre, radius, boxes[i], leader)
                self.found[point], self.cost[point] = (boxes[i], leader), float(costs[i])
                return True
        return False

    def _likely(self, boxes: Floats) -> Integers:
        """Return the boxes inside the frame of which a few cells are free: a quick sieve."""
        far = np.array([self.ground.width, self.ground.height]) - 1.0
        fits = (boxes[:, :2] >= 1.0).all(axis=1) & (boxes[:, 2:] <= far).all(axis=1)
        inside = np.flatnonzero(fits)
        left, bottom, right, top = boxes[inside].T[:, :, None]
        columns = (left + (right - left) * _SIEVE).astype(np.intp)
        rows = (bottom + (top - bottom) * _SIEVE[::4]).astype(np.intp)
        free: Integers = inside[~self.taken[rows[:, :, None], columns[:, None, :]].any(axis=(1, 2))]
        return free

    def _covered(self, boxes: Floats) -> Floats:
        """Return how many cells of markers each box covers."""
        left, bottom, right, top = cells(boxes).T
        ink = self.ink
        covered: Floats = ink[top, right] - ink[bottom, right] - ink[top, left] + ink[bottom, left]
        return covered

    def _crossed(self, centre: Floats, radius: float, boxes: Floats) -> Floats:
        """Return how many cells of markers the line to each box crosses."""
        way = np.clip(centre, boxes[:, :2], boxes[:, 2:]) - centre
        length = np.hypot(*way.T)
        start = np.minimum((radius + 1.5) / np.maximum(length, 1e-9), 1.0)
        steps = start[:, None] + (1.0 - start)[:, None] * _SIEVE
        columns, rows = (centre[:, None, None] + way.T[:, :, None] * steps).astype(np.intp)
        crossed: Floats = self.printed[rows, columns].mean(axis=1) * length * (1.0 - start)
        return crossed

    def _free(self, box: Floats, leader: Floats) -> bool:
        left, bottom, right, top = cells(box)
        if self.taken[bottom:top, left:right].any():
            return False
        return not (self.taken[along(leader)] & (_LABEL | _LINE)).any()

    def _take(self, centre: Floats, radius: float, box: Floats, leader: Floats) -> None:
        marker = np.concatenate([centre - radius, centre + radius])
        for edges, what in ((box, _LABEL), (marker, _MARKER)):
            left, bottom, right, top = cells(edges)
            self.taken[max(bottom, 0) : top, max(left, 0) : right] |= what
        rows, columns = along(leader)
        for right in (0, 1):  # two cells wide, so that no line slips through between corners
            self.taken[rows, columns + right] |= _LINE


def _around(centre: Floats, radius: float, width: float, height: float) -> Floats:
    """List the places for a label around a marker."""
    half = np.array([width, height]) / 2
    reach = _SIDES * (radius + _GAPS)[:, None] + half * np.clip(1.5 * _SIDES, -1.0, 1.0)
    return np.concatenate([centre + reach - half, centre + reach + half], axis=1)


def _leader(centre: Floats, radius: float, box: Floats) -> Floats:
    """Return the line from the edge of a marker to the nearest place on a label."""
    end = np.clip(centre, box[:2], box[2:])
    way = end - centre
    length = float(np.hypot(*way))
    if length - radius < LEADER_FROM:
        return np.full(4, np.nan)
    return np.concatenate([centre + way * (radius + 0.5) / length, end])
