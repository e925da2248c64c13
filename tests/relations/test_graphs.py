"""Graphs become square tables of their links, or tables of one side by the other."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from relmap.errors import InputError, UnknownNameError
from relmap.relations import Table

edges = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 9)), min_size=1)


@settings(deadline=None)
@given(edges)
def test_links_without_direction_are_symmetric_and_add_up(links):
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from(links)
    table = Table.from_graph(graph)
    expected = nx.to_numpy_array(graph, multigraph_weight=sum)
    np.testing.assert_array_equal(table.counts.toarray(), expected)
    np.testing.assert_array_equal(expected, expected.T)
    assert table.rows == table.columns == list(graph)
    assert (table.row_kind, table.column_kind) == ("node", "node")


@settings(deadline=None)
@given(edges)
def test_links_with_direction_go_from_row_to_column(links):
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from(links)
    expected = nx.to_numpy_array(graph, multigraph_weight=sum)
    np.testing.assert_array_equal(Table.from_graph(graph).counts.toarray(), expected)


def test_a_loop_counts_once_and_a_link_without_weight_one():
    graph = nx.Graph([("a", "a"), ("a", "b"), ("b", "c", {"weight": 2.5})])
    graph.add_node("d")
    table = Table.from_graph(graph)
    assert table.counts.toarray().tolist() == [
        [1, 1, 0, 0], [1, 0, 2.5, 0], [0, 2.5, 0, 0], [0, 0, 0, 0],
    ]  # fmt: skip
    assert table.empty_rows == ("d",)


def test_another_attribute_may_count():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=7, times=2)
    assert Table.from_graph(graph, weight="times").total == 4


SIDES = nx.Graph([("ann", "tea"), ("bo", "tea"), ("ann", "milk")])
SIDES.add_node("cy")


def test_two_sides():
    table = Table.from_graph(SIDES, ["bo", "ann", "cy"], row_kind="who", column_kind="what")
    assert table.rows == ["bo", "ann", "cy"]
    assert table.columns == ["tea", "milk"]
    assert table.counts.toarray().tolist() == [[1, 0], [1, 1], [0, 0]]
    assert (table.row_kind, table.column_kind) == ("who", "what")


def test_the_matrix_of_a_graph_is_the_graph():
    names = list(SIDES)
    for matrix in (nx.to_numpy_array(SIDES), nx.to_scipy_sparse_array(SIDES)):
        assert Table.from_graph(matrix, names=names) == Table.from_graph(SIDES)
        sides = Table.from_graph(matrix, ["ann", "bo", "cy"], names=names)
        assert sides == Table.from_graph(SIDES, ["ann", "bo", "cy"])


def test_one_direction_between_the_sides_is_enough():
    there = nx.DiGraph([("ann", "tea"), ("bo", "milk")])
    back = nx.DiGraph([("tea", "ann"), ("milk", "bo")])
    for graph in (there, back):
        table = Table.from_graph(graph, ["ann", "bo"]).select(columns=["tea", "milk"])
        assert table.counts.toarray().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match="from rows to columns and from columns to rows"):
        Table.from_graph(nx.DiGraph([("ann", "tea"), ("milk", "bo")]), ["ann", "bo"])


def test_nodes_that_are_neither_text_nor_numbers_become_text():
    graph = nx.Graph([((1, 2), (3, 4))])
    assert Table.from_graph(graph).rows == ["(1, 2)", "(3, 4)"]
    assert Table.from_graph(graph, [(3, 4)]).rows == ["(3, 4)"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["ann"], "'tea' - 'bo' is among the columns|'bo' - 'tea' is among the columns"),
        (["ann", "bo", "tea"], "'ann' - 'tea' is among the rows"),
        (["bo", "cy"], "'ann' - 'tea' is among the columns|'tea' - 'ann' is among the columns"),
        (list(SIDES), "no node is left as columns"),
        ([], "no node is left as rows"),
        ("ann", "the single string 'ann'"),
    ],
)
def test_links_within_a_side_are_named(rows, message):
    with pytest.raises(InputError, match=message):
        Table.from_graph(SIDES, rows)


def test_an_unknown_node_is_answered_with_close_ones():
    with pytest.raises(UnknownNameError, match="did you mean 'ann'"):
        Table.from_graph(SIDES, ["anne", "bo"])


def _weighted(value):
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=value)
    return graph


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (_weighted("much"), {}, "'weight' of the link 'a' - 'b' is not a number: 'much'"),
        (_weighted(None), {}, "is not a number: None"),
        (_weighted(-1), {}, "Negative values.*row 'a', column 'b'"),
        (_weighted(float("nan")), {}, "NaN or infinity.*row 'a', column 'b'"),
        (nx.Graph(), {}, "the graph has no nodes"),
        (SIDES, {"names": list("abcde")}, "a graph has its own"),
        (np.ones((2, 3)), {}, "square adjacency matrix; got a ndarray of shape \\(2, 3\\)"),
        (sparse.eye_array(3), {"names": ["a"]}, "got 1 names for a graph of 3 nodes"),
        (np.eye(2), {"weight": "times"}, "a matrix was given"),
        ("graph", {}, "got a str"),
        (np.eye(2), {"names": ["a", "a"]}, "node names must be distinct"),
    ],
)
def test_what_is_no_graph_is_refused(graph, options, message):
    with pytest.raises(InputError, match=message):
        Table.from_graph(graph, **options)
