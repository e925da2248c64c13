"""Files are read as they are written, and what cannot be read is named with its line."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import io, sparse

from relmap.errors import InputError
from relmap.relations import Table, read_table


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files into a folder of their own, which is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        data = content.encode() if isinstance(content, str) else content
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write


def _cells(table):
    found = table.counts.tocoo()
    return {
        (table.rows[i], table.columns[j]): value
        for i, j, value in zip(found.row, found.col, found.data, strict=True)
    }


# Events --------------------------------------------------------------------------------------

RECORDS = [("ann", "tea", 2), ("bo", "tea", 1), ("ann", "tea", 0.5), ("bo", "milk", 3)]
COUNTED = {("ann", "tea"): 2.5, ("bo", "tea"): 1, ("bo", "milk"): 3}


def _delimited(delimiter):
    lines = [("who", "what", "n"), *RECORDS]
    return "".join(delimiter.join(map(str, line)) + "\n" for line in lines)


def _objects():
    return [dict(zip(("who", "what", "n"), record, strict=True)) for record in RECORDS]


def _parquet():
    pl.DataFrame(_objects(), strict=False).write_parquet("written")
    return Path("written").read_bytes()


FILES = {
    "a.csv": lambda: _delimited(","),
    "b.csv": lambda: _delimited(";"),
    "c.csv.gz": lambda: _delimited("|"),
    "d.tsv": lambda: _delimited("\t"),
    "e.TSV": lambda: _delimited("\t"),
    "f.csv": lambda: "\ufeff" + _delimited(",").replace("\n", "\r\n"),
    "g.csv": lambda: "\n\n" + _delimited(",").replace("bo", '"bo"').replace("\n", "\n\n"),
    "h.jsonl": lambda: "\n".join(map(json.dumps, _objects())),
    "i.ndjson.gz": lambda: "\n".join(map(json.dumps, _objects())) + "\n",
    "j.json": lambda: json.dumps(_objects(), indent=1),
    "k.parquet": _parquet,
    "[l]'\"*?.csv": lambda: _delimited(","),
}


@pytest.mark.parametrize("name", FILES)
def test_events_of_every_format(write, name):
    table = read_table(write(name, FILES[name]()), "who", "what", "n")
    assert _cells(table) == COUNTED
    assert (table.row_kind, table.column_kind) == ("who", "what")
    assert table.origin.source == name
    assert read_table(name, "who", "what").total == len(RECORDS)


def test_kinds_may_be_said(write):
    path = Path(write("a.csv", _delimited(",")))
    table = read_table(path, "who", "what", row_kind="guest", column_kind="drink")
    assert (table.row_kind, table.column_kind) == ("guest", "drink")


EXACT = [
    "007",
    "7",
    "1e5",
    "=1+1",
    "null",
    "NULL",
    "NA",
    "NaN",
    "nan",
    "true",
    " a",
    "#b",
    "é☕",
    "-",
]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_names_in_text_stay_as_they_are_written(write, ending):
    if ending == ".jsonl":
        text = "\n".join(json.dumps({"u": name, "i": name}) for name in EXACT)
    else:
        between = "," if ending == ".csv" else "\t"
        text = "\n".join(between.join((name, name)) for name in ["u", *EXACT]).replace("u", "u", 1)
        text = text.replace(f"u{between}u", f"u{between}i", 1)
    table = read_table(write("names" + ending, text), "u", "i")
    assert table.rows == table.columns == sorted(EXACT)
    assert _cells(table) == {(name, name): 1 for name in EXACT}


def test_integers_in_parquet_stay_integers(write, tmp_path):
    pl.DataFrame({"u": [10, 9, 10], "i": ["x", "x", "y"]}).write_parquet(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet", "u", "i")
    assert table.rows == [9, 10]
    assert table.origin.source == "a.parquet"


def test_quoted_cells_and_strange_column_names(write):
    path = write("a.csv", '"u ""x""; DROP TABLE t;--","i\'"\n"a,\nb","say ""hi"""\n')
    table = read_table(path, 'u "x"; DROP TABLE t;--', "i'")
    assert _cells(table) == {("a,\nb", 'say "hi"'): 1}


def test_columns_may_differ_in_case_alone(write):
    path = write("a.csv", "u,U\na,x\nb,x\n")
    assert _cells(read_table(path, "u", "U")) == {("a", "x"): 1, ("b", "x"): 1}
    assert _cells(read_table(path, "U", "u")) == {("x", "a"): 1, ("x", "b"): 1}


def test_several_files_are_one_table(write):
    write("a1.csv", "u,i\na,x\n")
    write("a2.csv", "i;u\nx;a\ny;b\n")
    write("b.csv.gz", "u,i\nc,y\n")
    table = read_table("a*.csv", "u", "i")
    assert _cells(table) == {("a", "x"): 2, ("b", "y"): 1}
    assert table.origin.source == "a*.csv"
    table = read_table(["a?.csv", Path("b.csv.gz")], "u", "i")
    assert _cells(table) == {("a", "x"): 2, ("b", "y"): 1, ("c", "y"): 1}
    assert table.origin.source == "a?.csv, b.csv.gz"


@pytest.mark.parametrize("folder", ["u=5", "cell0=7", "[x]'", "a b"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_name_of_a_folder_means_nothing(write, folder, ending):
    Path(folder).mkdir()
    content = {"csv": "u,i\na,x\n", "jsonl": '{"u": "a", "i": "x"}', "parquet": b""}[ending]
    path = write(f"{folder}/events.{ending}", content)
    if ending == "parquet":
        with Path(path).open("wb") as stream:
            pl.DataFrame({"u": ["a"], "i": ["x"]}).write_parquet(stream)
    assert _cells(read_table(path, "u", "i")) == {("a", "x"): 1}


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None
)
@given(
    st.lists(
        st.tuples(
            st.text("ab,;\"'\n# é", min_size=1), st.text("xy \t|", min_size=1), st.floats(0, 1e9)
        ),
        min_size=1,
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_what_is_written_is_read_in_any_order(tmp_path, lines, random):
    schema = {"u": pl.String, "i": pl.String, "n": pl.Float64}
    expected = Table.from_events(pl.DataFrame(lines, schema, orient="row"), "u", "i", "n")
    for ending in (".csv", ".jsonl", ".parquet"):
        frame = pl.DataFrame(random.sample(lines, len(lines)), schema, orient="row")
        path = tmp_path / f"events{ending}"
        if ending == ".csv":
            frame.write_csv(path, quote_style="always")
        elif ending == ".jsonl":
            frame.write_ndjson(path)
        else:
            frame.write_parquet(path)
        assert read_table(path, "u", "i", "n") == expected


WRONG = {
    "u,i,n\na,x,1\nb,y,abc\n": r"'n' has 1 event .*not a number \(first: 'abc' in line 3 of f.csv",
    "u,i,n\na,x,-2\na,x,5\nb,y,-1\n": r"'n' has 2 negative values \(first: '-2' in line 2 of f.csv",
    "u,i,n\na,x,1\na,x,NaN\n": r"'n' has 1 event .*NaN or infinite \(first: 'NaN' in line 3",
    "u,i,n\na,x,inf\n": r"NaN or infinite \(first: 'inf' in line 2",
    "u,i,n\na,x,1\n\nb,x,\n": r"'n' has 1 event without a weight \(first: in line 4 of f.csv",
    'u,i,n\na,"x\ny",1\n,x,1\n"",y,1\n': r"'u' has 2 events without a name .*in line 4 of f.csv",
    'u,i,n\na,"x\ny",1\nb,x,1,7\n': r"line 4 of f.csv has 4 cells, .* 3: 'b', 'x', '1', '7'",
    "u,i,n\na,x,1\nb,x\n": r"line 3 of f.csv has 2 cells, but the header has 3",
    'u,i,n\na,x,1\nb,"x,1\nc,y,2\n': r"line 3 of f.csv cannot be split into cells",
    b"u,i,n\na,x,1\nb,\xe9,1\n": r"line 3 of f.csv is not UTF-8 text \(byte 0xe9 at place 3\)",
    "u,i,n\na,x,1\n".encode("utf-16"): r"line 1 of f.csv is not UTF-8 text",
    "": r"f.csv is empty",
    "\n\n": r"f.csv is empty",
    "u,i,n\n": r"f.csv has no events to count",
    "user,item,count\na,x,1\n": r"no column 'u'; its columns are 'user', 'item', 'count'",
    "u,i,u\na,x,1\n": r"several columns called 'u'",
    "u,i,n\na,x,1\r\nb,y,2\n": r"f.csv cannot be read: .*lines end in different ways",
}  # fmt: skip


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("content", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_in_a_text_file_is_named(write, content, packed):
    name = write("f.csv" + packed, content)
    with pytest.raises(InputError, match=WRONG[content].replace("f.csv", name)) as caught:
        read_table(name, "u", "i", "n")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_the_file_of_several_is_named(write):
    write("a.csv", "u,i,n\na,x,1\n")
    write("b.csv", "u,i,n\na,x,1\na,x,-1\n")
    with pytest.raises(InputError, match=r"line 3 of b.csv"):
        read_table("?.csv", "u", "i", "n")
    write("c.csv", "u,j,n\na,x,1\n")
    with pytest.raises(InputError, match=r"c.csv has no column 'i'; its columns are 'u', 'j', 'n'"):
        read_table("?.csv", "u", "i", "n")


WRONG_JSON = {
    '{"u": "a", "i": "x", "n": 1}\n{"u": null, "n": 1}': "'u' has 1 event without .*line 2",
    '{"u": "a", "i": "", "n": 1}': "'i' has 1 event without a name",
    '{"u": "a", "i": "x", "n": 1}\n{"u": "a", "i": "x"}': "'n' has 1 event without .*line 2",
    '{"u": "a", "i": "x", "n": -1}': "'n' has 1 negative value .*line 1 of f.jsonl",
    '{"u": "a", "i": "x", "n": true}': "not a number .*'true' in line 1",
    '{"u": "a", "i": "x", "n": 1}\n{"u": "a", ': "line 2 of f.jsonl is not JSON",
    '["a", "x"]': "every event must be an object",
    '{"u": "a", "item": "x", "n": 1}': "no column 'i'; its columns are 'u', 'item', 'n'",
    b'{"u": "\xff", "i": "x", "n": 1}': "line 1 of f.jsonl is not UTF-8",
    " \n": "f.jsonl cannot be read: .*Every line must be an object",
}  # fmt: skip


@pytest.mark.parametrize("content", WRONG_JSON, ids=range(len(WRONG_JSON)))
def test_what_is_wrong_in_a_json_file_is_named(write, content):
    with pytest.raises(InputError, match=WRONG_JSON[content]):
        read_table(write("f.jsonl", content), "u", "i", "n")


def test_what_is_wrong_in_an_array_of_json_is_named(write):
    write("f.json", json.dumps([{"u": "a", "i": "x", "n": 1}, {"u": "a", "i": "x", "n": -1}]))
    with pytest.raises(InputError, match=r"negative value .*record 2 of f.json"):
        read_table("f.json", "u", "i", "n")


def test_what_is_wrong_in_a_parquet_file_is_named(write, tmp_path):
    frame = pl.DataFrame({"u": [1, None, 2], "i": ["x", "y", ""], "n": [1, 2, -3], "t": ["1"] * 3})
    frame.write_parquet("a.parquet")
    with pytest.raises(InputError, match=r"'u' has 1 event without a name .*row 2 of a.parquet"):
        read_table("a.parquet", "u", "i")
    frame[[0, 2]].write_parquet("b.parquet")
    with pytest.raises(InputError, match=r"'i' has 1 event without a name .*row 2 of b.parquet"):
        read_table("b.parquet", "u", "i", "n")
    frame[:1].write_parquet("c.parquet")
    with pytest.raises(InputError, match=r"not a number .*'1' in row 1 of c.parquet"):
        read_table("c.parquet", "u", "i", "t")
    with pytest.raises(InputError, match="no column 'w'"):
        read_table("c.parquet", "u", "i", "w")
    for content in (b"", b"hello", b"PAR1" + b"\0" * 50 + b"PAR1"):
        with pytest.raises(InputError, match=r"d.parquet cannot be read"):
            read_table(write("d.parquet", content), "u", "i")


# Finding files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("revews.csv", "no file 'revews.csv' in that folder; did you mean 'reviews.csv'"),
        ("nowhere/a.csv", "no folder 'nowhere'"),
        (".", "is a directory"),
        ("logs", r"logs is a directory; .*'logs/\*.csv'".replace("/", f"[{os.sep}]")),
        ("x*.csv", r"no file matches 'x\*.csv'"),
        ("notes.xlsx", r"notes.xlsx cannot be read \(.xlsx\): relmap reads .csv"),
        ("notes", r"\(no ending\): relmap reads"),
        ("packed.parquet.gz", r"\(.parquet.gz\): relmap reads"),
        ("https://example.org/a.csv", "is an address, not a file"),
        ([], "an empty list"),
        ("", "path must be a file name"),
        ("a\0b", "path must be a file name"),
        (5, "path must be a file name or a list of them; got 5"),
        ([5], "a list of file names; one of them is 5"),
        (["reviews.csv"] * 2, "named twice"),
        (["reviews.csv", "other.tsv"], "one format; got reviews.csv and other.tsv"),
        ("bad.csv.gz", "bad.csv.gz is not a whole gzip file"),
        ("cut.csv.gz", "cut.csv.gz is not a whole gzip file"),
    ],
)
def test_files_that_cannot_be_read(write, path, message):
    for name in ("reviews.csv", "other.tsv", "notes.xlsx", "notes", "packed.parquet.gz"):
        write(name, "u,i\na,x\n")
    Path("logs").mkdir()
    Path("bad.csv.gz").write_bytes(b"u,i\na,x\n")
    noise = np.random.default_rng(0).bytes(20_000).hex()
    Path("cut.csv.gz").write_bytes(gzip.compress(f"u,i\na,{noise}\n".encode())[:-2000])
    with pytest.raises(InputError, match=message):
        read_table(path, "u", "i")


def test_half_a_question_is_answered_with_the_other_half(write):
    path = write("a.csv", "u,i\na,x\n")
    for question in ({"rows": "u"}, {"columns": "i"}, {"weight": "n"}):
        with pytest.raises(InputError, match="rows and columns go together"):
            read_table(path, **question)
    with pytest.raises(InputError, match="both column 'u'"):
        read_table(path, "u", "u")
    with pytest.raises(InputError, match="which holds names"):
        read_table(path, "u", "i", "i")


# Wide files ----------------------------------------------------------------------------------


def test_a_wide_file_is_the_table(write):
    table = read_table(write("a.csv", "site,oak,elm\nnorth,1,0\nsouth,2,3.5\nwest,0,0\n"))
    assert _cells(table) == {("north", "oak"): 1, ("south", "oak"): 2, ("south", "elm"): 3.5}
    assert table.empty_rows == ("west",)
    assert (table.row_kind, table.column_kind) == ("site", "column")
    table = read_table(write("b.tsv.gz", "\t1\t01\n007\t1\t2\n"), column_kind="tree")
    assert _cells(table) == {("007", "1"): 1, ("007", "01"): 2}
    assert (table.row_kind, table.column_kind) == ("row", "tree")


def test_a_wide_parquet_file_is_the_table(write, tmp_path):
    frame = pl.DataFrame({"site": ["north", "south"], "oak": [1, 2], "elm": [0.0, 3.5]})
    frame.write_parquet("a.parquet")
    table = read_table("a.parquet")
    assert _cells(table) == {("north", "oak"): 1, ("south", "oak"): 2, ("south", "elm"): 3.5}
    assert table.row_kind == "site"
    frame.to_pandas().set_index("site").rename_axis(None).to_parquet("b.parquet")
    assert read_table("b.parquet", row_kind="site") == table


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("s,x,y\na,1,2\na,3,4\n", "line 3 of w.csv repeats the row name 'a'"),
        ("s,x,y\na,1,2\n,3,4\n", "line 3 of w.csv has no row name"),
        ("s,x,x\na,1,2\n", "line 1 of w.csv: 'x' occurs twice"),
        ("s,x,\na,1,2\n", "line 1 of w.csv: cell 3 is empty"),
        ("s,x,y\na,1,2\nb,3,lots\n", "line 3 of w.csv has 'lots' in column 'y' .row 'b'"),
        ("s,x,y\na,1,\n", "line 2 of w.csv has an empty cell in column 'y'"),
        ("s,x,y\na,nan,1\n", "line 2 of w.csv has 'nan' in column 'x'"),
        ("s,x,y\na,1,-1\n", "line 2 of w.csv has '-1' in column 'y'"),
        ("s,x,y\na,1,2,3\n", "line 2 of w.csv has 4 cells, but the header has 3"),
        ("s\na\n", "w.csv has a single column, 's'"),
        ("s,x\n", "w.csv has a header but no lines"),
        ("", "w.csv is empty"),
    ],
)
def test_what_is_wrong_in_a_wide_file_is_named(write, content, message):
    with pytest.raises(InputError, match=message):
        read_table(write("w.csv", content))


def test_what_cannot_be_wide(write):
    for name in ("a.csv", "b.csv"):
        write(name, "s,x\na,1\n")
    with pytest.raises(InputError, match=r"must be one file; \?.csv are 2"):
        read_table("?.csv")
    with pytest.raises(InputError, match=r"a.jsonl holds events; say rows= and columns="):
        read_table(write("a.jsonl", '{"u": "a"}'))
    pl.DataFrame({"s": ["a", "a"], "x": [1, 2]}).write_parquet("d.parquet")
    with pytest.raises(InputError, match=r"d.parquet: s names must be distinct"):
        read_table("d.parquet")
    pl.DataFrame({"s": ["a", "b"], "x": [1, None]}).write_parquet("e.parquet")
    with pytest.raises(InputError, match=r"e.parquet: column 'x' has no value in row 'b'"):
        read_table("e.parquet")


# Matrices ------------------------------------------------------------------------------------

MATRIX = sparse.coo_array([[1.0, 0, 2.5], [0, 0, 3]])


def test_matrices(write):
    io.mmwrite("a.mtx", MATRIX)
    write("b.mtx.gz", Path("a.mtx").read_bytes())
    for kind in ("csr", "csc", "coo"):
        sparse.save_npz(f"{kind}.npz", MATRIX.asformat(kind))
    for name in ("a.mtx", "b.mtx.gz", "csr.npz", "csc.npz", "coo.npz"):
        table = read_table(name, row_kind="gene", column_kind="cell")
        assert table == Table(MATRIX, row_kind="gene", column_kind="cell")
        assert table.origin.source == name
        with pytest.raises(InputError, match="is a matrix without columns"):
            read_table(name, "u", "i")


class Trap:
    """Opens a file when unpickled."""

    def __reduce__(self):
        return open, ("sprung", "w")


def test_what_is_no_matrix_is_refused_and_never_run(write):
    good = {"format": b"csr", "shape": (2, 2), "data": np.ones(2), "indptr": np.array([0, 1, 2])}
    np.savez("plain.npz", x=np.ones(3))
    np.savez("far.npz", **good, indices=np.array([0, 999_999_999]))
    np.savez("trap.npz", **good, indices=np.array([Trap(), 1], dtype=object))
    write("text.npz", "hello")
    write("empty.npz", "")
    sparse.save_npz("whole.npz", MATRIX)
    write("cut.npz", Path("whole.npz").read_bytes()[:-100])
    for name in ("plain", "far", "trap", "text", "empty", "cut"):
        with pytest.raises(InputError, match=f"{name}.npz is not a sparse matrix as"):
            read_table(f"{name}.npz")
    assert not Path("sprung").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read as Matrix Market"),
        ("hello", "cannot be read as Matrix Market"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n5 1 3\n", "Line 3: Row index"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n", "Truncated"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -3\n", "m.mtx: Negative"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 3 1\n", "m.mtx: Complex"),
        ("%%MatrixMarket matrix coordinate real general\n0 0 0\n", "at least one row"),
    ],
)
def test_a_broken_matrix_is_an_input_error(write, content, message):
    with pytest.raises(InputError, match=message):
        read_table(write("m.mtx", content))


# Real data, where it is there ----------------------------------------------------------------


def test_names_and_counts_of_a_real_file():
    shared = Path(os.environ.get("RELMAP_SHARED", Path(__file__).parents[3] / "shared"))
    found = sorted((shared / "data" / "movielens_small").glob("ratings.csv.gz"))
    if not found:
        pytest.skip("the MovieLens ratings are not here; set RELMAP_SHARED")
    table = read_table(found[0], "userId", "movieId")
    assert table.shape == (610, 9724)
    assert table.total == 100_836
    assert table.rows[0] == "1"
