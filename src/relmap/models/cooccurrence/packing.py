"""Bringing pieces that nothing connects back to the rest of the map.

The likelihood wants such pieces infinitely far apart and gains nothing any more beyond a few
units, so a run leaves them anywhere. Each piece is moved as it is, along its own direction, to the
first place where it is `GAP` from all heavier ones: a pair at that distance is e^{−GAP²} = 5·10⁻⁶
times as likely as one in the same place. Distances between pieces mean nothing; distances within
one do.
"""

from __future__ import annotations

import numpy as np

from relmap._types import Floats, Integers
from relmap.models.cooccurrence.problem import Problem

GAP = 3.5


def packed(problem: Problem, points: Floats) -> Floats:
    """Return the map with far pieces brought near."""
    labels = _labels(problem)
    if not labels.any():
        return points
    return points + _shifts(points, labels, problem.masses)[labels]


def _labels(problem: Problem) -> Integers:
    """Return the number of every thing's piece, 0 being the heaviest."""
    count, found = problem.pieces
    rank = np.argsort(np.argsort(-np.bincount(found, problem.masses, count), kind="stable"))
    return rank[found]


def _shifts(points: Floats, labels: Integers, masses: Floats) -> Floats:
    """Return how far each piece is moved; the heaviest stays."""
    count = int(labels.max()) + 1
    weights = np.bincount(labels, masses)
    centres = np.column_stack([np.bincount(labels, masses * axis) / weights for axis in points.T])
    radii = np.zeros(count)
    np.maximum.at(radii, labels, np.linalg.norm(points - centres[labels], axis=1))
    placed = centres.copy()
    for k in range(1, count):
        out = centres[k] - centres[0]
        distance = float(np.linalg.norm(out))
        direction = out / distance if distance > 0 else np.eye(len(out))[0]
        away = _free(placed[:k] - centres[0], radii[:k] + radii[k] + GAP, direction)
        placed[k] = centres[0] + away * direction
    return placed - centres


def _free(others: Floats, keep_off: Floats, direction: Floats) -> float:
    """Return the smallest t ≥ 0 at which t · direction is at least `keep_off` from all others."""
    along = others @ direction
    room = keep_off**2 - (others**2).sum(axis=1) + along**2
    half = np.sqrt(np.maximum(room, 0))
    t = 0.0
    for start, stop in sorted(zip(along - half, along + half, strict=True)):
        if start <= t < stop:
            t = stop
    return float(t)
