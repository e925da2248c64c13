"""What goes into the analysis of a table, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from relmap._types import Floats, Integers
from relmap.relations import Table


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


class Evidence(Protocol):
    """What was recomputed to show that places are right."""

    def holds(self, tolerance: float = ...) -> bool:
        """Tell whether they are."""
        ...


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a model found.

    Attributes
    ----------
    rows, columns : arrays
        Coordinates of what is in the core.
    place_rows, place_columns : functions
        From new lines of counts, none empty, to their coordinates.
    evidence, status, advice
        How far the places may be trusted, and what to do if that is not far.
    attributes : mapping
        What else the fitted estimator shows.
    summary : mapping
        What the map keeps of the evidence.
    """

    rows: Floats
    columns: Floats
    place_rows: Callable[[sparse.csr_array], Floats]
    place_columns: Callable[[sparse.csr_array], Floats]
    evidence: Evidence
    status: str
    advice: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
