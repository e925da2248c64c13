"""Graphs to tables: networkx graphs and adjacency matrices, whole or as two sides."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy import sparse

from relmap._names import Names
from relmap.errors import InputError
from relmap.relations.counts import clean_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from relmap._types import Integers

Links: TypeAlias = tuple[sparse.csr_array, Names, Names]


def links(
    graph: Any, rows: Iterable[Any] | None, names: Iterable[Any] | None, weight: str
) -> Links:
    """Return the links of a graph as counts, with the names of rows and columns.

    Links without direction count both ways (a loop once), links with one from row to column,
    several between the same two nodes add up. With `rows` only the links between the two sides
    are left, and a link within a side is an error.
    """
    if hasattr(graph, "nodes") and hasattr(graph, "is_directed"):
        if names is not None:
            raise InputError("names are for the nodes of a matrix; a graph has its own.")
        nodes = list(graph.nodes)
        matrix = _adjacency(graph, nodes, weight)
    else:
        matrix = _matrix(graph, weight)
        nodes = list(range(matrix.shape[0]) if names is None else names)
    called = Names(nodes, "node")
    if len(called) != matrix.shape[0]:
        raise InputError(f"got {len(called)} names for a graph of {matrix.shape[0]} nodes.")
    counts = clean_counts(matrix, called, called)
    if rows is None:
        return counts, called, called
    return _sides(counts, called, _positions(rows, nodes, called))


def _adjacency(graph: Any, nodes: list[Any], weight: str) -> sparse.coo_array:
    """Return who is linked with whom in a networkx graph, as a square matrix."""
    if not nodes:
        raise InputError("the graph has no nodes.")
    place = {node: position for position, node in enumerate(nodes)}
    ends: list[tuple[int, int]] = []
    amounts: list[float] = []
    for start, stop, value in graph.edges(data=weight, default=1):
        if not isinstance(value, Real):
            raise InputError(
                f"attribute {weight!r} of the link {start!r} - {stop!r} is not a number: "
                f"{value!r}. Say weight= with an attribute that says how often."
            )
        ends.append((place[start], place[stop]))
        if start != stop and not graph.is_directed():
            ends.append((place[stop], place[start]))
        amounts.extend([float(value)] * (len(ends) - len(amounts)))
    starts, stops = np.array(ends, dtype=np.intp).reshape(-1, 2).T
    return sparse.coo_array((amounts, (starts, stops)), shape=(len(nodes),) * 2)


def _matrix(graph: Any, weight: str) -> Any:
    """Return an adjacency matrix if that is what was given."""
    if weight != "weight":
        raise InputError(
            f"weight={weight!r} names a link attribute of a graph, but a matrix was given; "
            "its entries are the weights."
        )
    matrix: Any = graph if sparse.issparse(graph) else np.asarray(graph)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            "from_graph takes a networkx graph or a square adjacency matrix; got a "
            f"{type(graph).__name__} of shape {matrix.shape}. A table that is not square "
            "goes to Table(...), a list of links in a frame to Table.from_events."
        )
    return matrix


def _positions(rows: Iterable[Any], nodes: list[Any], called: Names) -> Integers:
    """Return where the nodes of the row side are, each once, in the order given."""
    if isinstance(rows, str):
        raise InputError(f"rows must be a list of nodes; got the single string {rows!r}.")
    place = {node: position for position, node in enumerate(nodes)}
    found = [place[row] if row in place else called.position(row) for row in rows]
    return np.array(list(dict.fromkeys(found)), dtype=np.intp)


def _sides(counts: sparse.csr_array, called: Names, rows: Integers) -> Links:
    """Return the links between the nodes at `rows` and all others."""
    columns = np.setdiff1d(np.arange(len(called)), rows)
    sides = (rows, "rows"), (columns, "columns")
    for side, what in sides:
        if not len(side):
            raise InputError(
                f"rows must name the nodes of one side; here no node is left as {what}."
            )
    for side, what in sides:
        inside = counts[side][:, side].tocoo()
        if inside.nnz:
            start, stop = called[side[inside.row[0]]], called[side[inside.col[0]]]
            raise InputError(
                f"the link {start!r} - {stop!r} is among the {what} ({inside.nnz:,} such entries); "
                "with rows= every link must go between the two sides."
            )
    there, back = counts[rows][:, columns], counts[columns][:, rows].T.tocsr()
    if there.nnz and back.nnz and abs(there - back).max():
        raise InputError(
            "links go from rows to columns and from columns to rows, and differ; "
            "keep one direction, or leave rows= out to keep both."
        )
    return there if there.nnz else back, called.take(rows), called.take(columns)
