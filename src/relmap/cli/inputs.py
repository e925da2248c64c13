"""What the command reads: one table, or several that share kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from relmap.relations import Relations, Table


class Ask(NamedTuple):
    """What to read as one table, and how."""

    inputs: tuple[str, ...]
    rows: str | None
    columns: str | None
    weight: str | None
    kinds: tuple[str, str] | None


class Kinds(click.ParamType[tuple[str, str]]):
    """ROW:COLUMN, what the rows and the columns of a table are."""

    name = "row:column"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        """Read what was typed."""
        if isinstance(value, tuple):
            return value[0], value[1]
        parts = [part.strip() for part in str(value).split(":")]
        if len(parts) != 2 or not all(parts):
            self.fail(f"{value!r} is not of the form ROW:COLUMN, such as user:movie.", param, ctx)
        return parts[0], parts[1]


def asked(
    inputs: tuple[str, ...],
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    weights: tuple[str, ...],
    kinds: tuple[tuple[str, str], ...],
) -> list[Ask]:
    """Tell which inputs make a table, before anything is read.

    Options given once hold for all inputs, otherwise each has its own. Files of events of which
    the same is asked are one table; a wide file or a matrix is one by itself.
    """
    for name in inputs:
        if name.endswith(".relmap"):
            raise click.UsageError(f"{name!r} is a map already; relmap info {name} tells of it.")
    if bool(rows) != bool(columns) or (weights and not rows):
        raise click.UsageError(
            "events need both --rows and --columns (and --weight, if they have one); a wide table "
            "needs none of them."
        )
    many = len(inputs)
    each = [
        _one_each(flag, values, many)
        for flag, values in (
            ("--rows", rows), ("--columns", columns), ("--weight", weights), ("--kinds", kinds),
        )
    ]  # fmt: skip
    groups: dict[object, list[str]] = {}
    for number, (name, *how) in enumerate(zip(inputs, *each, strict=True)):
        groups.setdefault(tuple(how) if how[0] else number, []).append(name)
    wanted = dict(zip(inputs, zip(*each, strict=True), strict=True))
    return [Ask(tuple(names), *wanted[names[0]]) for names in groups.values()]


def _one_each(flag: str, values: tuple[Any, ...], many: int) -> list[Any]:
    if len(values) <= 1:
        return list(values or (None,)) * many
    if len(values) != many:
        raise click.UsageError(
            f"{flag} is given {len(values)} times for {many} input{'s' * (many > 1)}: give it "
            "once, or once for each in their order."
        )
    return list(values)


def read(asks: list[Ask]) -> Table | Relations:
    """Read the tables; several become Relations."""
    from relmap.relations import Relations, read_table

    tables = [
        read_table(
            ask.inputs if len(ask.inputs) > 1 else ask.inputs[0],
            ask.rows,
            ask.columns,
            ask.weight,
            row_kind=ask.kinds[0] if ask.kinds else None,
            column_kind=ask.kinds[1] if ask.kinds else None,
        )
        for ask in asks
    ]
    return tables[0] if len(tables) == 1 else Relations(tables)
