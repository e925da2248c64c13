"""Lanczos iterations (ARPACK, through SciPy): only products with A and Aᵀ."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import svds

from relmap.engines.spectral import dense
from relmap.engines.spectral.problem import Axes, ScaledMatrix, signed

KEPT = 55  # vectors between restarts; on nine problems up to half the time of 40, never much more


def solve(problem: ScaledMatrix) -> Axes:
    """Return the leading axes of A, to working precision.

    One more axis than asked for is computed: it tells how far behind the next one is, and a
    repeated value is then seldom cut in two. ARPACK's tolerance stays at working precision, since
    a looser one saves no steps here: it is relative to σ² and converges late, then at once.
    """
    wanted, size = problem.rank + 1, min(problem.shape)
    if wanted > size - 2:  # ARPACK cannot have them all
        return dense.solve(problem)
    start = np.random.default_rng(problem.seed).standard_normal(size)
    left, values, right = svds(
        problem.operator(),
        k=wanted,
        ncv=min(max(KEPT, 4 * wanted), size - 1),
        v0=start,
        solver="arpack",
    )
    return signed(values, left, right.T).first(problem.rank)
