"""The problem of the weighted co-embedding: each side at the weighted means of the other.

With weights η₁ for row sums and η₂ for column sums (η_r = η₁ − 1, η_c = η₂ − 1),

    R_x = D_r^{η_r} R,   D_{c,x} its column sums:     a column is at D_{c,x}⁻¹ R_xᵀ Z_x,
    R_y = R D_c^{η_c},   D_{r,y} its row sums:        a row is at    D_{r,y}⁻¹ R_y Z_y,

both times a factor per axis. That is one singular value problem: λ = σ², with σ and u from

    D_{r,y}^{−1/2} D_r^{η_r/2} R D_c^{η_c/2} D_{c,x}^{−1/2},      ψ = D_{r,y}^{−1/2} D_r^{−η_r/2} u,

whose largest value is 1, once for every piece, with a vector that places all things alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from relmap._types import Floats, Integers, sums
from relmap.engines.spectral import Axes, ScaledMatrix
from relmap.models.coembedding.axes import leading
from relmap.models.coembedding.core import Core


@dataclass(frozen=True, eq=False)
class Weighted:
    """Axes for one choice of weights, before the scales of axes and sides are chosen.

    Attributes
    ----------
    problem, axes
        What the engine was asked, and its answer.
    row_weights, column_weights : arrays
        What a row weighs for a column's place, r^{η_r}, and a column for a row's, c^{η_c}.
    rows, columns : arrays
        Places with weighted mean square 1 (rows, on every axis), and the weighted means of these
        over σ.
    """

    problem: ScaledMatrix
    axes: Axes
    row_weights: Floats
    column_weights: Floats
    rows: Floats
    columns: Floats

    @classmethod
    def of(cls, core: Core, rank: int, eta_rows: float, eta_columns: float) -> Weighted:
        """Solve the problem for weights η₁ and η₂."""
        shares = core.shares
        sides = (sums(shares, 1), eta_rows), (sums(shares, 0), eta_columns)
        a, b = ((x / x.mean()) ** (eta - 1) for x, eta in sides)
        row_sums, column_sums = shares @ b, shares.T @ a
        problem = ScaledMatrix(
            shares, np.sqrt(a / row_sums), np.sqrt(b / column_sums), None, None, rank
        ).without(np.sqrt(a * row_sums), np.sqrt(b * column_sums), core.pieces)
        axes = leading(problem)
        means = _Means(core, shares, a, b, row_sums, column_sums)
        # Where weights differ by many orders of magnitude, light rows come out of the division
        # as noise; two steps of the averaging itself put them right.
        safe = np.where(axes.values > 0, axes.values, 1.0)
        rows = axes.left / np.sqrt(a * row_sums)[:, None]
        rows = means.rows(means.columns(rows) / safe) / safe
        unit = np.sqrt(row_sums @ rows**2 / row_sums.sum())
        rows = np.where(axes.values > 0, rows / np.where(unit > 0, unit, 1.0), 0.0)
        return cls(problem, axes, a, b, rows, means.columns(rows) / safe)

    def places(self, xi: float, gamma: float) -> tuple[Floats, Floats]:
        """Return rows and columns with axes scaled by (λ/λ₁)^γ and columns by ξ."""
        scale = self.axis_scale(gamma)
        return self.rows * scale, xi * self.columns * scale

    def axis_scale(self, gamma: float) -> Floats:
        """Return (λ/λ₁)^γ for every axis."""
        values = self.axes.values
        top = values[0] if values[0] > 0 else 1.0
        scale: Floats = (values / top) ** (2 * gamma)
        return scale


class _Means(NamedTuple):
    """Weighted means of each side's places, without traces of axes that averaging favours."""

    core: Core
    shares: sparse.csr_array
    row_weights: Floats
    column_weights: Floats
    row_sums: Floats
    column_sums: Floats

    def rows(self, columns: Floats) -> Floats:
        means = self.shares @ (self.column_weights[:, None] * columns) / self.row_sums[:, None]
        pieces = self.core.pieces[: len(means)]
        return _cleared(means, self.row_weights * self.row_sums, pieces)

    def columns(self, rows: Floats) -> Floats:
        means = self.shares.T @ (self.row_weights[:, None] * rows) / self.column_sums[:, None]
        pieces = self.core.pieces[-len(means) :]
        return _cleared(means, self.column_weights * self.column_sums, pieces)


def _cleared(points: Floats, weights: Floats, pieces: Integers) -> Floats:
    """Take away the weighted mean of every piece, and of every axis its share of stronger ones.

    Both are traces left by rounding; each step of averaging would multiply them, those of the first
    axis in the third by (σ₁/σ₃)².
    """
    total = np.bincount(pieces, weights)
    middles = [np.bincount(pieces, weights * axis) / total for axis in points.T]
    cleared: Floats = points - np.column_stack(middles)[pieces]
    for k in range(1, points.shape[1]):
        stronger = cleared[:, :k]
        sizes = weights @ stronger**2
        traces = (weights * cleared[:, k]) @ stronger / np.where(sizes > 0, sizes, 1.0)
        cleared[:, k] -= stronger @ traces
    return cleared


def weighted_totals(counts: sparse.csr_array, weights: Floats) -> Floats:
    """Size of a line: its sum with weights."""
    size: Floats = counts @ weights
    return size
