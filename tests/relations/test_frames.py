"""Frames of every library give the same table, in whatever order their lines stand."""

import datetime as dt
import decimal
import subprocess
import sys
import sysconfig

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from relmap.errors import InputError
from relmap.relations import Table, frames


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        yield opened


def _makers(connection):
    return {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "lazy": pl.LazyFrame,
        "pyarrow": pa.table,
        "duckdb": lambda data: connection.from_arrow(pa.table(data)),
    }


LIBRARIES = ["pandas", "polars", "lazy", "pyarrow", "duckdb"]


@pytest.fixture(params=LIBRARIES)
def make(request, connection):
    return _makers(connection)[request.param]


def _cells(table):
    found = table.counts.tocoo()
    return {
        (table.rows[i], table.columns[j]): value
        for i, j, value in zip(found.row, found.col, found.data, strict=True)
    }


EVENTS = {
    "user": ["bo", "ann", "bo", "bo", "cy"],
    "item": [10, 2, 2, 10, 2],
    "count": [1.5, 2.0, 0.0, 3.0, 0.25],
}


def test_events_are_added_up_and_names_sorted(make):
    table = Table.from_events(make(EVENTS), "user", "item", "count")
    assert table.rows == ["ann", "bo", "cy"]
    assert table.columns == [2, 10]
    assert _cells(table) == {("ann", 2): 2.0, ("bo", 10): 4.5, ("cy", 2): 0.25}
    assert (table.row_kind, table.column_kind) == ("user", "item")


def test_without_a_weight_every_line_counts_once(make):
    table = Table.from_events(make(EVENTS), "user", "item")
    assert _cells(table) == {("ann", 2): 1, ("bo", 2): 1, ("bo", 10): 2, ("cy", 2): 1}


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_is_remembered(library, connection):
    frame = _makers(connection)[library](EVENTS)
    expected = "polars" if library == "lazy" else library
    assert Table.from_events(frame, "user", "item").origin.library == expected
    wide = _makers(connection)[library]({"user": ["ann"], "x": [1]})
    assert Table.from_frame(wide, "user").origin.library == expected


lines = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "B", "é", "007", ""]),
        st.integers(-3, 12),
        st.floats(0, 1e6, allow_nan=False),
    ),
    min_size=1,
    max_size=30,
)


@settings(deadline=None, max_examples=50)
@given(lines=lines, random=st.randoms(use_true_random=False))
def test_any_order_of_events_in_any_library_is_the_same_table(lines, random):
    shuffled = random.sample(lines, len(lines))
    data, other = (
        dict(zip(("u", "i", "n"), map(list, zip(*some, strict=True)), strict=True))
        for some in (lines, shuffled)
    )
    first = Table.from_events(pl.DataFrame(data), "u", "i", "n")
    assert first.total == pytest.approx(sum(data["n"]), rel=1e-12)
    with duckdb.connect() as connection:
        for make in _makers(connection).values():
            assert Table.from_events(make(other), "u", "i", "n") == first


def test_fractions_add_up_to_the_last_bit_in_any_order(make):
    rng = np.random.default_rng(0)
    weights = rng.lognormal(sigma=5, size=2000)
    first, second = (
        Table.from_events(make({"u": ["a"] * 2000, "i": ["x"] * 2000, "n": some}), "u", "i", "n")
        for some in (weights, rng.permutation(weights))
    )
    assert first.total == second.total == pytest.approx(weights.sum(), rel=1e-12)


def test_weights_that_cancel_are_still_refused(make):
    frame = make({"u": ["a"] * 4, "i": ["x"] * 4, "n": [5, -2, -1, 3]})
    with pytest.raises(InputError, match=r"'n' has 2 negative values \(first: -2 in line 2\)"):
        Table.from_events(frame, "u", "i", "n")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, float("inf"), 2.0], r"'n' has 1 event whose weight is NaN or infinite .*line 2"),
        ([1.0, 2.0, float("nan")], r"'n' has 1 event whose weight is NaN or infinite .*line 3"),
        (["1", "x", "2"], r"'n' has 3 events whose weight is not a number \(first: '1' in line 1"),
        ([dt.date(2020, 1, 1)] * 3, r"3 events whose weight is not a number .*2020-01-01"),
    ],
)
def test_weights_that_do_not_count_are_named(make, weights, message):
    with pytest.raises(InputError, match=message):
        Table.from_events(make({"u": [1, 2, 3], "i": [1, 2, 3], "n": weights}), "u", "i", "n")


def test_a_missing_weight_is_no_zero(make):
    frame = make({"u": [1, 2], "i": [1, 2], "n": [1, None]})
    with pytest.raises(InputError, match=r"'n' has 1 event (without a weight|.*NaN).*line 2"):
        Table.from_events(frame, "u", "i", "n")


@pytest.mark.parametrize("names", [["a", None, "b", None], [1.5, float("nan"), 2.5, None]])
def test_a_missing_name_is_no_name(make, names):
    frame = make({"u": ["p"] * 4, "i": names})
    with pytest.raises(InputError, match=r"'i' has 2 events without a name \(first: in line 2\)"):
        Table.from_events(frame, "u", "i")


def test_dates_and_floats_become_their_text(make):
    frame = make({"u": [dt.date(2020, 1, 2)] * 2, "i": [1.5, 10.0]})
    table = Table.from_events(frame, "u", "i")
    assert table.rows == ["2020-01-02"]
    assert table.columns == ["1.5", "10.0"]


def test_exact_decimals_and_booleans_count(make):
    frame = make({"u": [1, 1], "i": [1, 2], "n": [decimal.Decimal("1.5"), decimal.Decimal(2)]})
    assert Table.from_events(frame, "u", "i", "n").total == 3.5
    frame = make({"u": [1, 1], "i": [1, 2], "n": [True, False]})
    assert Table.from_events(frame, "u", "i", "n").total == 1


def test_a_wrong_column_is_answered_with_those_there(make):
    frame = make({"user": [1], "item": [2]})
    with pytest.raises(InputError, match=r"no column 'usr'.*'user', 'item'. Did you mean 'user'"):
        Table.from_events(frame, "usr", "item")
    with pytest.raises(InputError, match="rows and columns are both column 'user'"):
        Table.from_events(frame, "user", "user")
    with pytest.raises(InputError, match="weight is column 'item', which holds names"):
        Table.from_events(frame, "user", "item", "item")


def test_no_events_are_an_error(make):
    with pytest.raises(InputError, match="has no events to count"):
        Table.from_events(make({"u": [], "i": []}), "u", "i")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"u": pd.Categorical(["b", "a"], categories=["b", "a", "z"]), "i": [1, 2]}),
        pl.DataFrame({"u": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), "i": [1, 2]}),
        pl.DataFrame({"u": pl.Series(["b", "a"], dtype=pl.Categorical), "i": [1, 2]}),
        pa.table({"u": pa.array(["b", "a"]).dictionary_encode(), "i": [1, 2]}),
    ],
    ids=["pandas", "enum", "categorical", "dictionary"],
)
def test_categories_are_their_text(frame):
    table = Table.from_events(frame, "u", "i")
    assert _cells(table) == {("b", 1): 1, ("a", 2): 1}


def test_categories_of_duckdb_are_their_text(connection):
    frame = connection.sql("SELECT * FROM (VALUES ('b'::ENUM('b', 'a'), 1), ('a', 2)) t(u, i)")
    table = Table.from_events(frame, "u", "i")
    assert _cells(table) == {("b", 1): 1, ("a", 2): 1}


def test_numbers_and_text_in_one_column_stay_apart():
    frame = pd.DataFrame({"u": [7, "7", 10, 9], "i": ["x"] * 4}, dtype=object)
    assert Table.from_events(frame, "u", "i").rows == [7, 9, 10, "7"]


def test_a_relation_leaves_nothing_behind():
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE t AS SELECT \'a\' AS "u""x", 1 AS "i; y", -1 AS n')
        relation = connection.table("t")
        Table.from_events(relation, 'u"x', "i; y")
        with pytest.raises(InputError, match="negative"):
            Table.from_events(relation, 'u"x', "i; y", "n")
        assert connection.execute("SHOW ALL TABLES").fetchall()[0][2] == "t"
        assert len(connection.execute("SHOW ALL TABLES").fetchall()) == 1


def test_columns_that_duckdb_takes_for_one_are_refused(connection):
    relation = connection.sql("SELECT 'a' AS u, 2 AS i, 3 AS \"I\"")
    with pytest.raises(InputError, match="takes columns 'i' and 'I' for one"):
        Table.from_events(relation, "u", "I")
    with pytest.raises(InputError, match="takes columns 'i' and 'I' for one"):
        Table(relation)


def test_a_relation_that_fails_is_an_input_error():
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT x::INT AS u, 1 AS i FROM (VALUES ('a')) t(x)")
        with pytest.raises(InputError, match=r"the relation cannot be read: .*'a'"):
            Table.from_events(relation, "u", "i")


# Wide frames ---------------------------------------------------------------------------------


def test_a_column_of_names_makes_the_rows(make):
    table = Table.from_frame(make({"x": [1, 0], "who": ["ann", "bo"], "y": [0.0, 2.5]}), "who")
    assert table.rows == ["ann", "bo"]
    assert _cells(table) == {("ann", "x"): 1, ("bo", "y"): 2.5}


@pytest.mark.parametrize("library", ["polars", "lazy", "pyarrow", "duckdb"])
def test_without_an_index_the_first_column_of_text_makes_the_rows(library, connection):
    make = _makers(connection)[library]
    assert Table(make({"who": ["ann", "bo"], "x": [1, 0]})).rows == ["ann", "bo"]
    assert Table(make({"x": [1, 0], "y": [3, 4]})).rows == [0, 1]


def test_the_index_of_pandas_makes_the_rows():
    frame = pd.DataFrame({"x": [1, 0], 5: [0, 2.5]}, index=["ann", "bo"])
    assert _cells(Table(frame)) == {("ann", "x"): 1, ("bo", 5): 2.5}


def test_sparse_columns_of_pandas():
    matrix = sparse.random_array((30, 8), density=0.2, rng=0, format="csr")
    frame = pd.DataFrame.sparse.from_spmatrix(matrix)
    np.testing.assert_array_equal(Table(frame).counts.toarray(), matrix.toarray())


def test_text_in_a_wide_frame_is_named(make):
    frame = make({"who": ["ann", "bo"], "x": [1, 2], "town": ["rome", "oslo"]})
    with pytest.raises(InputError, match="'town' is not numeric: it has 'rome' in row 'ann'"):
        Table.from_frame(frame, "who")


def test_an_empty_cell_is_no_zero(make):
    frame = make({"who": ["ann", "bo"], "x": [1, None]})
    with pytest.raises(InputError, match="column 'x' has no value in row 'bo'"):
        Table.from_frame(frame, "who")


def test_a_frame_of_names_alone_is_no_table(make):
    with pytest.raises(InputError, match="no columns of numbers"):
        Table.from_frame(make({"who": ["ann", "bo"]}), "who")
    with pytest.raises(InputError, match="no column 'name'"):
        Table.from_frame(make({"who": ["ann", "bo"]}), "name")


def test_what_is_a_frame(make):
    class Special(pd.DataFrame):
        pass

    assert frames.is_frame(make({"x": [1]}))
    assert frames.is_frame(Special({"x": [1]}))
    others = [np.eye(2), sparse.eye_array(2), [[1]], Table([[1]]), pd.Series([1]), {"x": [1]}, None]
    assert not any(map(frames.is_frame, others))
    with pytest.raises(InputError, match="got a list"):
        Table.from_events([["a", "b"]], "u", "i")


def test_reading_loads_no_frame_library():
    code = (
        "import sys; import relmap.relations; "
        "print(sorted({'pandas', 'polars', 'pyarrow', 'duckdb', 'narwhals', 'sklearn', 'networkx'}"
        " & set(sys.modules)))"
    )
    source = frames.__file__.partition("relmap")[0]
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": source + ":" + sysconfig.get_paths()["purelib"]},
    )
    assert answer.stdout.strip() == "[]"


def test_a_relation_needs_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 'a' AS u, 3 AS x")
        assert Table.from_events(relation, "u", "x").shape == (1, 1)
        assert Table(relation).total == 3


def test_the_kinds_of_a_crosstab_are_what_pandas_calls_them():
    pd = pytest.importorskip("pandas")
    events = pd.DataFrame({"user": ["a", "a", "b"], "film": ["x", "y", "x"]})
    table = Table.from_frame(pd.crosstab(events["user"], events["film"]))
    assert (table.row_kind, table.column_kind) == ("user", "film")
    named = pd.DataFrame({"site": ["n", "s"], "oak": [1, 2]})
    assert Table.from_frame(named, rows="site").row_kind == "site"
    assert Table.from_frame(named, rows="site", row_kind="place").row_kind == "place"
