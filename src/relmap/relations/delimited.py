"""CSV and TSV: the header, the lines one by one, and wide tables of numbers."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from relmap.errors import InputError
from relmap.relations.files import Whole, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from relmap._types import Floats

_DELIMITERS = ",;\t|"


class Header(NamedTuple):
    """The first line of a file that is not blank: what separates cells, and the columns."""

    delimiter: str
    columns: tuple[str, ...]
    blank: int
    """How many blank lines are above it."""


def read_header(path: Path) -> Header:
    """Read the header; its most frequent separator is the delimiter."""
    first = next((line for line in text_lines(path) if line.strip("\r\n")), None)
    if first is None:
        raise InputError(f"{path.name} is empty; its first line must name the columns.")
    delimiter = "\t"
    if ".tsv" not in path.name.lower():
        bare = re.sub(r'"[^"]*"', "", first)
        delimiter = max(_DELIMITERS, key=bare.count)
    number, cells = next(_split(path, delimiter))
    return Header(delimiter, tuple(cells), blank=number - 1)


def read_lines(path: Path, header: Header) -> Iterator[tuple[int, list[str]]]:
    """Read the lines below the header: the number of each in the file, and its cells.

    A line whose quoted cells go over several lines counts where it starts.
    """
    lines = _split(path, header.delimiter)
    next(lines)
    for number, cells in lines:
        if len(cells) != len(header.columns):
            raise InputError(
                f"line {number} of {path.name} has {_cells(len(cells))}, but the header has "
                f"{len(header.columns)}: {_shown(cells)}. Put cells that contain "
                f"{header.delimiter!r} in double quotes, or complete the line."
            )
        yield number, cells


def _split(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Split the lines that are not blank into cells."""
    reader = csv.reader(text_lines(path), delimiter=delimiter, strict=True)
    start = 1
    try:
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"line {start} of {path.name} cannot be split into cells: {error}. "
            'Close every quoted cell, write a double quote inside one as "", and end every line '
            "with a line feed."
        ) from None


def _cells(count: int) -> str:
    return f"{count} cell{'s' * (count != 1)}"


def _shown(cells: list[str]) -> str:
    return ", ".join(map(repr, cells[:6])) + (", …" if len(cells) > 6 else "")


# Wide tables ---------------------------------------------------------------------------------


def read_wide(path: Path) -> Whole:
    """Read a wide file line by line; only what is not zero is kept."""
    header = read_header(path)
    corner, *columns = header.columns
    if not columns:
        raise InputError(
            f"{path.name} has a single column, {corner!r}; a table needs row names and at least "
            "one column of numbers."
        )
    places = _distinct(columns, f"column names in line 1 of {path.name}")
    rows: dict[str, int] = {}
    cells: list[Any] = []
    for number, (name, *texts) in read_lines(path, header):
        _add_row(rows, name, f"line {number} of {path.name}")
        values = _numbers(texts, columns, name, f"line {number} of {path.name}")
        seen = np.flatnonzero(values).astype(np.int32)
        cells.append((values[seen], seen))
    if not cells:
        raise InputError(f"{path.name} has a header but no lines below it.")
    data, indices = (np.concatenate(part) for part in zip(*cells, strict=True))
    starts = np.cumsum([0, *(len(seen) for _, seen in cells)])
    counts = sparse.csr_array((data, indices, starts), shape=(len(rows), len(places)))
    return Whole(counts, list(rows), columns, corner)


def _distinct(names: list[str], what: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, name in enumerate(names, 2):
        if not name:
            raise InputError(f"{what}: cell {place} is empty; name every column.")
        if name in places:
            raise InputError(f"{what}: {name!r} occurs twice; names must be distinct.")
        places[name] = place
    return places


def _add_row(rows: dict[str, int], name: str, where: str) -> None:
    if not name:
        raise InputError(f"{where} has no row name; its first cell is empty.")
    if name in rows:
        raise InputError(
            f"{where} repeats the row name {name!r}; row names must be distinct. "
            "If every line is an event, say rows= and columns= (--rows, --columns)."
        )
    rows[name] = len(rows)


def _numbers(texts: list[str], columns: list[str], row: str, where: str) -> Floats:
    try:
        values = np.array(texts, dtype=np.float64)
    except ValueError:
        values = np.array([_number(text) for text in texts])
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        place = int(np.argmax(wrong))
        shown = repr(texts[place]) if texts[place] else "an empty cell"
        raise InputError(
            f"{where} has {shown} in column {columns[place]!r} (row {row!r}); counts must be "
            "finite numbers, 0 or more. Put 0 where nothing was seen; if every line is an "
            "event, say rows= and columns= (--rows, --columns)."
        )
    return values


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
