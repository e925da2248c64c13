"""Where CODE starts: correspondence analysis at its best scale, random points, or given ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar

from relmap._types import Floats, sums
from relmap.engines import spectral
from relmap.errors import InputError
from relmap.models.cooccurrence.problem import Layout, Problem

SPREAD = 0.1  # standard deviation of random starts, as small as the paper's
SMOOTHINGS = (0.0, 0.1)
FAINT = 1e-9  # an axis with a smaller singular value is no axis


def random(problem: Problem, generator: np.random.Generator) -> Floats:
    """Return points N(0, 0.1²)."""
    return problem.joined(
        *(generator.normal(0, SPREAD, (n, problem.n_components)) for n in problem.sizes)
    )


def from_axes(problem: Problem, generator: np.random.Generator) -> Floats:
    """Return correspondence analysis coordinates, times the number that minimises the loss.

    The plain analysis, D^{−½} U Σ^{½}, gives its axes to rare things that only go with each other
    where a table has such; the smoothed one does not. The better of the two is taken.
    """
    noise = [generator.normal(0, SPREAD / 10, (n, problem.n_components)) for n in problem.sizes]
    starts = [_scaled(problem, _axes(problem, noise, smoothing)) for smoothing in SMOOTHINGS]
    return min(starts, key=lambda start: problem.loss(start)[0])


def _axes(problem: Problem, noise: list[Floats], smoothing: float) -> Floats:
    """Return the coordinates on the leading axes; faint noise where the table has fewer."""
    points = [values.copy() for values in noise]
    shares, seen = _without_empty(problem.likelihood.shares)
    rank = min(problem.n_components, *(size - 1 for size in shares.shape))
    if rank > 0:
        matrix = spectral.ScaledMatrix.residuals(shares, rank, smoothing=smoothing)
        axes = spectral.solve(matrix)
        real = np.flatnonzero(axes.values > FAINT)
        sides = (axes.left, matrix.row_scale), (axes.right, matrix.column_scale)
        for side, (vectors, scale) in enumerate(sides):
            coordinates = vectors[:, real] * np.sqrt(axes.values[real]) * scale[:, None]
            points[side][np.ix_(seen[side], real)] = coordinates
    rows, columns = points
    return problem.joined((rows + columns) / 2 if problem.shared else rows, columns)


def _without_empty(shares: sparse.csr_array) -> tuple[sparse.csr_array, list[Any]]:
    seen = [np.flatnonzero(sums(shares, axis)) for axis in (1, 0)]
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
