"""The reference: form A and take all its singular vectors with LAPACK."""

from __future__ import annotations

import numpy as np

from relmap.engines.spectral.problem import Axes, ScaledMatrix, signed


def solve(problem: ScaledMatrix) -> Axes:
    """Return the leading axes of A, formed as an ordinary matrix."""
    formed = problem.times(np.eye(problem.shape[1]))
    left, values, right = np.linalg.svd(formed, full_matrices=False)
    return signed(values, left, right.T).first(problem.rank)
