"""Where CODE starts: correspondence analysis at its best scale, random points, or given ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar

from relmap._types import Floats
from relmap.engines import spectral
from relmap.errors import InputError
from relmap.models.cooccurrence.problem import Layout, Problem

SPREAD = 0.1  # standard deviation of random starts, as small as the paper's
FAINT = 1e-9  # an axis with a smaller singular value is no axis


def random(problem: Problem, generator: np.random.Generator) -> Floats:
    """Return points N(0, 0.1²)."""
    n, m = problem.sizes
    things = n if problem.shared else n + m
    return generator.normal(0, SPREAD, things * problem.n_components)


def from_axes(problem: Problem, generator: np.random.Generator) -> Floats:
    """Return correspondence analysis coordinates, D^{−½} U Σ^{½}, times what minimises the loss.

    Where the table has fewer axes than the map, the others start as faint noise.
    """
    n, m = problem.sizes
    q = problem.n_components
    rows, columns = (generator.normal(0, SPREAD / 10, (size, q)) for size in (n, m))
    shares, seen = _without_empty(problem.likelihood.shares)
    rank = min(q, *(size - 1 for size in shares.shape))
    if rank > 0:
        axes = spectral.solve(spectral.ScaledMatrix.residuals(shares, rank))
        real = np.flatnonzero(axes.values > FAINT)
        for points, vectors, here, axis in (
            (rows, axes.left, seen[0], 1),
            (columns, axes.right, seen[1], 0),
        ):
            masses = np.asarray(shares.sum(axis=axis)).ravel()
            coordinates = vectors[:, real] * np.sqrt(axes.values[real]) / np.sqrt(masses)[:, None]
            points[np.ix_(here, real)] = coordinates
    if problem.shared:
        rows = (rows + columns) / 2
    return _scaled(problem, problem.joined(rows, columns))


def _without_empty(shares: sparse.csr_array) -> tuple[sparse.csr_array, list[Any]]:
    seen = [np.flatnonzero(np.asarray(shares.sum(axis=axis)).ravel()) for axis in (1, 0)]
    return shares[seen[0]][:, seen[1]], seen


def _scaled(problem: Problem, start: Floats) -> Floats:
    """Multiply a start by the one number that minimises the loss."""
    best = minimize_scalar(
        lambda log_scale: problem.loss(np.exp(log_scale) * start)[0],
        bounds=(np.log(0.02), np.log(5.0)),
        method="bounded",
        options={"xatol": 0.02},
    )
    return np.exp(best.x) * start


def given(problem: Problem, layout: Layout, arrays: Any) -> Floats:
    """Return the user's coordinates of the things that have a place."""
    q = problem.n_components
    points = [np.zeros((size, q)) for size in problem.sizes]
    sides = zip(("rows", "columns"), arrays, (layout.rows, layout.columns), strict=True)
    for side, (what, array, places) in enumerate(sides):
        values = np.asarray(array, dtype=np.float64)
        if values.shape != (len(places), q):
            raise InputError(
                f"init of CODE must give the {what} coordinates of shape {(len(places), q)}; "
                f"got {values.shape}."
            )
        if not np.isfinite(values[places >= 0]).all():
            raise InputError(f"init of CODE must be finite, but the {what} have NaN or infinity.")
        target = points[0] if problem.shared else points[side]
        target[places[places >= 0]] = values[places >= 0]
    return problem.joined(*points)
