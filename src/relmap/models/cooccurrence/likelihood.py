"""The likelihood of CODE: how well a map explains which rows were seen with which columns.

All eight variants are one formula. With p̄ the observed shares, r and c their sums,

    m(x, y) = π_g u_x v_y e^{−d²(x,y)} / Z_g,       d²(x,y) = |φ(x) − ψ(y)|²,

    L = Σ p̄ d² + Σ_g π_g log Z_g − Σ p̄ log(π_g u v)          (nats per observed pair)
    ∂L/∂φ(x) = 2 Σ_y (p̄ − m)(φ(x) − ψ(y)),     ∂L/∂ψ(y) = 2 Σ_x (p̄ − m)(ψ(y) − φ(x)).

The first letter of a variant is about rows, the second about columns: C conditioned on (its own
Z, weighted by its observed share), M with its observed share as u or v, U with 1. The letter C on
columns is the same on rows with the table turned over, so only "conditioned on rows" (Z_x) and
"joint" (one Z) are written here. Pulling together needs the observed cells only; pushing apart
needs two fields, and nothing of the size rows × columns is ever stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from relmap._types import Floats, sums
from relmap.engines import fields

PRECISE = 1e-7  # promised of every kernel sum of a large table; found is far less
VARIANTS = ("CM", "CU", "MC", "MM", "MU", "UC", "UM", "UU")


@dataclass(frozen=True, eq=False)
class Point:
    """Value and slopes of the loss."""

    loss: float
    rows: Floats
    columns: Floats


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The loss L of one table.

    Parameters
    ----------
    shares : sparse array
        p̄, with sum 1.
    variant : str
        One of `VARIANTS`.
    skip_self : bool
        Rows and columns are the same things in the same order, and none is paired with itself.
    """

    shares: sparse.csr_array
    variant: str
    skip_self: bool = False

    @property
    def turned(self) -> bool:
        """Whether the condition is on columns, so that the table is turned over inside."""
        return self.variant[1] == "C"

    @cached_property
    def _side(self) -> _Side:
        shares = sparse.csr_array(self.shares.T) if self.turned else self.shares
        letters = self.variant[::-1] if self.turned else self.variant
        return _Side(shares, letters, self.skip_self)

    @property
    def row_shares(self) -> Floats:
        """r, the share of each row."""
        return self._side.c if self.turned else self._side.r

    @property
    def column_shares(self) -> Floats:
        """c, the share of each column."""
        return self._side.r if self.turned else self._side.c

    def at(self, rows: Floats, columns: Floats) -> Point:
        """Compute L and its slopes for a map."""
        if not self.turned:
            return self._side.at(rows, columns)
        point = self._side.at(columns, rows)
        return Point(point.loss, point.columns, point.rows)

    def value(self, rows: Floats, columns: Floats) -> float:
        """Compute L alone, in half the time."""
        return self._side.value(*((columns, rows) if self.turned else (rows, columns)))

    def log_masses(self, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
        """Return what each row weighs for a column to be placed, and each column for a row.

        These are log a and log b in p(x|y) ∝ a_x e^{−d²} and p(y|x) ∝ b_y e^{−d²}.
        """
        first, second = (columns, rows) if self.turned else (rows, columns)
        weights = self._side.log_row_weights(first, second), self._side.log_v
        return (weights[1], weights[0]) if self.turned else weights

    def log_probability(self, rows: Floats, columns: Floats, pairs: sparse.coo_array) -> Floats:
        """Return log m(x, y) of some pairs (row, column)."""
        first, second = (columns, rows) if self.turned else (rows, columns)
        i, j = (pairs.col, pairs.row) if self.turned else (pairs.row, pairs.col)
        weights = self._side.log_row_weights(first, second)
        squares = ((first[i] - second[j]) ** 2).sum(axis=1)
        return weights[i] + self._side.log_v[j] - squares

    def sums(self, rows: Floats, columns: Floats) -> tuple[fields.KernelSums, fields.KernelSums]:
        """Return the two kernel sums that the loss at a map is made of."""
        first, second = (columns, rows) if self.turned else (rows, columns)
        weights = self._side.log_row_weights(first, second)
        return (
            self._side.sums(first, second, self._side.log_v),
            self._side.sums(second, first, weights),
        )

    @property
    def informative(self) -> bool:
        """Whether rows and columns depend on each other at all."""
        independent, saturated = self.bounds
        return saturated - independent > 1e-12

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood of independence and of the table itself (saturated)."""
        p, side = self.shares.data, self._side
        saturated = float(p @ np.log(p))
        return float(_entropy(side.r) + _entropy(side.c)), saturated


def _entropy(p: Floats) -> float:
    """Σ p log p."""
    return float(p[p > 0] @ np.log(p[p > 0]))


class _Side:
    """The loss with the condition, if any, on rows: letters CM, CU, MM, MU, UM or UU."""

    def __init__(self, shares: sparse.csr_array, letters: str, skip_self: bool) -> None:  # noqa: FBT001
        self.shares, self.transposed = shares, sparse.csr_array(shares.T)
        self.r = sums(shares, 1)
        self.c = sums(shares, 0)
        self.conditioned = letters[0] == "C"
        self.skip_self = skip_self
        with np.errstate(divide="ignore"):
            self.log_r = np.log(self.r)
            self.log_u = self.log_r if letters[0] == "M" else np.zeros(len(self.r))
            self.log_v = np.log(self.c) if letters[1] == "M" else np.zeros(len(self.c))
        self.v = np.exp(self.log_v)
        own = self.log_r if self.conditioned else self.log_u
        self.constant = -_dot(self.r, own) - _dot(self.c, self.log_v)

    def at(self, rows: Floats, columns: Floats) -> Point:
        """Compute the loss and its slopes; see the module's equations."""
        seen, log_weights, normaliser = self._normalised(rows, columns)
        back = fields.solve(self.sums(columns, rows, log_weights))
        # Σ_y m (φ − ψ) = −½ Σ_y m · slope, and likewise for columns
        pushed_rows = np.exp(log_weights + seen.log_total)[:, None] * seen.slope
        pushed_columns = (self.v * np.exp(back.log_total))[:, None] * back.slope
        pulled_rows, pulled_columns = self.shares @ columns, self.transposed @ rows
        return Point(
            loss=self._attraction(rows, columns, pulled_rows) + normaliser + self.constant,
            rows=2 * (self.r[:, None] * rows - pulled_rows) + pushed_rows,
            columns=2 * (self.c[:, None] * columns - pulled_columns) + pushed_columns,
        )

    def value(self, rows: Floats, columns: Floats) -> float:
        attraction = self._attraction(rows, columns, self.shares @ columns)
        return attraction + self._normalised(rows, columns)[2] + self.constant

    def log_row_weights(self, rows: Floats, columns: Floats) -> Floats:
        return self._normalised(rows, columns)[1]

    def _attraction(self, rows: Floats, columns: Floats, pulled_rows: Floats) -> float:
        """Σ p̄ d²."""
        own = self.r @ (rows**2).sum(axis=1) + self.c @ (columns**2).sum(axis=1)
        return float(own - 2 * (rows * pulled_rows).sum())

    def _normalised(self, rows: Floats, columns: Floats) -> tuple[fields.Field, Floats, float]:
        """Return what rows see, log(π u / Z) of every row, and Σ π log Z."""
        seen = fields.solve(self.sums(rows, columns, self.log_v))
        if self.conditioned:
            return seen, self.log_r - seen.log_total, _dot(self.r, seen.log_total)
        log_z = float(logsumexp(self.log_u + seen.log_total))
        return seen, self.log_u - log_z, log_z

    def sums(self, targets: Floats, sources: Floats, log_masses: Floats) -> fields.KernelSums:
        own = np.arange(len(targets)) if self.skip_self else None
        return fields.KernelSums(targets, sources, log_masses, own=own, tolerance=PRECISE)


def _dot(shares: Floats, logarithms: Floats) -> float:
    """Σ p log q with 0 · −∞ = 0."""
    seen = shares > 0
    return float(shares[seen] @ logarithms[seen])
