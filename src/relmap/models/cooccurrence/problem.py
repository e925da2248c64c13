"""CODE as a problem for the descent engine: which things are placed, and the loss of a vector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from relmap._names import Name, Names
from relmap._types import Floats, Integers
from relmap.engines.descent import Descent
from relmap.models.cooccurrence.likelihood import Likelihood
from relmap.relations import Relations, Table

MILD = 0.02
"""A penalty of this over the number of things keeps a map readable and costs little."""


def shares_of(counts: sparse.csr_array, weighting: str) -> sparse.csr_array:
    """Return p̄: the counts as shares of all events, or with every seen row weighing the same."""
    data = counts.data / counts.data.max()  # so that sums of huge counts stay finite
    if weighting == "rows":
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        data = data / np.bincount(rows, data, minlength=counts.shape[0])[rows]
    return sparse.csr_array((data / data.sum(), counts.indices, counts.indptr), shape=counts.shape)


@dataclass(frozen=True, eq=False)
class Layout:
    """Which place each row and column of a table has among the things that are embedded.

    Rows and columns of two kinds are two lists of things; those of one kind are one list, shared
    by both sides. What has no counts has no place (−1).

    Attributes
    ----------
    rows, columns : arrays
        The place of each row and of each column.
    names : mapping from kind to Names
        What has a place, in the order of places; of one kind or of two.
    lost : mapping from kind to tuple of names
        What has none.
    """

    rows: Integers
    columns: Integers
    names: dict[str, Names]
    lost: dict[str, tuple[Name, ...]]

    @classmethod
    def of(cls, table: Table) -> Layout:
        """Give a place to everything that has counts."""
        kinds = Relations([table]).kinds
        seen = {kind: np.zeros(len(names), dtype=bool) for kind, names in kinds.items()}
        ends = []
        for kind, names, totals in (
            (table.row_kind, table.rows, table.row_totals),
            (table.column_kind, table.columns, table.column_totals),
        ):
            ends.append((kind, kinds[kind].find(names)))
            seen[kind][ends[-1][1][totals > 0]] = True
        places = {kind: np.where(mask, np.cumsum(mask) - 1, -1) for kind, mask in seen.items()}
        return cls(
            rows=places[ends[0][0]][ends[0][1]],
            columns=places[ends[1][0]][ends[1][1]],
            names={k: names.take(np.flatnonzero(seen[k])) for k, names in kinds.items()},
            lost={k: names.take(np.flatnonzero(~seen[k]))[:] for k, names in kinds.items()},
        )

    @property
    def shared(self) -> bool:
        """Whether rows and columns are of one kind."""
        return len(self.names) == 1

    @property
    def sizes(self) -> tuple[int, int]:
        """How many places there are for rows and for columns."""
        sizes = [len(names) for names in self.names.values()]
        return sizes[0], sizes[-1]

    def counts(self, table: Table) -> sparse.csr_array:
        """Return the table's counts between places."""
        c = table.counts.tocoo()
        places = self.rows[c.row], self.columns[c.col]
        return sparse.csr_array((c.data, places), shape=self.sizes)


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise L + penalty · (Σ|φ|² + Σ|ψ|²) over all coordinates, written as one vector."""

    likelihood: Likelihood
    shared: bool
    n_components: int
    penalty: float

    @classmethod
    def of(cls, table: Table, layout: Layout, settings: dict[str, Any]) -> Problem:
        """Write down the problem of a table."""
        counts = layout.counts(table)
        # things of one kind pair with themselves only if the table has such pairs
        skip_self = layout.shared and not counts.diagonal().any()
        shares = shares_of(counts, settings["weighting"])
        likelihood = Likelihood(shares, settings["variant"], skip_self)
        penalty = settings["penalty"]
        if penalty == "auto":
            penalty = MILD / sum(map(len, layout.names.values()))
        return cls(likelihood, layout.shared, settings["n_components"], float(penalty))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows and columns are embedded."""
        n, m = self.likelihood.shares.shape
        return int(n), int(m)

    @property
    def determined(self) -> bool:
        """Whether the likelihood can tell this map from all others, turned ones apart.

        A conditional variant sees the m things on the other side through φ·ψ and |ψ|² only. A
        change of their scales, ψ → Aψ, is seen unless AᵀA = I where quadratic functions of m points
        are not all linear there: m ≥ (q + 1)(q + 2)/2.
        """
        q, variant = self.n_components, self.likelihood.variant
        if self.penalty > 0 or self.shared or "C" not in variant:
            return True
        return self.sizes[variant[0] == "C"] >= (q + 1) * (q + 2) // 2

    @cached_property
    def masses(self) -> Floats:
        """The share of every thing: rows and then columns, or both in one if they are shared."""
        shares = self.likelihood.row_shares, self.likelihood.column_shares
        return shares[0] + shares[1] if self.shared else np.concatenate(shares)

    @cached_property
    def _units(self) -> Floats:
        """√mass of every thing: in coordinates times this the loss bends equally for all."""
        return np.sqrt(self.masses + self.penalty)[:, None]

    def joined(self, rows: Floats, columns: Floats) -> Floats:
        """Write coordinates as one vector; of shared things only `rows` are used."""
        return (self._units * self._stacked(rows, columns)).ravel()

    def points(self, x: Floats) -> Floats:
        """Read a vector as coordinates of all things."""
        return x.reshape(-1, self.n_components) / self._units

    def parted(self, x: Floats) -> tuple[Floats, Floats]:
        """Read a vector as coordinates of rows and of columns."""
        points = self.points(x)
        return (
            (points, points) if self.shared else (points[: self.sizes[0]], points[self.sizes[0] :])
        )

    def _stacked(self, rows: Floats, columns: Floats) -> Floats:
        return rows if self.shared else np.concatenate([rows, columns])

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the penalised loss and its gradient."""
        rows, columns = self.parted(x)
        point, points = self.likelihood.at(rows, columns), self.points(x)
        slopes = (
            point.rows + point.columns if self.shared else self._stacked(point.rows, point.columns)
        )
        slopes = (slopes + 2 * self.penalty * points) / self._units
        return point.loss + self.penalty * float((points**2).sum()), slopes.ravel()

    def descent(self, start: Floats) -> Descent:
        """Return the problem for the descent engine."""
        return Descent(self.loss, start)
