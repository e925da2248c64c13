"""Data frames of any library: events to count, or wide tables to take as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from relmap.errors import InputError
from relmap.relations import duck
from relmap.relations.events import (
    Counts,
    Lumps,
    Part,
    Question,
    check_column,
    check_question,
    count,
    explain,
    is_missing,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import narwhals as nw

    from relmap._names import Name
    from relmap._types import Floats

_FRAMES = {
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("polars", "LazyFrame"),
    ("pyarrow", "Table"),
    ("duckdb", "DuckDBPyRelation"),
}


def _library(value: Any) -> str | None:
    """Return the library of a frame, told from the names of its class and their parents."""
    for parent in type(value).__mro__:
        library = parent.__module__.partition(".")[0].lstrip("_")
        if (library, parent.__name__) in _FRAMES:
            return library
    return None


def is_frame(value: Any) -> bool:
    """Tell whether `value` is a data frame of pandas, polars, pyarrow or DuckDB."""
    return _library(value) is not None


def _library_of(frame: Any) -> str:
    library = _library(frame)
    if library is None:
        raise InputError(
            "a frame of pandas, polars, pyarrow or DuckDB is needed here; "
            f"got a {type(frame).__name__}."
        )
    return library


# Events --------------------------------------------------------------------------------------


class Grouped(NamedTuple):
    """Events that were counted, and the library their frame came from."""

    counts: sparse.csr_array
    rows: list[Name]
    columns: list[Name]
    library: str

    @property
    def table(self) -> tuple[sparse.csr_array, list[Name], list[Name]]:
        """What a Table is made of."""
        return self.counts, self.rows, self.columns


def events(frame: Any, rows: str, columns: str, weight: str | None = None) -> Grouped:
    """Count the events that the lines of a frame are; names come back sorted.

    The library of the frame does the grouping, so a lazy frame is never collected as a whole.
    """
    library = _library_of(frame)
    question = Question(rows, columns, weight)
    if library == "duckdb":
        return Grouped(*_count_relation(frame, question), library)
    lazy = _opened(frame).lazy()
    check_question(question, lazy.collect_schema().names(), "the frame")
    return Grouped(*count(FrameEvents(lazy, question), question, "the frame"), library)


def chosen(frame: Any, columns: Sequence[str]) -> tuple[str, list[list[Any]]]:
    """Return the library of a frame, and some of its columns as lists."""
    library, opened = _library_of(frame), _opened(frame).lazy()
    there = opened.collect_schema().names()
    for column in columns:
        check_column(column, there, "the frame")
    collected = opened.select(*dict.fromkeys(columns)).collect()
    return library, [collected.get_column(column).to_list() for column in columns]


def _count_relation(relation: Any, question: Question) -> Counts:
    import duckdb

    _check_case(relation.columns)
    check_question(question, relation.columns, "the relation")
    try:
        with duck.lumped(relation, question) as lumped:
            return count(lumped, question, "the relation")
    except duckdb.Error as error:
        raise InputError(f"the relation cannot be read: {duck.first_line(error)}") from None


def _check_case(columns: Sequence[str]) -> None:
    """Refuse columns that SQL cannot tell apart: it would silently take the first."""
    seen: dict[str, str] = {}
    for column in columns:
        other = seen.setdefault(column.lower(), column)
        if other is not column:
            raise InputError(f"DuckDB takes columns {other!r} and {column!r} for one; rename one.")


class FrameEvents:
    """Events in a frame that narwhals understands."""

    text_weights = False

    def __init__(self, frame: nw.LazyFrame[Any], question: Question) -> None:
        self._frame = _named(frame, question)
        self._weighted = question.weight is not None
        try:
            self._grouped = self._group()
        except (TypeError, ValueError, NotImplementedError):
            # Names that cannot be compared, or objects for weights that are no numbers.
            raise explain(self, question, "the frame") from None
        self._ends = tuple(self._grouped.get_column(end).unique().to_list() for end in "rc")

    def _group(self) -> nw.DataFrame[Any]:
        import narwhals as nw

        weight = nw.lit(1.0)
        if self._weighted:
            dtype = self._frame.collect_schema()["w"]
            countable = dtype.is_numeric() or dtype in {nw.Boolean, nw.Object, nw.Unknown}
            weight = nw.col("w").cast(nw.Float64) if countable else nw.lit(float("nan"))
        frame = self._frame.with_columns(weight.alias("w"))
        return frame.group_by("r", "c", "w").agg(nw.len().alias("n")).collect()

    def distinct(self) -> tuple[list[Any], list[Any]]:
        """Return the different values of the row names and of the column names."""
        rows, columns = self._ends
        return rows, columns

    def lumps(self) -> Lumps:
        """Return the lumps; codes are positions in `distinct`."""
        import narwhals as nw

        rows, columns = (
            self._grouped.get_column(end)
            .replace_strict(values, range(len(values)), return_dtype=nw.Int64)
            .to_numpy()
            for end, values in zip("rc", self._ends, strict=True)
        )
        weights, times = (
            np.asarray(self._grouped.get_column(name).to_numpy(), dtype=np.float64) for name in "wn"
        )
        return rows, columns, weights, times

    def parts(self) -> Iterable[Part]:
        """Return the events one by one."""
        frame = self._frame.collect()
        columns = [frame.get_column(name).to_list() for name in frame.columns]
        if not self._weighted:
            columns.append([1] * len(frame))
        return [Part(zip(range(1, len(frame) + 1), *columns, strict=True))]


def _opened(frame: Any) -> Any:
    """Return the frame as narwhals sees it."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(frame)
    except (DuplicateError, ValueError) as error:
        raise InputError(f"the frame cannot be read: {error}") from None


def _named(frame: nw.LazyFrame[Any], question: Question) -> nw.LazyFrame[Any]:
    """Return the columns asked for as r, c and w; categories as their text."""
    import narwhals as nw

    schema = frame.collect_schema()
    chosen = []
    for column, short in zip(question.asked, "rcw", strict=False):
        chosen.append(nw.col(column).alias(short))
        if schema[column] in {nw.Categorical, nw.Enum}:
            chosen[-1] = nw.col(column).cast(nw.String).alias(short)
    return frame.select(*chosen)


# Wide frames ---------------------------------------------------------------------------------


class Wide(NamedTuple):
    """A frame with a line per row and a column of numbers per column."""

    counts: sparse.csc_array
    rows: list[Any] | None
    columns: list[Any]
    library: str
    kinds: tuple[str | None, str | None] = (None, None)

    @property
    def table(self) -> tuple[sparse.csc_array, list[Any] | None, list[Any]]:
        """What a Table is made of."""
        return self.counts, self.rows, self.columns


def wide(frame: Any, rows: str | None = None) -> Wide:
    """Take a wide frame; `rows` names the column with the row names.

    Without it pandas' index names the rows; in other libraries the first column if it is text,
    else the rows have no names.
    """
    library = _library_of(frame)
    sheet = _duck_sheet(frame) if library == "duckdb" else _sheet(frame)
    columns = list(sheet.columns)
    if rows is not None:
        check_column(rows, columns, "the frame")
    elif sheet.names is None and columns and _is_text(sheet.take(columns[0])):
        rows = columns[0]
    names = sheet.names if rows is None else sheet.take(rows).tolist()
    columns = [column for column in columns if rows is None or column != rows]
    if not columns:
        raise InputError("the frame has no columns of numbers, only row names.")
    # One column at a time, so that a frame of sparse columns is never dense as a whole.
    stacked = [sparse.csc_array(_numbers(sheet.take(c), c, names)[:, None]) for c in columns]
    axes = (frame.index.name, frame.columns.name) if library == "pandas" else (None, None)
    kinds = [
        name if isinstance(name, str) and name else None for name in (rows or axes[0], axes[1])
    ]
    return Wide(sparse.hstack(stacked, format="csc"), names, columns, library, (kinds[0], kinds[1]))


class _Sheet(NamedTuple):
    """The columns of a frame, each taken as an array when it is needed."""

    columns: Sequence[Any]
    take: Callable[[Any], Any]
    names: list[Any] | None = None


def _duck_sheet(relation: Any) -> _Sheet:
    """Return the columns of a DuckDB relation."""
    _check_case(relation.columns)
    return _Sheet(relation.columns, relation.fetchnumpy().__getitem__)


def _sheet(frame: Any) -> _Sheet:
    """Return the columns of a frame, and pandas' index."""
    import narwhals as nw

    opened = _opened(frame)
    if isinstance(opened, nw.LazyFrame):
        opened = opened.collect()
    index = nw.maybe_get_index(opened)
    return _Sheet(
        opened.columns,
        lambda column: _array(opened.get_column(column)),
        None if index is None else list(index),
    )


def _array(series: nw.Series[Any]) -> np.ndarray[Any, Any]:
    """Return the values; those of categories as text, those of exact decimals as numbers."""
    import narwhals as nw

    if series.dtype in {nw.Categorical, nw.Enum}:
        series = series.cast(nw.String)
    elif series.dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    return series.to_numpy()


def _is_text(values: Any) -> bool:
    return values.dtype.kind in "OUST" and all(isinstance(v, str) for v in values.tolist())


def _numbers(values: Any, column: Any, names: Sequence[Any] | None) -> Floats:
    """Return one column's numbers, or say which row has none."""
    if values.dtype.kind not in "biuf":
        for position, value in enumerate(values.tolist()):
            if not (is_missing(value) or _is_number(value)):
                raise InputError(
                    f"column {column!r} is not numeric: it has {value!r} in "
                    f"{_row(names, position)}. Every column but the row names must hold numbers: "
                    "drop or convert it, or pass rows= if it names the rows; "
                    "if every line is an event, use Table.from_events."
                )
        values = np.array([np.nan if is_missing(v) else float(v) for v in values.tolist()])
    numbers = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    empty = np.isnan(numbers)
    if empty.any():
        raise InputError(
            f"column {column!r} has no value in {_row(names, int(np.argmax(empty)))} "
            f"({int(empty.sum()):,} of {len(empty):,} cells). Put 0 where nothing was seen."
        )
    return numbers


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _row(names: Sequence[Any] | None, position: int) -> str:
    return f"row {position + 1}" if names is None else f"row {names[position]!r}"
