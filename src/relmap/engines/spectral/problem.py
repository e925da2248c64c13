"""The problem: leading singular vectors of A = D_a (S − u vᵀ) D_b, with S sparse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from relmap._types import Floats, sums


@dataclass(frozen=True, eq=False)
class ScaledMatrix:
    """A sparse matrix S, centred by u vᵀ and scaled on both sides; A is never formed.

    Parameters
    ----------
    matrix : sparse array, n × m
        S.
    row_scale, column_scale : arrays, n and m
        The diagonals of D_a and D_b.
    row_centre, column_centre : arrays, n and m
        u and v.
    rank : int
        How many singular vectors are wanted.
    seed : int
        Where the iterative methods start.
    """

    matrix: sparse.csr_array
    row_scale: Floats
    column_scale: Floats
    row_centre: Floats
    column_centre: Floats
    rank: int
    seed: int = 0

    @classmethod
    def residuals(
        cls, shares: sparse.csr_array, rank: int, *, smoothing: float = 0.0, seed: int = 0
    ) -> ScaledMatrix:
        """Return D_r^{−1/2} (P − r cᵀ) D_c^{−1/2}, whose axes are correspondence analysis.

        `shares` is P, with sum 1 and no empty row or column; r and c are its row and column sums.
        Taking away r cᵀ removes the trivial axis of singular value 1. `smoothing` adds that many
        times the mean of r (and of c) to the scales, so that a few rare things that only go with
        each other do not get the leading axes to themselves.
        """
        r = sums(shares, 1)
        c = sums(shares, 0)
        a, b = ((x + smoothing * x.mean()) ** -0.5 for x in (r, c))
        return cls(shares, a, b, r, c, rank, seed)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of A."""
        n, m = self.matrix.shape
        return int(n), int(m)

    def times(self, x: Floats) -> Floats:
        """Return A x."""
        scaled = self.column_scale * x.T
        inner = self.matrix @ scaled.T - np.multiply.outer(
            self.row_centre, scaled @ self.column_centre
        )
        return (self.row_scale * inner.T).T

    def transposed_times(self, x: Floats) -> Floats:
        """Return Aᵀ x."""
        scaled = self.row_scale * x.T
        inner = self.matrix.T @ scaled.T - np.multiply.outer(
            self.column_centre, scaled @ self.row_centre
        )
        return (self.column_scale * inner.T).T

    def operator(self) -> LinearOperator:
        """Return A as SciPy's solvers take it."""
        return LinearOperator(
            self.shape,
            matvec=self.times,
            rmatvec=self.transposed_times,
            matmat=self.times,
            rmatmat=self.transposed_times,
            dtype=np.float64,
        )


@dataclass(frozen=True, eq=False)
class Axes:
    """Singular values (descending) and vectors: A ≈ left · diag(values) · rightᵀ."""

    values: Floats
    left: Floats
    right: Floats


def signed(values: Floats, left: Floats, right: Floats) -> Axes:
    """Order the axes and turn each by `signs`, so that every machine draws the same picture."""
    order = np.argsort(-values, kind="stable")
    values, left, right = values[order], left[:, order], right[:, order]
    sign = signs(left)
    return Axes(values, left * sign, right * sign)


def signs(vectors: Floats) -> Floats:
    """Return ±1 per column: the sign of its first entry within 1e-6 of the largest in size."""
    size = np.abs(vectors)
    leader = np.argmax(size >= (1 - 1e-6) * size.max(axis=0, initial=0), axis=0)
    return np.where(vectors[leader, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
