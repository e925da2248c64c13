"""Lanczos iterations (ARPACK, through SciPy): only products with A and Aᵀ."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import svds

from relmap.engines.spectral.problem import Axes, ScaledMatrix, signed


def solve(problem: ScaledMatrix) -> Axes:
    """Return the leading axes of A, to working precision."""
    start = np.random.default_rng(problem.seed).standard_normal(min(problem.shape))
    left, values, right = svds(problem.operator(), k=problem.rank, v0=start, solver="arpack")
    return signed(values, left, right.T)
