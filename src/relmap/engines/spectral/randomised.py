"""Block Krylov iterations from a random block: finds repeated values, and passes over S are few.

Plain power iteration on a block stops short where values lie close together. Here the blocks of
all steps since the last restart span the space in which the best axes are sought (Rayleigh–Ritz),
so steps count as in Lanczos' method; and a block of vectors sees every copy of a repeated value,
of which a single one sees but one.
"""

from __future__ import annotations

import numpy as np

from relmap._types import Floats
from relmap.engines.spectral.problem import Axes, ScaledMatrix, signed

SPARE = 6  # vectors in the block beyond the axes wanted
DEPTH = 8  # steps between restarts
RESTARTS = 200
RESIDUAL = 1e-11  # relative to the largest singular value


def solve(problem: ScaledMatrix) -> Axes:
    """Return the leading axes of A, iterated until their residuals pass."""
    n, m = problem.shape
    wanted = problem.rank + 1
    block = min(wanted + SPARE, n, m)
    right = np.random.default_rng(problem.seed).standard_normal((m, block))
    for _ in range(RESTARTS):
        left, values, right = _best(problem, right, block)
        back = problem.transposed_times(left[:, :wanted]) - right[:, :wanted] * values[:wanted]
        if np.linalg.norm(back, axis=0).max() <= RESIDUAL * max(values[0], np.finfo(float).tiny):
            break
    return signed(values[:wanted], left[:, :wanted], right[:, :wanted]).first(problem.rank)


def _best(problem: ScaledMatrix, start: Floats, block: int) -> tuple[Floats, Floats, Floats]:
    """Return the best `block` triplets with right vectors in the span of (AᵀA)ⁱ start."""
    basis = np.linalg.qr(start)[0]
    image = problem.times(basis)
    last_image = image
    while (room := min(DEPTH * block, *problem.shape) - basis.shape[1]) > 0:
        grown = problem.transposed_times(last_image)[:, :room]
        for _ in range(2):  # once is not enough to stay orthogonal to working precision
            grown -= basis @ (basis.T @ grown)
            grown = np.linalg.qr(grown)[0]
        last_image = problem.times(grown)
        basis, image = np.hstack([basis, grown]), np.hstack([image, last_image])
    outer, inner = np.linalg.qr(image)
    u, values, v = np.linalg.svd(inner)
    return outer @ u[:, :block], values[:block], basis @ v[:block].T
