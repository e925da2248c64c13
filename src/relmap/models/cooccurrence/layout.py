"""Which things of some relations have a place on the map, and where each table's lines find theirs.

All places are numbered in one list, kind after kind. What has no counts in any table has none (−1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from relmap._names import Name, Names
from relmap._types import Integers, Mask, sums
from relmap.errors import InputError
from relmap.relations import Relations, Triples


@dataclass(frozen=True, eq=False)
class Link:
    """One table between places: what is embedded of it.

    Attributes
    ----------
    counts : sparse array
        Of the lines that take part: those with counts; of things of one kind, those with counts on
        either side.
    rows, columns : sparse arrays, lines × places
        What each row and column lies at is this times the coordinates of all places: a thing's own
        place, or the middle of two for the pairs of three-way counts.
    same : bool
        Rows and columns are the same things in the same order.
    """

    counts: sparse.csr_array
    rows: sparse.csr_array
    columns: sparse.csr_array
    same: bool


@dataclass(frozen=True, eq=False)
class Layout:
    """The things of some relations that have a place.

    Attributes
    ----------
    relations : Relations
    loops : bool
        Whether counts of a thing with itself take part.
    """

    relations: Relations
    loops: bool = True

    @cached_property
    def _seen(self) -> dict[str, Mask]:
        seen = {kind: np.zeros(len(names), bool) for kind, names in self.relations.kinds.items()}
        for table in self.relations.tables:
            for kind, positions in self._lines(table, only_seen=True):
                seen[kind][positions] = True
        return seen

    def _counts(self, table: Any) -> sparse.csr_array:
        """Return the counts of a table that take part."""
        if self.loops or isinstance(table, Triples) or table.row_kind != table.column_kind:
            return table.counts
        names, counts = self.relations.kinds[table.row_kind], table.counts.tocoo()
        rows, columns = names.find(table.rows), names.find(table.columns)
        others = rows[counts.row] != columns[counts.col]
        if not others.any():
            raise InputError(
                f"self_pairs=False leaves nothing of the table of {' × '.join(table.kinds)}: all "
                "its counts are of things with themselves."
            )
        kept = counts.data[others], (counts.row[others], counts.col[others])
        return sparse.csr_array(kept, shape=counts.shape)

    def _lines(self, table: Any, *, only_seen: bool) -> list[tuple[str, Integers]]:
        """Return the positions among its kind of every part of a table's rows and columns."""
        kinds = self.relations.kinds
        rows, columns = (sums(self._counts(table), axis) > 0 for axis in (1, 0))
        if isinstance(table, Triples):
            own = [kinds[k].find(names) for k, names in zip(table.kinds, table.names, strict=True)]
            parts = [
                (own[0][table.pairs[0]], rows),
                (own[1][table.pairs[1]], rows),
                (own[2], columns),
            ]
        else:
            parts = [
                (kinds[table.row_kind].find(table.rows), rows),
                (kinds[table.column_kind].find(table.columns), columns),
            ]
        return [
            (kind, positions[mask] if only_seen else positions)
            for kind, (positions, mask) in zip(table.kinds, parts, strict=True)
        ]

    @cached_property
    def names(self) -> dict[str, Names]:
        """What has a place, in the order of places."""
        kinds = self.relations.kinds
        return {k: names.take(np.flatnonzero(self._seen[k])) for k, names in kinds.items()}

    @cached_property
    def lost(self) -> dict[str, tuple[Name, ...]]:
        """What has none."""
        kinds = self.relations.kinds
        return {k: names.take(np.flatnonzero(~self._seen[k]))[:] for k, names in kinds.items()}

    @cached_property
    def spans(self) -> dict[str, slice]:
        """The places of every kind."""
        stops = np.cumsum([len(names) for names in self.names.values()]).tolist()
        starts = [0, *stops[:-1]]
        return dict(zip(self.names, map(slice, starts, stops), strict=True))

    @property
    def size(self) -> int:
        """How many places there are."""
        return sum(map(len, self.names.values()))

    def places(self, kind: str, names: Iterable[Name]) -> Integers:
        """Return the place of each name, −1 where it has none."""
        known, start = self.names[kind], self.spans[kind].start
        return np.array([start + known.position(n) if n in known else -1 for n in names], np.intp)

    @property
    def links(self) -> list[Link]:
        """Every table between places."""
        return [self._link(table) for table in self.relations.tables]

    def _link(self, table: Any) -> Link:
        ends, counts = [], self._counts(table)
        for kind, positions in self._lines(table, only_seen=False):
            places = np.where(self._seen[kind], np.cumsum(self._seen[kind]) - 1, -1)[positions]
            ends.append(np.where(places >= 0, places + self.spans[kind].start, -1))
        if isinstance(table, Triples):
            return self._three(table, ends)
        rows, columns = ends
        if table.row_kind == table.column_kind:
            cells = counts.tocoo()
            at = rows[cells.row], columns[cells.col]
            things = np.unique(np.concatenate(at))
            where = np.searchsorted(things, at[0]), np.searchsorted(things, at[1])
            square = sparse.csr_array((cells.data, where), shape=(len(things),) * 2)
            end = self._chosen(things)
            return Link(square, end, end, same=True)
        seen = [np.flatnonzero(sums(counts, axis) > 0) for axis in (1, 0)]
        return Link(
            counts[seen[0]][:, seen[1]],
            self._chosen(rows[seen[0]]),
            self._chosen(columns[seen[1]]),
            same=False,
        )

    def _three(self, table: Triples, ends: list[Integers]) -> Link:
        seen = [np.flatnonzero(sums(table.counts, axis) > 0) for axis in (1, 0)]
        first, second, third = ends[0][seen[0]], ends[1][seen[0]], ends[2][seen[1]]
        middles = (self._chosen(first) + self._chosen(second)) / 2
        return Link(
            table.counts[seen[0]][:, seen[1]],
            sparse.csr_array(middles),
            self._chosen(third),
            same=False,
        )

    def _chosen(self, places: Integers) -> sparse.csr_array:
        """Return the matrix that picks the coordinates of some places."""
        n = len(places)
        return sparse.csr_array((np.ones(n), places, np.arange(n + 1)), shape=(n, self.size))
