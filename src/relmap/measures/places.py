"""Where the things of a relation are: on a map, found by name, or in arrays, in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from relmap._names import Names, listed
from relmap._types import Floats, Integers
from relmap.errors import InputError
from relmap.maps import Map
from relmap.relations import Table


@dataclass(frozen=True, eq=False)
class Places:
    """A relation, and the points of its rows and columns; NaN is not placed.

    `same`: the points of rows and columns are one and the same, as on a map of one kind.
    """

    table: Table
    rows: Floats
    columns: Floats
    same: bool = False

    @classmethod
    def of(cls, relation: Any, rows: Any, columns: Any) -> Places:
        """Take two arrays, or a map in place of `rows`."""
        table = relation if isinstance(relation, Table) else Table(relation)
        if isinstance(rows, Map):
            if columns is not None:
                raise InputError(
                    "a Map holds rows and columns: leave `columns` out, and give what follows it "
                    "by name (k=5, words=20)."
                )
            return cls._on_map(table, rows)
        if columns is None:
            raise InputError(f"give a Map, or two arrays; got {type(rows).__name__} alone.")
        found = points_of(rows, "rows"), points_of(columns, "columns")
        for points, size, side in zip(found, table.shape, ("rows", "columns"), strict=True):
            if len(points) != size:
                raise InputError(
                    f"the relation has {size:,} {side}, but {len(points):,} points were given."
                )
        if found[0].shape[1] != found[1].shape[1]:
            raise InputError(
                f"rows are in {found[0].shape[1]}-D, columns in {found[1].shape[1]}-D; "
                "measures need both in one space."
            )
        return cls(table, *found)

    @classmethod
    def _on_map(cls, table: Table, shown: Map) -> Places:
        twice = table.row_kind == table.column_kind
        kinds = [
            kind if kind in shown.kinds or not twice else f"{kind} as {side}"
            for kind, side in ((table.row_kind, "row"), (table.column_kind, "column"))
        ]
        found = [
            _found(names, shown, kind)
            for names, kind in zip((table.rows, table.columns), kinds, strict=True)
        ]
        same = kinds[0] == kinds[1] and table.rows == table.columns
        return cls(table, found[0], found[1], same)

    @cached_property
    def placed(self) -> tuple[Integers, Integers]:
        """The rows and the columns that have points."""
        rows, columns = (np.flatnonzero(~np.isnan(p[:, 0])) for p in (self.rows, self.columns))
        for side, found in (("row", rows), ("column", columns)):
            if not len(found):
                raise InputError(f"no {side} is placed: all the points given are NaN.")
        return rows, columns

    @cached_property
    def points(self) -> tuple[Floats, Floats]:
        """The points of these."""
        return self.rows[self.placed[0]], self.columns[self.placed[1]]


def points_of(given: Any, name: str) -> Floats:
    """Check an array of points: finite, or NaN throughout for a thing that is not placed."""
    points = np.asarray(given, dtype=np.float64)
    if points.ndim != 2 or not points.shape[1]:
        raise InputError(f"{name} must be an array of points, n × q; got shape {points.shape}.")
    strange = ~(np.isfinite(points).all(axis=1) | np.isnan(points).all(axis=1))
    if strange.any():
        first = int(np.argmax(strange))
        raise InputError(
            f"{name} must be finite, or NaN in all coordinates for what is not placed; point "
            f"{first} is {points[first].tolist()}."
        )
    return points


def _found(names: Names, shown: Map, kind: str) -> Floats:
    if kind not in shown.kinds:
        raise InputError(
            f"the relation has things of kind {kind!r}, the map has "
            f"{listed(map(repr, shown.kinds))}; name the kinds of the table alike."
        )
    points = np.full((len(names), shown.n_components), np.nan)
    known = names.known(shown.names[kind])
    points[names.find(known)] = shown.points[kind][shown.names[kind].find(known)]
    return points
