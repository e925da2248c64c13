"""A table adds up, keeps its names, never changes, and refuses what is no table of counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from relmap.errors import InputError, UnknownNameError
from relmap.relations import Relations, Table

grids = arrays.arrays(
    np.int64,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=7),
    elements=st.sampled_from([0, 0, 0, 1, 2, 5, 40]),
)


@st.composite
def tables(draw):
    grid = draw(grids)
    names = st.one_of(st.integers(), st.text(min_size=1))
    rows, columns = (
        draw(st.lists(names, min_size=size, max_size=size, unique=True)) for size in grid.shape
    )
    return Table(grid, rows, columns, *draw(st.sampled_from([("row", "column"), ("x", "x")])))


def _cells(table):
    found = table.counts.tocoo()
    return {
        (table.rows[i], table.columns[j]): value
        for i, j, value in zip(found.row, found.col, found.data, strict=True)
    }


laws = settings(deadline=None)


# What it holds -------------------------------------------------------------------------------


@laws
@given(grids)
def test_the_form_of_the_counts_does_not_matter(grid):
    table = Table(grid)
    for form in (
        grid.tolist(), grid.astype(np.float32), np.asfortranarray(grid), sparse.csc_matrix(grid),
        sparse.coo_array(grid), sparse.lil_array(grid),
    ):  # fmt: skip
        assert Table(form) == table
        assert Table(form).fingerprint == table.fingerprint
    np.testing.assert_array_equal(table.counts.toarray(), grid)


@laws
@given(tables())
def test_totals(table):
    grid = table.counts.toarray()
    assert table.total == grid.sum()
    np.testing.assert_array_equal(table.row_totals, grid.sum(axis=1))
    np.testing.assert_array_equal(table.column_totals, grid.sum(axis=0))
    assert set(table.empty_rows) == set(table.rows) - {row for row, _ in _cells(table)}
    assert set(table.empty_columns) == set(table.columns) - {col for _, col in _cells(table)}


def test_repeated_entries_are_added_and_zeros_take_no_room():
    counts = sparse.coo_array(([1, 2, 0, 4], ([0, 0, 1, 1], [1, 1, 0, 1])), shape=(2, 2))
    table = Table(counts)
    assert table.counts.toarray().tolist() == [[0, 3], [0, 4]]
    assert table.counts.nnz == 2
    assert table.empty_columns == (0,)


def test_the_input_is_neither_changed_nor_followed():
    counts = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2)).tocsr(copy=True)
    dense = np.array([[1.0, 2.0]])
    tables = Table(counts), Table(dense)
    counts.data[:] = dense[:] = 9
    assert [table.total for table in tables] == [3, 3]
    with pytest.raises(ValueError, match="read-only"):
        tables[0].counts.data[0] = 7


def test_names_and_kinds():
    table = Table([[1, 2]], ["ann"], [3, "3"], "person", "thing")
    assert table.rows == ["ann"]
    assert table.columns == [3, "3"]
    assert (table.row_kind, table.column_kind) == ("person", "thing")
    assert Table([[1, 2]]).columns == [0, 1]
    assert table.shape == (1, 2)


def test_equal_tables_have_equal_fingerprints_and_others_do_not():
    table = Table([[1, 0], [0, 2]], ["a", "b"], [1, 2])
    same = Table(sparse.csc_array([[1.0, 0], [0, 2]]), ("a", "b"), np.array([1, 2]))
    assert table == same
    assert hash(table) == hash(same)
    others = [
        Table([[1, 0], [0, 3]], ["a", "b"], [1, 2]),
        Table([[0, 1], [0, 2]], ["a", "b"], [1, 2]),
        Table([[1, 0], [0, 2]], ["a", "c"], [1, 2]),
        Table([[1, 0], [0, 2]], ["a", "b"], ["1", 2]),
        Table([[1, 0], [0, 2]], ["a", "b"], [1, 2], "person"),
    ]
    assert len({t.fingerprint for t in [table, *others]}) == 6
    assert table != "table"


def test_the_picture_of_a_table_in_words():
    table = Table([[3, 0, 0], [0.5, 0, 0]], row_kind="user", column_kind="item")
    words = "Table of user (2) × item (3): 3.5 counts in 2 of 6 cells (33.3 %); empty: item (2)"
    assert repr(table) == words


# Other tables made from it -------------------------------------------------------------------


@laws
@given(tables())
def test_turning_twice_changes_nothing(table):
    assert table == table.T.T
    assert table.T.shape == table.shape[::-1]
    assert _cells(table.T) == {
        (column, row): value for (row, column), value in _cells(table).items()
    }


@laws
@given(tables(), st.data())
def test_selecting_by_names_and_by_mask_agree(table, data):
    mask = data.draw(arrays.arrays(bool, table.shape[0]).filter(np.any))
    names = [name for name, keep in zip(table.rows, mask, strict=True) if keep]
    assert table.select(rows=names) == table.select(rows=mask)
    shuffled = data.draw(st.permutations(table.columns))
    chosen = table.select(names, shuffled)
    assert chosen.rows == names
    assert chosen.columns == shuffled
    assert _cells(chosen) == {k: v for k, v in _cells(table).items() if k[0] in names}


def test_selecting_one_name_and_unknown_ones():
    table = Table([[1, 2], [3, 4]], ["ann", "bo"], ["tea", "milk"], "person", "drink")
    assert table.select("bo", "tea").total == 3
    with pytest.raises(UnknownNameError, match="no drink is called 'tee'; did you mean 'tea'"):
        table.select(columns=["tee"])
    with pytest.raises(UnknownNameError, match="no person is called 0"):
        table.select(rows=[0])
    with pytest.raises(InputError, match="a mask must have 2 entries"):
        table.select(rows=[True])
    with pytest.raises(InputError, match="distinct"):
        table.select(rows=["bo", "bo"])
    with pytest.raises(InputError, match="at least one person"):
        table.select(rows=[])


@laws
@given(tables().filter(lambda table: table.row_kind != table.column_kind))
def test_blocks_part_the_counts(table):
    blocks = table.blocks()
    found = [cell for block in blocks for cell in _cells(block).items()]
    assert len(found) == len(dict(found))
    assert dict(found) == _cells(table)
    totals = [block.total for block in blocks]
    assert totals == sorted(totals, reverse=True)
    for block in blocks:
        assert not block.empty_rows
        assert not block.empty_columns
        assert len(block.blocks()) == 1


def test_blocks_of_links_within_one_kind():
    square = sparse.block_diag([[[0, 1], [1, 0]], [[0, 5], [5, 0]]])
    table = Table.from_graph(square, names=["a", "b", "c", "d"])
    assert [set(block.rows) for block in table.blocks()] == [{"c", "d"}, {"a", "b"}]


@laws
@given(tables(), st.floats(0.01, 0.99), st.integers(0, 2**31))
def test_thinning_deals_out_every_event_once(table, fraction, seed):
    kept, held = table.thin(fraction, seed)
    np.testing.assert_array_equal(
        kept.counts.toarray() + held.counts.toarray(), table.counts.toarray()
    )
    for part in (kept, held):
        assert part.rows == table.rows
        assert part.columns == table.columns
        np.testing.assert_array_equal(part.counts.data % 1, 0)
    assert table.thin(fraction, seed) == (kept, held)


def test_thinning_holds_the_fraction_asked_for():
    table = Table(np.full((100, 100), 100))
    _, held = table.thin(0.2, 0)
    # One million draws: the share is within four standard deviations.
    assert held.total / table.total == pytest.approx(0.2, abs=4 * np.sqrt(0.2 * 0.8 / 1e6))


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 2, float("nan")])
def test_thinning_needs_a_fraction(fraction):
    with pytest.raises(InputError, match=r"fraction of Table.thin must be between 0 and 1"):
        Table([[1]]).thin(fraction)


def test_fractions_cannot_be_thinned():
    with pytest.raises(InputError, match=r"fractions \(first: 2.5\)"):
        Table([[1, 2.5]]).thin(0.5)


def test_where_it_came_from_goes_along():
    table = Table([[1, 2], [3, 4]]).with_origin("polars", "a.csv")
    for other in (table.T, table.select([0]), *table.thin(0.5, 0), *table.blocks()):
        assert other.origin == ("polars", "a.csv")
    assert table == Table([[1, 2], [3, 4]])


# What is no table ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, np.nan]], "NaN or infinity: 1 of its cells .first: row 'a', column 'y', nan"),
        ([[np.inf, np.inf]], "NaN or infinity: 2 of its cells .first: row 'a', column 'x', inf"),
        ([[1, -2]], "Negative values in data: 1 of its cells .first: row 'a', column 'y', -2"),
        (sparse.coo_array([[1, -2]]), "Negative values"),
        ([[1, 1e150]], "above 1e100 in data: 1 of its cells .first: row 'a', column 'y', 1e.150"),
        ([[1, 2], [3, 4]], "got 1 row names for 2 row entries"),
        ([[1, 2, 3]], "got 2 column names for 3 column entries"),
        ([1, 2], r"two dimensions, rows and columns; got shape \(2,\)"),
        (np.ones((1, 2, 1)), "two dimensions"),
        (3, "two dimensions"),
        ([["p", "q"]], "counts must be numbers"),
        ([[1j, 2]], "Complex data not supported"),
        (np.empty((0, 2)), "at least one row"),
        (sparse.csr_array((1, 0)), "at least one column|got 2 column names for 0"),
    ],
)
def test_numbers_that_are_no_counts(counts, message):
    with pytest.raises(InputError, match=message):
        Table(counts, ["a"], ["x", "y"])


def test_names_that_are_no_names():
    with pytest.raises(InputError, match="row names must be distinct, but 'a' occurs more than"):
        Table([[1], [2]], ["a", "a"])
    with pytest.raises(InputError, match="column number 2 has no name"):
        Table([[1, 2]], columns=["a", None])
    for kind in ("", None, 3):
        with pytest.raises(InputError, match="a kind must be a word"):
            Table([[1]], row_kind=kind)


# Several tables ------------------------------------------------------------------------------

LIKES = Table([[2, 1]], ["ann"], ["tea", "milk"], "person", "drink")
SOLD = Table([[5, 0, 1]], ["inn"], ["rum", "gin", "tea"], "shop", "drink")


def test_relations_match_things_by_kind_and_name():
    both = Relations([LIKES, SOLD])
    assert both.kinds["drink"] == ["tea", "milk", "rum", "gin"]
    assert both.sizes == {"person": 1, "drink": 4, "shop": 1}
    assert both.links == [("person", "drink"), ("shop", "drink")]
    assert both.empty == {"person": (), "drink": ("gin",), "shop": ()}
    assert both.pieces() == [{"person": {"ann"}, "shop": {"inn"}, "drink": {"tea", "milk", "rum"}}]


def test_the_same_name_in_two_kinds_is_two_things():
    apart = Relations([LIKES, Table([[1]], ["tea"], ["noon"], "dance", "hour")])
    assert len(apart.pieces()) == 2
    assert apart.pieces()[1] == {"dance": {"tea"}, "hour": {"noon"}}
    assert "in 2 pieces" in repr(apart)


@pytest.mark.filterwarnings("ignore:.*names are numbers in one table")
@laws
@given(st.lists(tables(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_relations_do_not_mind_the_order_of_names(found, random):
    shuffled = [
        table.select(
            random.sample(table.rows[:], len(table.rows)),
            random.sample(table.columns[:], len(table.columns)),
        )
        for table in found
    ]
    first, second = Relations(found), Relations(shuffled)
    assert {k: set(v) for k, v in first.kinds.items()} == {
        k: set(v) for k, v in second.kinds.items()
    }
    as_sets = [
        sorted(
            sorted((kind, str(name), type(name).__name__) for kind in p for name in p[kind])
            for p in relations.pieces()
        )
        for relations in (first, second)
    ]
    assert as_sets[0] == as_sets[1]


@pytest.mark.filterwarnings("ignore:.*names are numbers in one table")
@laws
@given(st.lists(tables(), min_size=1, max_size=3))
def test_pieces_and_empty_things_are_all_things(found):
    relations = Relations(found)
    things = [
        (kind, name)
        for part in [*relations.pieces(), relations.empty]
        for kind, names in part.items()
        for name in names
    ]
    assert len(things) == len(set(things)) == sum(relations.sizes.values())


def test_what_is_no_relations():
    with pytest.raises(InputError, match="at least one table"):
        Relations([])
    with pytest.raises(InputError, match="takes a list of Tables and Triples; got a list"):
        Relations([LIKES, [[1]]])
    assert repr(Relations([LIKES])) == (
        "Relations of person (1), drink (2)\n  person × drink: 3 counts in 2 of 2 cells"
    )
