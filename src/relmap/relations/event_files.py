"""Files whose lines are events, counted by DuckDB: CSV, TSV, JSON and Parquet."""

from __future__ import annotations

import glob
import json
import os
import tempfile
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from relmap.errors import InputError
from relmap.relations import duck, frames
from relmap.relations.delimited import Header, read_header, read_lines
from relmap.relations.duck import literal, quoted
from relmap.relations.events import Counts, Part, Question, Record, check_question, count
from relmap.relations.files import Files, Whole, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

# Enough to group 10 million events in memory; more goes through a temporary folder. Each
# thread needs buffers of its own, so their number is bounded too.
_MEMORY = "1GB"
_THREADS = min(8, os.cpu_count() or 1)

# A file in a folder called u=5 has no column u but its own.
_NO_HIVE = "hive_partitioning = false"


def count_files(files: Files, question: Question) -> Counts:
    """Count the events in files: the counts and the sorted names of rows and columns."""
    import duckdb

    if files.format not in _FORMATS:
        raise InputError(f"{files.label} is a matrix without columns; leave rows and columns out.")
    form = _FORMATS[files.format]
    with _session() as connection:
        try:
            relation = form.relation(connection, files, question)
            with duck.lumped(
                relation,
                _short(question),
                lambda: form.parts(files, question),
                text_weights=form.text_weights,
            ) as events:
                return count(events, question, files.label)
        except duckdb.Error as error:
            detail = duck.first_line(error)
    if form.text_weights:
        for part in form.parts(files, question):
            deque(part.records, maxlen=0)  # raises where a line is not as it should be
    raise InputError(f"{files.label} cannot be read: {detail} {form.advice}".strip())


def read_wide_parquet(path: Path) -> Whole:
    """Read a Parquet file with a column of row names and columns of numbers."""
    import duckdb

    with _session() as connection:
        try:
            relation = _parquet(connection, [path])
            # Where pandas keeps the index of a frame, behind all columns.
            index = [c for c in relation.columns if c == "__index_level_0__"]
            first = (index or relation.columns)[0]
            wide = frames.wide(relation, first)
        except duckdb.Error as error:
            raise InputError(f"{path.name} cannot be read: {duck.first_line(error)}") from None
        except InputError as error:
            raise InputError(f"{path.name}: {error}") from None
    return Whole(wide.counts, wide.rows, wide.columns, "" if index else first)


@contextmanager
def _session() -> Iterator[Any]:
    with (
        tempfile.TemporaryDirectory(prefix="relmap-", ignore_cleanup_errors=True) as folder,
        duck.session(_MEMORY, _THREADS, folder) as connection,
    ):
        yield connection


def _list(paths: Iterable[Path]) -> str:
    """Return paths as a list in SQL, in which no character is a pattern."""
    return "[" + ", ".join(literal(glob.escape(str(path.absolute()))) for path in paths) + "]"


# One class per format ------------------------------------------------------------------------


class _Format(Protocol):
    """What there is to say about a format."""

    text_weights: bool
    advice: str

    def relation(self, connection: Any, files: Files, question: Question) -> Any:
        """Return the columns asked for as r, c and w; an empty name is NULL."""
        ...

    def parts(self, files: Files, question: Question) -> Iterable[Part]:
        """Return the events of each file one by one."""
        ...


class _Delimited:
    """CSV and TSV: everything is text, and no text means NULL but the empty one."""

    text_weights = True
    advice = "Do its lines end in different ways? Save it again with one kind of line end."

    def relation(self, connection: Any, files: Files, question: Question) -> Any:
        alike: dict[Header, list[Path]] = {}
        for path in files.paths:
            header = read_header(path)
            check_question(question, header.columns, path.name)
            alike.setdefault(header, []).append(path)
        return connection.sql(
            " UNION ALL ".join(self._select(h, p, question) for h, p in alike.items())
        )

    def _select(self, header: Header, paths: list[Path], question: Question) -> str:
        cells = {column: f"cell{place}" for place, column in enumerate(header.columns)}
        types = ", ".join(f"'cell{place}': 'VARCHAR'" for place in range(len(header.columns)))
        chosen = _as_asked(question, cells)
        return (
            f"SELECT {chosen} FROM read_csv({_list(paths)}, "  # noqa: S608 (all of it is quoted)
            f"columns = {{{types}}}, auto_detect = false, header = true, {_NO_HIVE}, "
            f"skip = {header.blank}, delim = {literal(header.delimiter)})"
        )

    def parts(self, files: Files, question: Question) -> Iterable[Part]:
        for path in files.paths:
            yield Part(self._records(path, question), file=path.name)

    def _records(self, path: Path, question: Question) -> Iterator[Record]:
        header = read_header(path)
        row, column, *weight = (header.columns.index(name) for name in question.asked)
        for line, cells in read_lines(path, header):
            yield line, cells[row] or None, cells[column] or None, cells[weight[0]] if weight else 1


class _Json:
    """JSON: an object per event; names and weights are taken as the text they are written in."""

    text_weights = True
    advice = "Every line must be an object, or the whole file an array of objects."

    def relation(self, connection: Any, files: Files, question: Question) -> Any:
        source = f"{_list(files.paths)}, records = true, {_NO_HIVE}"
        there = connection.sql(
            f"FROM read_json({source}, field_appearance_threshold = 0, "
            "map_inference_threshold = -1, union_by_name = true)"
        )
        check_question(question, there.columns, files.label)
        types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in question.asked)
        cells = {name: quoted(name) for name in question.asked}
        return connection.sql(
            f"SELECT {_as_asked(question, cells)} "  # noqa: S608 (all of it is quoted)
            f"FROM read_json({source}, columns = {{{types}}})"
        )

    def parts(self, files: Files, question: Question) -> Iterable[Part]:
        for path in files.paths:
            is_array = next(text_lines(path), "").lstrip().startswith("[")
            values = _json_array(path) if is_array else _json_lines(path)
            unit = "record" if is_array else "line"
            yield Part(_json_records(values, question, path.name), unit, path.name)


class _Parquet:
    """Parquet: integer names stay integers, weights have to be numbers."""

    text_weights = False
    advice = ""

    def relation(self, connection: Any, files: Files, question: Question) -> Any:
        source = _parquet(connection, files.paths)
        check_question(question, source.columns, files.label)
        kinds = dict(zip(source.columns, source.types, strict=True))
        texts = {c for c in question[:2] if kinds[c].id == "varchar"}
        return source.project(
            ", ".join(
                (f"nullif({quoted(c)}, '')" if c in texts else quoted(c)) + f" AS {short}"
                for c, short in zip(question.asked, "rcw", strict=False)
            )
        )

    def parts(self, files: Files, question: Question) -> Iterable[Part]:
        with _session() as connection:
            for path in files.paths:
                relation = self.relation(connection, files._replace(paths=[path]), question)
                yield Part(duck.faults(duck.named(relation, _short(question))), "row", path.name)


_FORMATS: dict[str, _Format] = {
    "csv": _Delimited(),
    "tsv": _Delimited(),
    "json": _Json(),
    "parquet": _Parquet(),
}


def _as_asked(question: Question, cells: Mapping[str, str]) -> str:
    """Return the SQL that takes the columns asked for out of columns of text."""
    row, column = (f"nullif({cells[name]}, '')" for name in question[:2])
    chosen = f"{row} AS r, {column} AS c"
    if question.weight is not None:
        chosen += f", try_cast({cells[question.weight]} AS DOUBLE) AS w"
    return chosen


def _short(question: Question) -> Question:
    """Return the question to ask of the columns r, c and w; SQL takes u and U for one name."""
    return Question("r", "c", None if question.weight is None else "w")


def _parquet(connection: Any, paths: list[Path]) -> Any:
    return connection.sql(f"FROM read_parquet({_list(paths)}, {_NO_HIVE})")


# JSON one by one -----------------------------------------------------------------------------


def _json_records(
    values: Iterable[tuple[int, Any]], question: Question, file: str
) -> Iterator[Record]:
    """Take the fields asked for out of JSON objects, as text."""
    for number, value in values:
        if not isinstance(value, dict):
            raise InputError(
                f"{file}: every event must be an object such as "
                f'{{"{question.rows}": …, "{question.columns}": …}}; number {number} is {value!r}.'
            )
        row, column, *weight = (_field(value.get(name)) for name in question.asked)
        yield number, row or None, column or None, weight[0] if weight else 1


def _field(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Read a file with one JSON value per line."""
    for number, line in enumerate(text_lines(path), 1):
        if line.strip():
            yield number, _parsed(line, f"line {number} of {path.name}")


def _json_array(path: Path) -> Iterator[tuple[int, Any]]:
    """Read a file that is one JSON array."""
    values = _parsed("".join(text_lines(path)), path.name)
    yield from enumerate(values if isinstance(values, list) else [values], 1)


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{where} is not JSON: {error}.") from None
