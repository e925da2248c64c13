"""`relmap demo`: the whole walk on a table that ships with the package."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("demo", short_help="Map a table that ships with the package.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="Where to leave the picture and the map file.",
)
def demo(folder: Path) -> None:
    """Map a survey of who does what at home, and leave a picture and a map file."""
    from relmap.datasets import load_housetasks
    from relmap.models.cooccurrence import CODE

    folder.mkdir(parents=True, exist_ok=True)
    table = load_housetasks()
    click.echo(repr(table))
    m = CODE(penalty="auto").fit(table).map_
    click.echo(repr(m))
    for task in ("laundry", "repairs", "holidays"):
        click.echo(f"  nearest to {task}: {m.nearest(task, kind='who', k=1)[0].name}")
    m.figure(folder / "housetasks.png", title="Who does what at home")
    m.save(folder / "housetasks.relmap")
    click.echo(f"picture: {folder / 'housetasks.png'}")
    click.echo(f"map:     {folder / 'housetasks.relmap'} (relmap.load reads it)")
