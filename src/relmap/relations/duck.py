"""Counting inside DuckDB, so that only the counted table ever enters Python."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from relmap.relations.events import Lumps, Part, Question, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_WHOLE = {
    "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint",
}  # fmt: skip
_NUMBERS = _WHOLE | {"hugeint", "uhugeint", "float", "double", "decimal", "boolean"}


def quoted(name: str) -> str:
    """Return a name as SQL writes it, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def first_line(error: Exception) -> str:
    """Return what went wrong without DuckDB's advice on its own settings."""
    return str(error).strip().partition("\n")[0]


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def lumped(
    relation: Any,
    question: Question,
    parts: Callable[[], Iterable[Part]] | None = None,
    *,
    text_weights: bool = False,
) -> Iterator[RelationEvents]:
    """Lump the events of a DuckDB relation, in temporary tables of its own connection.

    `parts` returns the events one by one where that is not simply the lines of the relation.
    """
    ready = named(relation, question)
    events = RelationEvents(ready, parts or (lambda: [Part(faults(ready))]), text_weights)
    try:
        events.lump()
        yield events
    finally:
        events.forget()


class RelationEvents:
    """Events in a `named` DuckDB relation."""

    def __init__(
        self,
        relation: Any,
        parts: Callable[[], Iterable[Part]],
        text_weights: bool,  # noqa: FBT001
    ) -> None:
        self._relation = relation
        self.parts = parts
        self.text_weights = text_weights

    def lump(self) -> None:
        """Lump equal events and number the names, in temporary tables."""
        self._run(
            "CREATE OR REPLACE TEMP TABLE relmap_lumps AS "
            "SELECT r, c, w, count(*)::DOUBLE AS n FROM relmap_events GROUP BY ALL"
        )
        for end in "rc":
            self._run(_NUMBER_NAMES.format(end=end))

    def forget(self) -> None:
        """Drop the temporary tables."""
        for table in ("lumps", "r", "c"):
            self._run(f"DROP TABLE IF EXISTS temp.relmap_{table}")

    def _run(self, sql: str) -> Any:
        return self._relation.query("relmap_events", sql)

    def distinct(self) -> tuple[list[Any], list[Any]]:
        """Return the different values of the row names and of the column names."""
        rows, columns = (
            [value for (value,) in self._run(_NAMES.format(end=end)).fetchall()] for end in "rc"
        )
        return rows, columns

    def lumps(self) -> Lumps:
        """Return the lumps; codes are positions in `distinct`."""
        found = self._run(
            "SELECT relmap_r.code AS i, relmap_c.code AS j, w, n FROM relmap_lumps "
            "JOIN relmap_r USING (r) JOIN relmap_c USING (c)"
        ).fetchnumpy()
        return found["i"], found["j"], np.ma.filled(found["w"], np.nan), found["n"]


_NUMBER_NAMES = (
    "CREATE OR REPLACE TEMP TABLE relmap_{end} AS "
    "SELECT {end}, (row_number() OVER () - 1)::INTEGER AS code "
    "FROM (SELECT DISTINCT {end} FROM relmap_lumps)"
)
_NAMES = "SELECT {end} FROM relmap_{end} ORDER BY code"


def _name(column: str, kind: str) -> str:
    """Return the SQL for a column of names: integers stay, anything else becomes its text."""
    if kind in _WHOLE:
        return quoted(column)
    text = f"CAST({quoted(column)} AS VARCHAR)"
    return f"nullif({text}, 'nan')" if kind in {"float", "double"} else text


def _number(column: str, kind: str) -> str:
    """Return the SQL for a column of weights; what is no number becomes NULL."""
    return f"CAST({quoted(column)} AS DOUBLE)" if kind in _NUMBERS else "NULL::DOUBLE"


def named(relation: Any, question: Question) -> Any:
    """Return the names as r and c, the weight as w where it is a number, and as it stands as v."""
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    row, column = (_name(end, kinds[end].id) for end in question[:2])
    weight = value = "1.0::DOUBLE"
    if question.weight is not None:
        weight, value = _number(question.weight, kinds[question.weight].id), quoted(question.weight)
    return relation.project(f"{row} AS r, {column} AS c, {weight} AS w, {value} AS v")


def faults(relation: Any) -> list[Record]:
    """Return the events of a `named` relation that cannot be counted, with their lines."""
    found: list[Record] = relation.query("relmap_events", _FAULTS).fetchall()
    return found


_FAULTS = (
    "SELECT line, r, c, v "
    "FROM (SELECT row_number() OVER () AS line, * FROM relmap_events) "
    "WHERE r IS NULL OR c IS NULL OR w IS NULL OR w < 0 OR NOT isfinite(w) ORDER BY line"
)


@contextmanager
def session(memory: str, threads: int, folder: str) -> Iterator[Any]:
    """Open a private DuckDB that keeps to some memory and puts the rest into `folder`."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": memory,
            "threads": str(threads),
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    try:
        connection.execute("SET enable_progress_bar = false")
        yield connection
    finally:
        connection.close()
