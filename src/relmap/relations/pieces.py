"""Which things are linked, however indirectly: the connected pieces of one or more tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from relmap._names import Name, Names


class Linking(Protocol):
    """What this module needs to know of a table."""

    @property
    def counts(self) -> sparse.csr_array: ...  # noqa: D102
    @property
    def rows(self) -> Names: ...  # noqa: D102
    @property
    def columns(self) -> Names: ...  # noqa: D102
    @property
    def row_kind(self) -> str: ...  # noqa: D102
    @property
    def column_kind(self) -> str: ...  # noqa: D102


def pieces(tables: Sequence[Linking]) -> list[dict[str, set[Name]]]:
    """Return the connected pieces, the largest first, each as its names per kind.

    Names are matched by kind and name. Things without any count belong to no piece.
    """
    nodes: dict[tuple[str, Name], int] = {}
    ends = [
        tuple(
            np.array([nodes.setdefault((kind, name), len(nodes)) for name in names], dtype=np.intp)
            for kind, names in ((t.row_kind, t.rows), (t.column_kind, t.columns))
        )
        for t in tables
    ]
    links = [t.counts.tocoo() for t in tables]
    starts = np.concatenate([rows[c.row] for (rows, _), c in zip(ends, links, strict=True)])
    stops = np.concatenate([cols[c.col] for (_, cols), c in zip(ends, links, strict=True)])
    graph = sparse.coo_array((np.ones(len(starts)), (starts, stops)), shape=(len(nodes),) * 2)
    _, labels = connected_components(graph, directed=False)
    linked = np.zeros(len(nodes), dtype=bool)
    linked[starts] = linked[stops] = True
    found: dict[int, dict[str, set[Name]]] = {}
    for (kind, name), position in nodes.items():
        if linked[position]:
            found.setdefault(int(labels[position]), {}).setdefault(kind, set()).add(name)
    return sorted(found.values(), key=lambda piece: -sum(map(len, piece.values())))
