"""The one place that chooses how axes are computed."""

from __future__ import annotations

from collections.abc import Callable

from scipy.sparse.linalg import ArpackError

from relmap._threads import single_blas
from relmap.engines.spectral import dense, lanczos, randomised
from relmap.engines.spectral.problem import Axes, ScaledMatrix

METHODS: dict[str, Callable[[ScaledMatrix], Axes]] = {
    "dense": dense.solve,
    "lanczos": lanczos.solve,
    "randomised": randomised.solve,
}
SMALL = 100  # LAPACK is faster up to about this size


def choose(problem: ScaledMatrix) -> str:
    """Return "dense" where the matrix is small or nearly all axes are wanted.

    Else "lanczos": on 27 problems, from 300 × 300 full to 20,000 × 5,000 with 10⁶ cells, it was 1.5
    to 14 times as fast as "randomised", and 1.1 to 25 times as fast as LOBPCG but once (many
    disconnected blocks, 20 axes), which is why that method is not here.
    """
    size = min(problem.shape)
    return "dense" if size <= SMALL or problem.rank >= size // 3 else "lanczos"


def solve(problem: ScaledMatrix) -> Axes:
    """Return the leading axes, at most as many as A has rows or columns.

    Where Lanczos' single vector breaks down (A vanishes, or an invariant space is found at once)
    a block of random vectors goes on.
    """
    with single_blas():
        try:
            return METHODS[choose(problem)](problem)
        except ArpackError:
            return METHODS["randomised"](problem)
