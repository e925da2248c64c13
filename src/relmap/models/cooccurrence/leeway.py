"""What the likelihood leaves open, and how that is settled.

A conditional variant sees the m things on the other side through φ·ψ and |ψ|² only. Stretching
them, ψ → Aψ, changes nothing as long as the change of |ψ|² is linear on them, and there is such an
A ≠ 1 if m < (q + 1)(q + 2)/2, the number of quadratic functions.

Three-way counts see the middle of two things only: φ + t and χ − t are as likely for any t, unless
something else tells of one of them. Then both sides are given the same centre.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from relmap._types import Floats, Integers
from relmap.models.cooccurrence.problem import Problem


def determined(problem: Problem) -> bool:
    """Tell whether the likelihood can tell its map from all others, turned ones apart."""
    if problem.penalty > 0:
        return True
    return not _stretches(problem) and not len(_swings(problem)[0])


def _stretches(problem: Problem) -> bool:
    """Tell whether there are too few things on the side that is not conditioned on."""
    given, others = np.zeros((2, problem.size), dtype=bool)
    for term in problem.terms:
        side = term.conditioned
        if side is None or problem.anchored:
            return False
        given[term.ends[side].indices] = True
        others[term.ends[1 - side].indices] = True
    q = problem.n_components
    return not (given & others).any() and others.sum() < (q + 1) * (q + 2) // 2


def _swings(problem: Problem) -> tuple[Integers, Integers, Integers]:
    """Return the places that only pairs tell of, and the numbers of their own and the other side.

    Every place is there twice, once on either side of a pair. Where both come to lie in one
    component, t = −t and there is no freedom; elsewhere it has two, one the other's mirror.
    """
    n, settled = problem.size, problem.pinned | (problem.springs > 0)
    edges = [np.zeros((0, 2), dtype=np.intp)]
    for end in (end for term in problem.terms for end in term.ends):
        if end.nnz == end.shape[0]:
            settled[end.indices] = True
        else:
            edges.append(end.indices.reshape(-1, 2))
    i, j = np.concatenate(edges).T
    both = np.concatenate([i, i + n]), np.concatenate([j + n, j])
    graph = sparse.coo_array((np.ones(2 * len(i)), both), shape=(2 * n, 2 * n))
    count, labels = connected_components(graph, directed=False)
    own, other = labels[:n], labels[n:]
    held = np.zeros(count, dtype=bool)
    held[own[settled]] = held[other[settled]] = True
    places = np.flatnonzero((own != other) & ~held[own])
    return places, own[places], other[places]


def balanced(problem: Problem, points: Floats) -> Floats:
    """Return the map with the two sides of pairs centred on each other where only pairs tell."""
    places, own, other = _swings(problem)
    if problem.penalty > 0 or not len(places):
        return points
    masses, moved = problem.masses[places], points.copy()
    weights = np.bincount(own, masses)
    sums = [np.bincount(own, masses * axis) for axis in points[places].T]
    means = np.column_stack(sums) / np.maximum(weights, np.finfo(float).tiny)[:, None]
    moved[places] += (means[other] - means[own]) / 2
    return moved
