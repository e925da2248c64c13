"""`read_table`: files of events, wide files and matrices, read into a `Table`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relmap.errors import InputError
from relmap.relations.delimited import read_wide
from relmap.relations.event_files import count_files, read_wide_parquet
from relmap.relations.events import Question
from relmap.relations.files import Files, find_files
from relmap.relations.matrices import read_mtx, read_npz
from relmap.relations.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable


def read_table(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    rows: str | None = None,
    columns: str | None = None,
    weight: str | None = None,
    *,
    row_kind: str | None = None,
    column_kind: str | None = None,
) -> Table:
    """Read a table from a file, or from several that belong together.

    With `rows` and `columns` every line is an event: a row was seen with a column. Events are
    counted by DuckDB outside Python, so a file may be much larger than memory. Without them the
    file is the table itself: wide (the first column names the rows, every other column holds
    counts) or a matrix.

    Parameters
    ----------
    path : file name, pattern such as "logs/*.csv", or list of these
        Events: .csv, .tsv, .jsonl, .ndjson, .json (each also as .gz) and .parquet. Wide: .csv,
        .tsv (also as .gz) and .parquet. Matrices: Matrix Market .mtx (also as .mtx.gz), and .npz
        as written by scipy.sparse.save_npz.
    rows, columns : str, optional
        The columns that hold the two names of each event. Text files give names exactly as they
        are written ("007", "NA"), but JSON numbers in their short form; integers in a Parquet
        file stay integers.
    weight : str, optional
        The column that says how often; every line counts once if not given.
    row_kind, column_kind : str, optional
        What the rows and columns are called: by default the names of the columns asked for; in a
        wide file the first cell of the header if it is a word; else "row" and "column".
    """
    files = find_files(path)
    if rows is None and columns is None and weight is None:
        table = _read_whole(files, row_kind, column_kind)
    elif rows is None or columns is None:
        raise InputError(
            "rows and columns go together: name both columns if every line is an event, or "
            f"neither if the file is a wide table; got rows={rows!r}, columns={columns!r}, "
            f"weight={weight!r}."
        )
    else:
        counted = count_files(files, Question(rows, columns, weight))
        table = Table(*counted, row_kind or rows, column_kind or columns)
    return table.with_origin(source=files.label)


def _read_whole(files: Files, row_kind: str | None, column_kind: str | None) -> Table:
    """Read a file that is the table itself."""
    if files.format == "json":
        raise InputError(
            f"{files.label} holds events; say rows= and columns= (--rows, --columns) with the "
            "fields that hold the two names."
        )
    wide = _WHOLE[files.format](files.single)
    try:
        return Table(
            wide.counts,
            wide.rows,
            wide.columns,
            row_kind or wide.corner or "row",
            column_kind or "column",
        )
    except InputError as error:
        raise InputError(f"{files.label}: {error}") from None


_WHOLE = {
    "csv": read_wide,
    "tsv": read_wide,
    "parquet": read_wide_parquet,
    "mtx": read_mtx,
    "npz": read_npz,
}
