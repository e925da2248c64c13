"""`relmap info`: what is in a map file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from relmap.maps import Map


@click.command("info", short_help="Tell what a map file holds.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--nearest", metavar="NAME", help="List what is nearest to a thing.")
@click.option("--kind", metavar="KIND", help="Which kind of neighbours to list.")
@click.option("--of", metavar="KIND", help="The kind of NAME, if several kinds have it.")
@click.option(
    "-k", type=click.IntRange(1), default=10, show_default=True, help="How many neighbours to list."
)
def info(file: Path, nearest: str | None, kind: str | None, of: str | None, k: int) -> None:
    """Tell what a map file holds: kinds, how it was made, how far it may be trusted."""
    from relmap.maps import load

    if nearest is None and not (kind is of is None and k == 10):
        raise click.UsageError("--kind, --of and -k are for --nearest NAME.")
    m = load(file)
    if nearest is not None:
        for n in m.nearest(_called(m, nearest), kind=kind, k=k, of=of):
            click.echo(f"{n.distance:10.4f}  {n.kind}  {n.name}")
        return
    click.echo(repr(m))
    for title, values in (
        ("settings", m.settings),
        ("evidence", m.evidence),
        ("made from", m.provenance),
    ):
        if values:
            click.echo(title)
        for name, value in values.items():
            shown = value.replace("\n  ", f"\n{'':25}") if isinstance(value, str) else _short(value)
            click.echo(f"  {name:22s} {shown}")
    for kind_, lost in m.unplaced.items():
        if lost:
            shown = ", ".join(map(str, lost[:10])) + (", …" if len(lost) > 10 else "")
            click.echo(f"not placed, {kind_} ({len(lost)}): {shown}")


def _called(m: Map, text: str) -> str | int:
    """Return the name a text stands for: names may be whole numbers, the shell gives texts."""
    number = int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text
    return number if any(number in n and text not in n for n in m.names.values()) else text


def _short(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = (", ".join(f"{k} {_short(v)}" for k, v in one.items()) for one in value)
        return f"\n{'':25}".join(lines)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
