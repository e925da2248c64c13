"""What is summed by waves, and what is not: the bulk of targets and sources, in a box.

A wide box needs many waves, so it leaves out targets far away from most. Sources that outweigh all
others are left out, because the error of a sum is a share of the mass of all the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from relmap._types import Floats, Integers
from relmap.engines.fields.problem import KernelSums

FINEST, COARSEST = 1e-13, 1e-9  # precision: finufft has no more, and less is hardly faster
MARGIN = 5  # largest error of a sum found, with a single source, was below the precision
THIN = 1e-2  # sources as thin as this, beside an even spread, are still summed precisely enough
HEAVY = 200  # at most one source of so many is heavy
TRIMMED = 0.0, 0.001, 0.003, 0.01, 0.03, 0.1  # shares of targets that a box may leave on a side
SAMPLE = 4000  # targets by which boxes are judged
OUTSIDE = 30_000  # nanoseconds that a target left out may cost
WAVE = {1: 20, 2: 50, 3: 300}  # nanoseconds of a wave in a transform, by dimension
ROOM = 2e6, 30  # the finest grid may have so many nodes, and so many more for every point


@dataclass(frozen=True, eq=False)
class Split:
    """What goes the fast way.

    Attributes
    ----------
    heavy, even : arrays
        The sources summed directly, and those summed by waves. Sources so far from all near
        targets that none sees them are in neither.
    near : array
        The targets in the bulk of all.
    targets, sources : arrays, q × near and q × even
        Where these are; a row per axis, because that is how they are gone through.
    precision : float
        Asked of finufft and of the waves.
    """

    problem: KernelSums
    heavy: Integers
    even: Integers
    near: Integers
    targets: Floats
    sources: Floats
    precision: float

    @classmethod
    def of(cls, problem: KernelSums) -> Split:
        """Part sources by mass, and both sides by where they are."""
        offsets = problem.offsets
        heavy = _heavy(offsets)
        seen = offsets > -np.inf
        seen[heavy] = False
        even, near = np.flatnonzero(seen), np.arange(len(problem.targets))
        targets, sources = (np.ascontiguousarray(p.T) for p in (problem.targets, problem.sources))
        if len(even) < sources.shape[1]:
            sources = sources[:, even]
        precision = _precision(problem.tolerance, sources)
        if problem.kernel.exponential and len(even):
            reach = float(np.sqrt(-np.log(precision)))
            low, high = _bulk(targets, sources, reach)
            inside = _within(targets, low, high)
            near, targets = near[inside], targets[:, inside]
            if len(near):
                low, high = targets.min(axis=1) - reach, targets.max(axis=1) + reach
                inside = _within(sources, low, high)
                even, sources = even[inside], sources[:, inside]
        return cls(problem, heavy, even, near, targets, sources, precision)

    @cached_property
    def digits(self) -> float:
        """The precision as a logarithm."""
        return float(-np.log(self.precision))

    @cached_property
    def reach(self) -> Floats:
        """The largest difference of a near target and an even source along every axis."""
        t, s = self.targets, self.sources
        return np.maximum(t.max(axis=1) - s.min(axis=1), s.max(axis=1) - t.min(axis=1))

    @property
    def highest(self) -> float:
        """The frequency k above which the kernel, e^{−k²/4} or e^{−|k|}, has nothing to tell."""
        exponential = self.problem.kernel.exponential
        return 2 * float(np.sqrt(self.digits)) if exponential else self.digits + 3

    @property
    def margin(self) -> float:
        """Half the width in which a kernel that does not fall fast is brought to zero."""
        return 2 * self.digits / self.highest

    @cached_property
    def period(self) -> Floats:
        """The period of the waves along every axis."""
        if self.problem.kernel.exponential:
            return self.reach + np.sqrt(self.digits)
        return 2 * (self.reach + 2 * self.margin)

    @cached_property
    def waves(self) -> Integers:
        """How many waves there are on either side of the constant one, along every axis."""
        return np.ceil(self.period * self.highest / (2 * np.pi)).astype(np.intp) + 1

    @property
    def modes(self) -> float:
        """How many waves there are in all."""
        return float(np.prod(2.0 * self.waves + 1))

    @property
    def log_error(self) -> float:
        """The logarithm of the largest error of a sum: a share of the mass of all light sources."""
        light = self.problem.offsets.copy()
        light[self.heavy] = -np.inf
        return float(logsumexp(light) + np.log(MARGIN * self.precision))

    @property
    def serves(self) -> bool:
        """Whether there is something to sum, in memory linear in the number of points."""
        if not (len(self.near) and len(self.even)):
            return False
        room = ROOM[0] + ROOM[1] * (len(self.near) + len(self.even))
        return self.modes * 2 ** len(self.waves) <= room


def _heavy(offsets: Floats) -> Integers:
    """Find sources that outweigh what is left if the heaviest are taken away."""
    count = len(offsets) // HEAVY + 16
    if count >= len(offsets):
        return np.zeros(0, dtype=np.intp)
    order = np.argpartition(offsets, -count)
    heaviest, bulk = order[-count:], logsumexp(offsets[order[:-count]])
    return np.sort(heaviest[offsets[heaviest] > bulk - np.log(count)])


def _precision(tolerance: float, sources: Floats) -> float:
    """Return the precision with which the tolerance is kept where sources are thin."""
    q = len(sources)
    extent = np.ptp(sources, axis=1) if sources.shape[1] else np.zeros(q)
    even = 1 / np.prod(np.maximum(extent / np.sqrt(np.pi), 1))  # the share a target sees
    return float(np.clip(tolerance * THIN * even / MARGIN, FINEST, COARSEST))


def _bulk(targets: Floats, sources: Floats, reach: float) -> tuple[Floats, Floats]:
    """Return the corners of a box: within reach of all sources, and without what would widen it.

    Of the boxes that leave out more and more targets it is the one with which waves and what is
    left out cost least.
    """
    q, n = targets.shape
    low, high = sources.min(axis=1) - reach, sources.max(axis=1) + reach
    sample = np.sort(targets[:, :: max(1, n // SAMPLE)], axis=1)
    best = np.inf
    for share in TRIMMED:
        edges = (
            sample[:, int(share * sample.shape[1])],
            sample[:, -1 - int(share * sample.shape[1])],
        )
        if share:
            trimmed = np.maximum(low, edges[0] - 1), np.minimum(high, edges[1] + 1)
        else:
            trimmed = np.maximum(low, targets.min(axis=1)), np.minimum(high, targets.max(axis=1))
        width = np.maximum(trimmed[1] - trimmed[0], 0) + 2 * reach
        cost = 3 * WAVE[q] * float(np.prod(width * 2 * reach / np.pi + 3)) + 2 * share * n * OUTSIDE
        if cost < best:
            best, found = cost, trimmed
    return found


def _within(points: Floats, low: Floats, high: Floats) -> Any:
    """Find the points that are in a box; all as a slice."""
    if (points.min(axis=1) >= low).all() and (points.max(axis=1) <= high).all():
        return slice(None)
    inside = [(x >= a) & (x <= b) for x, a, b in zip(points, low, high, strict=True)]
    return np.flatnonzero(np.logical_and.reduce(inside))
