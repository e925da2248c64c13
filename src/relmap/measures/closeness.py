"""Whether a map keeps close what the relation holds close."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from relmap import _check
from relmap._types import Floats, Integers, sums
from relmap.engines.nearness import TIED, Cells, NearPairs, each_block
from relmap.errors import InputError
from relmap.measures.places import Places


def conformity(relation: Any, rows: Any, columns: Any = None, k: int | tuple[int, int] = 5) -> int:
    """Count the near pairs of a relation that are not near on the map: Γ, 0 at best.

    A row and a column are a near pair if each is among the other's `k` nearest: by the largest
    entries in the relation, by the smallest distances on the map. Ties among entries are broken by
    rules that do not depend on order (`relmap.engines.nearness`); pairs with an end that is not
    placed are lost.

    Parameters
    ----------
    relation : Table, array or sparse matrix
        Larger is closer; 0 is not related.
    rows, columns : arrays of points, or one Map in place of `rows`
    k : int or (rows, columns)
        How many rows are near a column, and how many columns near a row.

    Examples
    --------
    >>> from relmap import CorrespondenceAnalysis, datasets, measures
    >>> table = datasets.load_housetasks()
    >>> measures.conformity(table, CorrespondenceAnalysis(1).fit(table).map_, k=2)
    4
    """
    _check.check("conformity", {"k": k}, {"k": _check.NEIGHBOURS})
    places = Places.of(relation, rows, columns)
    near = NearPairs.of(places.table.counts, k, same=places.same)
    ends = (near.rows, places.rows), (near.columns, places.columns)
    kept = ~np.logical_or(*(np.isnan(points[end, 0]) for end, points in ends))
    rows_at, columns_at = (
        np.searchsorted(placed, end[kept])
        for placed, (end, _) in zip(places.placed, ends, strict=True)
    )
    rows_room, columns_room = (
        room[placed] for room, placed in zip(near.room, places.placed, strict=True)
    )
    shown = NearPairs(rows_at, columns_at, (rows_room, columns_room), places.same)
    return int((~kept).sum()) + shown.lost(*places.points)


def mean_rank(relation: Any, rows: Any, columns: Any = None, k: int = 10) -> float:
    """Return the mean rank on the map of the `k` columns closest to each row in the relation.

    For every row, the columns with its `k` largest entries are looked up among all columns in the
    order of their distance (the nearest is 1); their ranks are averaged over columns, then rows.
    At best it is (k + 1)/2, at random (columns + 1)/2. Columns that are tied for the last places
    have equal shares of them; columns at one distance have their mean rank; columns that are not
    placed come last. Rows without entries, and rows not placed, are left out.

    Parameters
    ----------
    relation : Table, array or sparse matrix
        Larger is closer; 0 is not related.
    rows, columns : arrays of points, or one Map in place of `rows`
    k : int

    Examples
    --------
    >>> from relmap import CorrespondenceAnalysis, datasets, measures
    >>> table = datasets.load_housetasks()
    >>> measures.mean_rank(table, CorrespondenceAnalysis().fit(table).map_, k=1)
    1.0
    """
    _check.check("mean_rank", {"k": k}, {"k": _check.whole(1)})
    places = Places.of(relation, rows, columns)
    cells = Cells.of(places.table.counts, same=places.same)
    first = cells.first(k)
    shares = sparse.csr_array(
        (first.shares, (cells.rows[first.cells], cells.columns[first.cells])), places.table.shape
    )[places.placed[0]]
    asked = np.flatnonzero(sums(shares, 1))
    if not len(asked):
        raise InputError("no placed row of the relation has an entry, so that nothing is close.")
    means = _mean_ranks(shares[asked], places, asked)
    return float(means.mean())


def _mean_ranks(shares: sparse.csr_array, places: Places, asked: Integers) -> Floats:
    """Return the mean rank of each row's columns, weighted by shares."""
    placed = places.placed[1]
    totals, here = sums(shares, 1), shares[:, placed]
    last = len(placed) + (shares.shape[1] - len(placed) + 1) / 2 - places.same
    ranks = (totals - sums(here, 1)) * last

    def look(start: int, block: Floats) -> None:
        for i, squares in enumerate(block, start):
            if places.same:
                squares[asked[i]] = np.inf  # a thing is not its own neighbour
            own = slice(*here.indptr[i : i + 2])
            ranks[i] += here.data[own] @ _ranks(squares, squares[here.indices[own]])

    each_block(places.points[0][asked], places.points[1], look)
    result: Floats = ranks / totals
    return result


def _ranks(squares: Floats, own: Floats) -> Floats:
    """Return the places of some squared distances among all; those at one distance share them."""
    closer = np.count_nonzero(squares < own[:, None] * (1 - 2 * TIED), axis=1)
    as_close = np.count_nonzero(squares <= own[:, None] * (1 + 2 * TIED), axis=1)
    return (closer + as_close + 1) / 2
