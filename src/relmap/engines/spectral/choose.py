"""The one place that chooses how axes are computed."""

from __future__ import annotations

from collections.abc import Callable

from relmap._threads import single_blas
from relmap.engines.spectral import dense, lanczos
from relmap.engines.spectral.problem import Axes, ScaledMatrix

METHODS: dict[str, Callable[[ScaledMatrix], Axes]] = {
    "dense": dense.solve,
    "lanczos": lanczos.solve,
}
SMALL = 150  # LAPACK is faster up to about this size


def choose(problem: ScaledMatrix) -> str:
    """Return "dense" where the matrix is small or nearly all axes are wanted."""
    size = min(problem.shape)
    return "dense" if size <= SMALL or problem.rank > size // 3 else "lanczos"


def solve(problem: ScaledMatrix) -> Axes:
    """Return the leading axes, at most as many as A has rows or columns."""
    with single_blas():
        return METHODS[choose(problem)](problem)
