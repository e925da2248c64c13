"""Nearness: which rows and columns a relation holds close, and whether a map keeps them close.

The row i and the column j of a relation R are a *near pair* if r_ij > 0 is among the k_c largest
of row i and among the k_r largest of column j. On a map the same is asked of distances: no more
than k_c columns are as close to row i, and no more than k_r rows as close to column j. What is lost
between the two is

    Γ = Σ_ij K(R)_ij (1 − K(Q)_ij),     K = 1 for near pairs, Q = distances from rows to columns.

Counts are full of ties. In a row the larger value comes first, then the column with the smaller
total (it has less to do with other rows), then the one whose total is less spread out (larger sum
of squares). What is still tied cannot be told apart by the numbers and has one place together, so
that nothing depends on the order in which things are stored. Where k + t columns share the first k
places of a row, so many may be as close to it on the map; more would be a crowd that tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from relmap._threads import available, each
from relmap._types import Floats, Integers

TIED = 1e-9  # distances that differ by this share, or by this share of the map, are one
TREE = 8  # dimensions up to which a k-d tree beats all distances (3,000 × 2,000 and 20,000 × 5,000)
CROWD = 16  # looking for more than a 16th of all things, a tree is slower than all distances
FARTHEST = 1e6  # beyond so many times its reach, how far a pair is says no more
TINY = 1e-300
BLOCK = 2**18  # distances at a time: 2 MiB; 1 and 4 are as fast, 16 takes a fifth longer


@dataclass(frozen=True, eq=False)
class NearPairs:
    """The near pairs of a relation, found once, to be looked up on many maps.

    Attributes
    ----------
    rows, columns : arrays, one entry per near pair
    room : pair of arrays
        How many columns are near each row, and how many rows near each column: k_c and k_r, or
        more where more share the first places.
    same : bool
        Rows and columns are the same things, which are not near themselves.
    """

    rows: Integers
    columns: Integers
    room: tuple[Integers, Integers]
    same: bool = False

    @classmethod
    def of(
        cls, relation: sparse.csr_array, k: int | tuple[int, int] = 5, *, same: bool = False
    ) -> NearPairs:
        """Find the near pairs of a relation; `k` is for both sides or (k_r, k_c)."""
        k_r, k_c = k if isinstance(k, tuple) else (k, k)
        cells = Cells.of(relation, same=same)
        by_row, by_column = cells.first(k_c).cells, cells.transposed.first(k_r).cells
        near = np.intersect1d(by_row, by_column)
        room = (
            np.maximum(np.bincount(cells.rows[by_row], minlength=relation.shape[0]), k_c),
            np.maximum(np.bincount(cells.columns[by_column], minlength=relation.shape[1]), k_r),
        )
        return cls(cells.rows[near], cells.columns[near], room, same)

    def __len__(self) -> int:
        return len(self.rows)

    def lost(self, row_points: Floats, column_points: Floats) -> int:
        """Count the pairs that are not near on a map of finite points: Γ."""
        return self.strain(row_points, column_points)[0]

    def strain(self, row_points: Floats, column_points: Floats) -> tuple[int, float]:
        """Return Γ, and how far the lost pairs are out of reach: Σ log(distance / reach)."""
        over = self.overreach(row_points, column_points)
        over = over[over > 1 - TIED]
        return len(over), float(np.log(np.clip(over, 1, FARTHEST)).sum())

    def overreach(self, row_points: Floats, column_points: Floats) -> Floats:
        """Return how far apart each pair is, over what is too far: the first beyond the room."""
        gaps = row_points[self.rows] - column_points[self.columns]
        distances = np.sqrt(np.einsum("pq,pq->p", gaps, gaps))
        (rows, row_of), (columns, column_of) = self._ends
        beyond = 1 + self.same  # a thing is at distance 0 of itself
        reach = np.minimum(
            reaches(row_points[rows], column_points, self.room[0][rows] + beyond)[row_of],
            reaches(column_points[columns], row_points, self.room[1][columns] + beyond)[column_of],
        )
        least = max(TIED * _size(row_points, column_points), TINY)  # closer is in one place
        over: Floats = np.maximum(distances, least) / np.maximum(reach, least)
        return over

    @cached_property
    def _ends(self) -> tuple[tuple[Integers, Integers], ...]:
        """The rows and the columns that are in some pair, and which of them each pair has."""
        return tuple(np.unique(end, return_inverse=True) for end in (self.rows, self.columns))


class First(NamedTuple):
    """The first k cells of every row; where several share the last places, all of them.

    `shares` is what part of a place each has: less than 1 only for those that share.
    """

    cells: Integers
    shares: Floats


@dataclass(frozen=True, eq=False)
class Cells:
    """The positive cells of a relation, the smallest value first."""

    rows: Integers
    columns: Integers
    values: Floats

    @classmethod
    def of(cls, relation: sparse.csr_array, *, same: bool = False) -> Cells:
        """Take the positive cells; without the diagonal where rows and columns are the same."""
        cells = relation.tocoo()
        keep = np.flatnonzero((cells.data > 0) & ~(same & (cells.row == cells.col)))
        order = keep[np.argsort(cells.data[keep])]
        return cls(cells.row[order], cells.col[order], cells.data[order].astype(np.float64))

    @property
    def transposed(self) -> Cells:
        """The same cells with rows and columns exchanged."""
        return Cells(self.columns, self.rows, self.values)

    def first(self, k: int) -> First:
        """Line up the cells of every row, the nearest first, and take the first k."""
        chosen = self._candidates(k)
        keys = self.rows[chosen], -self.values[chosen], self._ranks[self.columns[chosen]]
        order = np.lexsort(keys[::-1])
        new_row, *others = (np.diff(key[order], prepend=np.nan) != 0 for key in keys)
        places = np.flatnonzero(np.logical_or.reduce([new_row, *others]))
        sharing = np.diff(places, append=len(order))
        row_starts = np.flatnonzero(new_row)
        before = places - row_starts[np.cumsum(new_row[places]) - 1]
        shares = np.repeat(np.clip((k - before) / sharing, 0, 1), sharing)
        return First(chosen[order[shares > 0]], shares[shares > 0])

    def _candidates(self, k: int) -> Integers:
        """Leave out cells with k larger ones in their row: most of them, and sorting is slow.

        Row and value (in single precision, whose bits are in the order of positive numbers) make
        one integer; sorting those takes a tenth of the time of sorting by three keys.
        """
        with np.errstate(over="ignore", under="ignore"):  # the order holds at 0 and infinity too
            bits = self.values.astype(np.float32).view(np.uint32)
        keys = (self.rows.astype(np.uint64) << np.uint64(32)) | ~bits
        lined = np.sort(keys)
        starts = np.flatnonzero(np.diff(lined >> np.uint64(32), prepend=np.uint64(2**32 - 1)))
        lasts = lined[np.minimum(starts + k, np.append(starts[1:], len(lined))) - 1]
        limits = np.zeros(self.rows.max(initial=0) + 1, dtype=np.uint64)
        limits[lasts >> np.uint64(32)] = lasts
        return np.flatnonzero(keys <= limits[self.rows])

    @cached_property
    def _ranks(self) -> Integers:
        """Rank the columns by their total, then by how spread out it is; equal ones share a rank.

        Values are added up in the order of their size: columns that hold the same values then
        have the same total to the last bit, wherever the values stand.
        """
        totals = np.bincount(self.columns, self.values)
        with np.errstate(over="ignore", under="ignore"):
            squares = np.bincount(self.columns, self.values**2)
        keys = np.column_stack([totals, -squares])
        return np.unique(keys, axis=0, return_inverse=True)[1]


def _size(*clouds: Floats) -> float:
    """Return the longest side of the box around some points."""
    lows = np.min([cloud.min(axis=0, initial=np.inf) for cloud in clouds], axis=0)
    highs = np.max([cloud.max(axis=0, initial=-np.inf) for cloud in clouds], axis=0)
    return float((highs - lows).max())


def reaches(targets: Floats, sources: Floats, places: Integers) -> Floats:
    """Return how far from each target its source at some place is, the nearest being 1.

    Infinity where there are not so many sources.
    """
    found = np.full(len(targets), np.inf)
    tree = cKDTree(sources) if targets.shape[1] <= TREE else None
    for place in np.unique(places[places <= len(sources)]).tolist():
        asked = np.flatnonzero(places == place)
        if tree is not None and place * CROWD <= len(sources):
            found[asked] = tree.query(targets[asked], [place], workers=available())[0][:, 0]
        else:
            found[asked] = _at_place(targets[asked], sources, place)
    return found


def _at_place(targets: Floats, sources: Floats, place: int) -> Floats:
    squares = np.empty(len(targets))

    def look(start: int, block: Floats) -> None:
        block.partition(place - 1, axis=1)
        squares[start : start + len(block)] = block[:, place - 1]

    each_block(targets, sources, look)
    return np.sqrt(squares)


def each_block(targets: Floats, sources: Floats, work: Callable[[int, Floats], None]) -> None:
    """Do some work on the squared distances of all targets and sources, a few rows at a time.

    `work` gets the number of the first target of a block, and the block, which is its own to
    spoil. Blocks do not depend on how many threads there are.
    """
    height = max(1, BLOCK // len(sources))

    def run(start: int) -> None:
        work(start, cdist(targets[start : start + height], sources, "sqeuclidean"))

    each(run, range(0, len(targets), height))
