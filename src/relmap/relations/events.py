"""Counting events: lines that say a row was seen with a column, from whatever holds them."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from relmap._names import Name
from relmap._types import Floats, Integers
from relmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Lumps: TypeAlias = tuple[Integers, Integers, Floats, Floats]
"""Events lumped together: row codes, column codes, weight, and how many events had them."""

Record: TypeAlias = tuple[int, Any, Any, Any]
"""One event as it stands in its source: its line, row name, column name and weight."""

Counts: TypeAlias = tuple[sparse.csr_array, list[Name], list[Name]]


class Question(NamedTuple):
    """Which columns hold the two names and the weight of each event."""

    rows: str
    columns: str
    weight: str | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """The columns asked for, those of the names first."""
        return self[:2] if self.weight is None else (self.rows, self.columns, self.weight)


class Part(NamedTuple):
    """Events in the order of their source (a frame or one of several files), for messages."""

    records: Iterable[Record]
    unit: str = "line"
    file: str = ""

    def where(self, line: int) -> str:
        """Say where an event stands."""
        return f"{self.unit} {line}" + (f" of {self.file}" if self.file else "")


class Events(Protocol):
    """What holds events and can lump equal ones together."""

    text_weights: bool
    """Whether weights are written as text, as in a file, so that "3" is the number 3."""

    def distinct(self) -> tuple[list[Any], list[Any]]:
        """Return the different values of the row names and of the column names."""
        ...

    def lumps(self) -> Lumps:
        """Return the lumps; codes are positions in `distinct`, a weight that is none is NaN."""
        ...

    def parts(self) -> Iterable[Part]:
        """Return all events again, one by one, to find the one that cannot be counted."""
        ...


def count(events: Events, question: Question, where: str) -> Counts:
    """Count the events of `where`: the counts and the sorted names of rows and columns.

    Lumps keep the weights apart, so that a negative weight cannot hide in a sum.
    """
    ends = events.distinct()
    if any(is_missing(value) for values in ends for value in values):
        raise explain(events, question, where)
    row_codes, column_codes, weights, times = events.lumps()
    if not len(times):
        raise InputError(f"{where} has no events to count, only column names.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise explain(events, question, where)
    (rows, row_places), (columns, column_places) = map(_sorted_names, ends)
    shape = len(rows), len(columns)
    amounts = weights * times
    counts = _add_up(row_places[row_codes], column_places[column_codes], amounts, shape)
    return counts, rows, columns


def _sorted_names(values: list[Any]) -> tuple[list[Name], Integers]:
    """Return the names, numbers before text, and where each value's name stands."""
    names = [_name(value) for value in values]
    ordered = sorted(set(names), key=lambda name: (isinstance(name, str), name))
    places = {name: place for place, name in enumerate(ordered)}
    return ordered, np.array([places[name] for name in names], dtype=np.int32)


def _name(value: Any) -> Name:
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    return int(value) if isinstance(value, (int, np.integer)) else str(value)


def _add_up(
    rows: Integers, columns: Integers, amounts: Floats, shape: tuple[int, int]
) -> sparse.csr_array:
    # The sum of fractions depends on their order, which differs from run to run: fix it.
    if (amounts % 1).any():
        order = np.lexsort((amounts, columns, rows))
        rows, columns, amounts = rows[order], columns[order], amounts[order]
    return sparse.csr_array((amounts, (rows, columns)), shape=shape)


# What can be wrong ---------------------------------------------------------------------------

_NO_NAME = (
    "column {column!r} has {count} without a name (first: in {where}). "
    "Every event needs both names; drop these lines or fill them in."
)
_WEIGHT = {
    "missing": (
        "column {column!r} has {count} without a weight (first: in {where}). "
        "Drop these lines or write how often they were seen."
    ),
    "text": (
        "column {column!r} has {count} whose weight is not a number (first: {value} in {where}). "
        "Weights are numbers written like 3 or 2.5; convert or drop these."
    ),
    "infinite": (
        "column {column!r} has {count} whose weight is NaN or infinite "
        "(first: {value} in {where}). Drop these lines or write how often they were seen."
    ),
    "negative": (
        "column {column!r} has {count} (first: {value} in {where}); "
        "weights say how often, so they must be 0 or more. If these are similarities or "
        "differences, shift or clip them first."
    ),
}


def explain(events: Events, question: Question, where: str) -> InputError:
    """Return the error for events that cannot be counted: what is wrong, how often, where first."""
    found: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], dict[str, str]] = {}
    for part in events.parts():
        for line, *names, weight in part.records:
            fault = _fault(names, weight, question, text_weights=events.text_weights)
            if fault is None:
                continue
            if fault not in found:
                first[fault] = {"where": part.where(line), "value": _shown(weight)}
            found[fault] = found.get(fault, 0) + 1
    if not found:
        return InputError(
            f"{where}: columns {', '.join(map(repr, question.asked))} hold values that cannot be "
            "counted; make the names plain text and the weights plain numbers."
        )
    column, message = fault = next(iter(found))
    what = "negative value" if message is _WEIGHT["negative"] else "event"
    times = f"{found[fault]:,} {what}{'s' * (found[fault] != 1)}"
    return InputError(message.format(column=column, count=times, **first[fault]))


def _fault(
    names: list[Any], weight: Any, question: Question, *, text_weights: bool
) -> tuple[str, str] | None:
    for column, name in zip(question[:2], names, strict=True):
        if is_missing(name):
            return str(column), _NO_NAME
    if question.weight is None:
        return None
    kind = _weight_fault(weight, text_weights=text_weights)
    return None if kind is None else (question.weight, _WEIGHT[kind])


def _weight_fault(weight: Any, *, text_weights: bool) -> str | None:
    if weight is None or str(weight) in {"", "<NA>", "NaT"}:
        return "missing"
    if isinstance(weight, str) and not text_weights:
        return "text"
    try:
        number = float(weight)
    except (TypeError, ValueError):
        return "text"
    if not math.isfinite(number):
        return "infinite"
    return "negative" if number < 0 else None


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for no value at all: None, NaN and their like."""
    return not isinstance(value, str) and str(value) in {"None", "nan", "NaT", "<NA>"}


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


# Which columns -------------------------------------------------------------------------------


def check_question(question: Question, there: Sequence[Any], where: str) -> None:
    """Refuse columns that are not in the frame or file, or that are asked for twice."""
    for column in question.asked:
        if not isinstance(column, str):
            raise InputError(f"a column is named by a string; got {column!r}.")
        check_column(column, there, where)
    if question.rows == question.columns:
        raise InputError(
            f"rows and columns are both column {question.rows!r}; "
            "name two different columns, one for each side of the table."
        )
    if question.weight in question[:2]:
        raise InputError(
            f"weight is column {question.weight!r}, which holds names; name the column that says "
            "how often, or leave weight out to count every line once."
        )


def check_column(column: Any, there: Sequence[Any], where: str) -> None:
    """Refuse a column that is not there, or is there twice."""
    if column not in there:
        close = difflib.get_close_matches(str(column), map(str, there), n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        shown = ", ".join(repr(name) for name in there[:20]) + (", …" if len(there) > 20 else "")
        raise InputError(f"{where} has no column {column!r}; its columns are {shown}.{hint}")
    if list(there).count(column) > 1:
        raise InputError(f"{where} has several columns called {column!r}; rename them.")
