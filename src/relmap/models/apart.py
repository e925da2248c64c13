"""Mapping each piece of a table by itself."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from relmap._names import Name
from relmap.errors import InputError, NeighboursWarning, RankWarning
from relmap.maps import Map
from relmap.maps.beside import beside
from relmap.models.base import provenance
from relmap.relations import Relations, Table


def apart(model: Any, table: Table) -> Map:
    """Map each piece of a table that nothing connects by itself, and lay the maps side by side.

    Distances within a piece mean what the model says, distances between pieces nothing. `model`
    itself is not fitted; the pieces are mapped by copies of it. What has no counts is `unplaced`.
    Warnings are those of the largest piece; that small ones have few axes goes without saying. A
    table in one piece is mapped as `fit` does it.

    Examples
    --------
    >>> from relmap import CorrespondenceAnalysis, Table, apart
    >>> two = Table([[3, 1, 0, 0], [1, 4, 0, 0], [0, 0, 5, 2], [0, 0, 1, 2]])
    >>> apart(CorrespondenceAnalysis(1), two)
    Map of row (4) and column (4) in 1-D by CorrespondenceAnalysis (converged)
    """
    if not isinstance(table, Table):
        raise InputError(f"apart takes a Table; got {type(table).__name__}.")
    blocks = table.blocks()
    if len(blocks) == 1:
        whole: Map = clone(model).fit(table).map_
        return whole
    if not blocks:
        raise InputError("the table is empty: all its counts are 0, so there is nothing to map.")
    largest = clone(model).fit(blocks[0]).map_
    with warnings.catch_warnings():
        for kind in (RankWarning, NeighboursWarning):  # small pieces have few axes, few neighbours
            warnings.simplefilter("ignore", kind)
        maps = [largest, *(clone(model).fit(block).map_ for block in blocks[1:])]
    return replace(
        beside(maps, [block.total for block in blocks]),
        unplaced=_without_counts(table, maps[0].kinds),
        evidence={
            "pieces": len(blocks),
            "largest_piece": len(blocks[0].rows) + len(blocks[0].columns),
        },
        provenance=provenance(table),
    )


def _without_counts(table: Table, kinds: tuple[str, ...]) -> dict[str, tuple[Name, ...]]:
    if len(kinds) == 2:
        return {kinds[0]: table.empty_rows, kinds[1]: table.empty_columns}
    return {kinds[0]: Relations([table]).empty[table.row_kind]}
