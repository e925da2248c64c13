"""The problem: leading singular vectors of A = D_a (S − U Vᵀ) D_b, with S sparse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from relmap._types import Floats, Integers, sums
from relmap.engines.spectral.products import Products


@dataclass(frozen=True, eq=False)
class ScaledMatrix:
    """A sparse matrix S less a low rank U Vᵀ, scaled on both sides; A is never formed.

    Parameters
    ----------
    matrix : sparse array, n × m
        S.
    row_scale, column_scale : arrays, n and m
        The diagonals of D_a and D_b.
    row_centre, column_centre : arrays or sparse arrays, n × r and m × r
        U and V: what is known and taken away; `None` where nothing is.
    rank : int
        How many singular vectors are wanted.
    seed : int
        Where the iterative methods start.
    unit : float
        What errors are at least measured against: the value of what was taken away, if any.
    """

    matrix: sparse.csr_array
    row_scale: Floats
    column_scale: Floats
    row_centre: Any
    column_centre: Any
    rank: int
    seed: int = 0
    unit: float = 0.0

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
        return cls(shares, a, b, r[:, None], c[:, None], rank, seed, unit=1.0)

    def without(self, rows: Floats, columns: Floats, pieces: Integers) -> ScaledMatrix:
        """Take away the trivial axis of every piece of the matrix, in closed form.

        `rows` and `columns` are positive vectors with A `columns` = `rows` and Aᵀ `rows` =
        `columns` (singular value 1, known beforehand); `pieces` numbers the connected piece of
        every row and then of every column. On each piece the vectors are such a pair as well.
        """
        n = self.shape[0]
        masses = np.bincount(pieces[:n], rows**2)
        left, right = rows / self.row_scale, columns / self.column_scale / masses[pieces[n:]]
        return replace(
            self,
            row_centre=_spread(left, pieces[:n], len(masses)),
            column_centre=_spread(right, pieces[n:], len(masses)),
            unit=1.0,
        )

    def less(self, axes: Axes) -> ScaledMatrix:
        """Take away axes that were computed, of a matrix of which nothing was taken away yet."""
        return replace(
            self,
            row_centre=axes.left * axes.values / self.row_scale[:, None],
            column_centre=axes.right / self.column_scale[:, None],
            unit=float(axes.values[0]),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of A."""
        n, m = self.matrix.shape
        return int(n), int(m)

    @cached_property
    def _products(self) -> Products:
        return Products(self.matrix)

    def times(self, x: Floats) -> Floats:
        """Return A x."""
        scaled = (self.column_scale * x.T).T
        inner = self._products.times(scaled)
        if self.row_centre is not None:
            inner -= self.row_centre @ (self.column_centre.T @ scaled)
        return (self.row_scale * inner.T).T

    def transposed_times(self, x: Floats) -> Floats:
        """Return Aᵀ x."""
        scaled = (self.row_scale * x.T).T
        inner = self._products.transposed_times(scaled)
        if self.column_centre is not None:
            inner -= self.column_centre @ (self.row_centre.T @ scaled)
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


def _spread(values: Floats, pieces: Integers, count: int) -> Any:
    """Write a vector as one column per piece; as an ordinary column where there is one piece."""
    if count == 1:
        return values[:, None]
    places = (np.arange(len(values)), pieces)
    return sparse.csr_array((values, places), shape=(len(values), count))


@dataclass(frozen=True, eq=False)
class Axes:
    """Singular values (descending) and vectors: A ≈ left · diag(values) · rightᵀ.

    `behind` is the next singular value, the first that is not among `values`; 0 if there is none.
    """

    values: Floats
    left: Floats
    right: Floats
    behind: float = 0.0

    def first(self, count: int) -> Axes:
        """Return the leading `count` axes."""
        rest = self.values[count] if count < len(self.values) else self.behind
        k = slice(0, count)
        return Axes(self.values[k], self.left[:, k], self.right[:, k], float(rest))

    def after(self, count: int) -> Axes:
        """Return the axes behind the leading `count`."""
        k = slice(count, None)
        return Axes(self.values[k], self.left[:, k], self.right[:, k], self.behind)


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
