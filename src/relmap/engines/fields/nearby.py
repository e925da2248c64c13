"""Sums over what is nearby, for Gaussian kernels: exact but for a share that is bounded.

Sources and targets are sorted into cells. In a cell of targets every target sees at least the mass
of some cell of sources, at the farthest corner; cells that even at the nearest corner, and all
taken together, are less than the tolerance of that are left out. What is left is summed directly.
Far from everything few sources matter, however far it is, so this suits the targets that a sum by
waves is too coarse for.
"""

from __future__ import annotations

import numpy as np

from relmap._threads import each
from relmap._types import Floats, Integers
from relmap.engines.fields import direct
from relmap.engines.fields.problem import Field, KernelSums

EDGE = 2.0  # of a cell of targets, and of sources at least
CELLS = 2000  # of sources, about, at most
SMALL = 20_000  # so few pairs are not worth blocks
GROUP = 32  # cells of targets that make a piece of work
TOGETHER = 256  # targets that are done together, at most
FEW = 2_000_000  # so few pairs are not worth the sorting
CELL = 200_000  # nanoseconds to begin a cell of targets
SAMPLE = 300


def cost(problem: KernelSums) -> float:
    """Estimate the nanoseconds that `solve` takes on one thread, from a sample of pairs."""
    (n, _), m = problem.targets.shape, len(problem.sources)
    if not problem.kernel.exponential or n * m <= FEW:
        return np.inf
    targets, sources = problem.targets[:: n // SAMPLE + 1], problem.sources[:: m // SAMPLE + 1]
    squares = ((targets[:, None] - sources) ** 2).sum(axis=2)
    reach = np.sqrt(-np.log(problem.tolerance / m)) + EDGE
    nearest = np.sqrt(squares.min(axis=1, keepdims=True))
    seen = float((np.sqrt(squares) <= np.hypot(nearest, reach)).mean())
    cells = np.prod(np.ptp(problem.targets, axis=0) / EDGE + 1)
    return direct.cost(problem) * seen + CELL * float(min(n, cells + n / TOGETHER))


def solve(problem: KernelSums) -> Field:
    """Return the field at all targets."""
    (n, q), m = problem.targets.shape, len(problem.sources)
    if not problem.kernel.exponential or n * m <= FEW:
        return direct.solve(problem)
    field = Field(np.empty(n), np.empty((n, q)), np.empty((n, problem.quantities.shape[1] - 1)))
    cells = _Cells(problem)

    def work(group: list[Integers]) -> None:
        for places in group:
            part = problem.part(places, cells.near(problem.targets[places]))
            small = len(part.targets) * len(part.sources) <= SMALL
            field.put(places, direct.exact(part) if small else direct.solve(part))

    groups = _targets(problem.targets)
    each(work, [groups[i : i + GROUP] for i in range(0, len(groups), GROUP)])
    return field


def _sorted(points: Floats, edge: float) -> tuple[Integers, Integers]:
    """Return an order in which the points of a cell follow each other, and where cells begin."""
    columns = np.floor((points - points.min(axis=0)) / edge).astype(np.int64)
    keys = np.ravel_multi_index(tuple(columns.T), tuple(columns.max(axis=0) + 1))
    order = np.argsort(keys, kind="stable")
    return order, np.flatnonzero(np.diff(keys[order], prepend=-1))


def _targets(points: Floats) -> list[Integers]:
    """Return the targets cell by cell, large cells cut up."""
    order, starts = _sorted(points, _edge(points, EDGE, 1e6))
    cells = np.split(order, starts[1:])
    return [c[i : i + TOGETHER] for c in cells for i in range(0, len(c), TOGETHER)]


def _edge(points: Floats, least: float, cells: float) -> float:
    """Return an edge with which there are not many more cells than wanted."""
    extent = np.ptp(points, axis=0)
    return max(least, float(extent.max()) / cells ** (1 / len(extent)))


class _Cells:
    """The sources in cells: their boxes, and what they weigh."""

    def __init__(self, problem: KernelSums) -> None:
        self.order, self.starts = _sorted(problem.sources, _edge(problem.sources, EDGE, CELLS))
        points, offsets = problem.sources[self.order], problem.offsets[self.order]
        self.low = np.minimum.reduceat(points, self.starts).T.copy()  # a row per axis
        self.high = np.maximum.reduceat(points, self.starts).T.copy()
        heaviest = np.maximum.reduceat(offsets, self.starts)
        self.sizes = np.diff(self.starts, append=len(offsets))
        base = np.where(heaviest > -np.inf, heaviest, 0)
        masses = np.add.reduceat(np.exp(offsets - np.repeat(base, self.sizes)), self.starts)
        # one source of a cell may be the target itself, which does not count
        sure = masses if problem.own is None else masses * (1 - 1e-12) - 1
        with np.errstate(divide="ignore"):
            self.log_most = np.log(masses) + base
            self.log_least = np.log(np.maximum(sure, 0)) + base
        self.slack = np.log(problem.tolerance / len(self.starts))

    def near(self, targets: Floats) -> Integers:
        """Return the sources that matter to targets of one cell, in their own order."""
        low, high = targets.min(axis=0)[:, None], targets.max(axis=0)[:, None]
        gap = np.maximum(np.maximum(self.low - high, low - self.high), 0)
        span = np.maximum(self.high - low, high - self.low)
        least = (self.log_least - (span**2).sum(axis=0)).max()
        most = self.log_most - (gap**2).sum(axis=0)
        chosen = np.flatnonzero(most >= least + self.slack)
        parts = [self.order[a : a + k] for a, k in zip(self.starts[chosen], self.sizes[chosen],
                                                       strict=True)]  # fmt: skip
        return np.sort(np.concatenate(parts))
