"""The statistics of a correspondence analysis: where the departure from independence lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse, stats

from relmap._types import Floats, sums
from relmap.engines.spectral import Axes
from relmap.models.base import spread
from relmap.models.coembedding.axes import powers
from relmap.models.coembedding.core import Core

BLOCK = 250_000  # cells at a time
ROUNDING = 1e-13  # what a thing of the average profile has for inertia, relative to its mass


@dataclass(frozen=True, eq=False)
class Inertia:
    """Masses and inertias of the things in a core, and what axes take of them."""

    core: Core
    axes: Axes
    row_masses: Floats
    column_masses: Floats
    row_inertias: Floats
    column_inertias: Floats

    @classmethod
    def of(cls, core: Core, shares: sparse.csr_array, axes: Axes) -> Inertia:
        """Sum (p̄ − rc)²/rc over rows and over columns, without storing cells that are 0.

        In a cell that was never seen this is rc, so those of a row add up to r times the masses of
        the columns it was not seen with.
        """
        r, c = sums(shares, 1), sums(shares, 0)
        by_row, by_column = r.copy(), c.copy()
        lines = np.repeat(np.arange(len(r), dtype=np.int32), np.diff(shares.indptr))
        for start in range(0, shares.nnz, BLOCK):
            cells = slice(start, start + BLOCK)
            i, j, p = lines[cells], shares.indices[cells], shares.data[cells]
            expected = r[i] * c[j]
            excess = (p - expected) ** 2 / expected - expected
            by_row += np.bincount(i, excess, len(r))
            by_column += np.bincount(j, excess, len(c))
        floor = np.zeros(1)
        return cls(core, axes, r, c, np.maximum(by_row, floor), np.maximum(by_column, floor))

    @property
    def total(self) -> float:
        """The total inertia, χ² over the number of events."""
        return float(self.row_inertias.sum())

    @property
    def shares(self) -> Floats:
        """The share of the total that each axis takes."""
        inertias: Floats = self.axes.values**2
        return inertias / self.total if self.total > 0 else np.zeros_like(inertias)

    def attributes(self) -> dict[str, Any]:
        """Return what the fitted estimator shows of it."""
        n, m = self.core.counts.shape
        chi_square = self.total * float(self.core.counts.sum())
        freedom = (n - 1) * (m - 1)
        return {
            "inertias_": self.axes.values**2,
            "inertia_shares_": self.shares,
            "total_inertia_": self.total,
            "chi_square_": chi_square,
            "degrees_of_freedom_": freedom,
            "p_value_": float(stats.chi2.sf(chi_square, freedom)) if freedom else 1.0,
            **self._of("row", self.row_masses, self.row_inertias),
            **self._of("column", self.column_masses, self.column_inertias),
        }

    def _of(self, side: str, masses: Floats, inertias: Floats) -> dict[str, Floats]:
        vectors, places = (
            (self.axes.left, self.core.rows)
            if side == "row"
            else (self.axes.right, self.core.columns)
        )
        contributions = vectors**2 * powers(self.axes.values, 0)
        shown = contributions * self.axes.values**2
        centred = inertias <= ROUNDING * masses  # no inertia, so that no axis shows a share of it
        own = np.where(centred, np.nan, inertias)[:, None]
        return {
            f"{side}_masses_": np.nan_to_num(spread(masses, places)),
            f"{side}_inertias_": np.nan_to_num(spread(inertias, places)),
            f"{side}_contributions_": spread(contributions, places),
            f"{side}_cosines_": spread(np.minimum(shown / own, 1.0), places),
        }
