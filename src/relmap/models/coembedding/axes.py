"""What the spectral maps share: which things take part, how axes become places, and new things.

All of them scale a table on both sides, take leading singular vectors, and place rows and columns
by these. All of them also place a line of counts among fixed things of the other side in the same
way: a sum of those things' places weighted by the counts, over some size of the line. Fitted lines
come out where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from relmap._types import Floats, Integers, sums
from relmap.engines import spectral
from relmap.relations import Table

FAINT = 1e-8  # an axis whose value is a smaller share of the largest is no axis


@dataclass(frozen=True, eq=False)
class Core:
    """The rows and columns of a table that have counts.

    Attributes
    ----------
    counts : sparse array, without empty rows and columns
    rows, columns : arrays
        For every row and column of the table, its place in the core; −1 if it has none.
    pieces : array
        The number of the connected piece of every row and then every column of the core.
    """

    counts: sparse.csr_array
    rows: Integers
    columns: Integers
    pieces: Integers

    @classmethod
    def of(cls, table: Table) -> Core:
        """Leave out what is empty."""
        seen = [totals > 0 for totals in (table.row_totals, table.column_totals)]
        counts = table.counts
        if not (seen[0].all() and seen[1].all()):
            counts = counts[np.flatnonzero(seen[0])][:, np.flatnonzero(seen[1])]
        rows, columns = (np.where(mask, np.cumsum(mask) - 1, -1) for mask in seen)
        return cls(counts, rows, columns, _pieces(counts))

    @property
    def shares(self) -> sparse.csr_array:
        """The counts over their sum."""
        data = self.counts.data / self.counts.data.max()  # so that sums of huge counts stay finite
        parts = (data / data.sum(), self.counts.indices, self.counts.indptr)
        return sparse.csr_array(parts, shape=self.counts.shape)

    @property
    def piece_count(self) -> int:
        """How many pieces there are."""
        return int(self.pieces.max()) + 1


def _pieces(counts: sparse.csr_array) -> Integers:
    n, m = counts.shape
    links = (np.ones(counts.nnz, dtype=bool), counts.indices + n, counts.indptr)
    below = np.full(m, counts.nnz, dtype=counts.indptr.dtype)  # columns are listed by their rows
    graph = sparse.csr_array((*links[:2], np.append(links[2], below)), shape=(n + m, n + m))
    found: Integers = connected_components(graph, directed=False)[1]
    return found


@dataclass(frozen=True, eq=False)
class Fold:
    """Where a line of counts is placed among fixed things: counts @ loads / size(counts)."""

    loads: Floats
    size: Callable[[sparse.csr_array], Floats] | None = None

    def __call__(self, counts: sparse.csr_array) -> Floats:
        """Place lines, none of them empty."""
        placed: Floats = counts @ self.loads
        return placed if self.size is None else placed / self.size(counts)[:, None]


def totals(counts: sparse.csr_array) -> Floats:
    """Size of a line: its sum."""
    return sums(counts, 1)


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a spectral model found.

    Attributes
    ----------
    problem, axes
        What the engine was asked, and its answer.
    rows, columns : arrays
        Coordinates of what is in the core.
    place_rows, place_columns : Fold
    attributes : mapping
        What else the fitted estimator shows.
    summary : mapping
        What else the map's evidence holds.
    """

    problem: spectral.ScaledMatrix
    axes: spectral.Axes
    rows: Floats
    columns: Floats
    place_rows: Fold
    place_columns: Fold
    attributes: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)


def leading(problem: spectral.ScaledMatrix) -> spectral.Axes:
    """Return the leading axes that are more than rounding; a single one of value 0 if none is."""
    axes = spectral.solve(problem)
    top = max(float(axes.values[0]), problem.unit)
    real = int((axes.values > FAINT * top).sum())
    return axes.first(real) if real else no_axis(axes)


def no_axis(axes: spectral.Axes) -> spectral.Axes:
    """Return one axis of value 0, for what has none."""
    return spectral.Axes(np.zeros(1), axes.left[:, -1:], axes.right[:, -1:])


def powers(values: Floats, exponent: float) -> Floats:
    """Return values ** exponent, where 0 stays 0: an axis that is none places all at its middle."""
    safe = np.where(values > 0, values, 1.0)
    return np.where(values > 0, safe**exponent, 0.0)
