"""What the command writes, by the ending of the file's name."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from relmap.maps import Map

PICTURES = (".png", ".svg", ".pdf")
OUTPUTS = (".relmap", *PICTURES, ".csv", ".parquet")


def has_matplotlib() -> bool:
    """Tell whether pictures can be drawn, without loading what draws them."""
    return find_spec("matplotlib") is not None


def check_outputs(names: tuple[str, ...], inputs: tuple[str, ...]) -> list[Path]:
    """Refuse what cannot be written, or would overwrite the input, before any long work begins."""
    taken = {Path(name).resolve() for name in inputs}
    paths = [Path(name) for name in names]
    for path in paths:
        if path.suffix.lower() not in OUTPUTS:
            raise click.UsageError(
                f"cannot write {str(path)!r}: its name must end in one of {', '.join(OUTPUTS)}."
            )
        if path.suffix.lower() in PICTURES and not has_matplotlib():
            raise click.UsageError(
                f'cannot draw {str(path)!r} without matplotlib: pip install "relmap[plot]"'
            )
        if path.resolve() in taken:
            raise click.UsageError(f"{str(path)!r} is the input; it would be overwritten.")
        if not path.parent.is_dir():
            raise click.UsageError(
                f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}."
            )
    return paths


def write(m: Map, path: Path, **picture: Any) -> None:
    """Write a map as its suffix says; what the disk refuses is told of this path."""
    import duckdb

    try:
        _write(m, path, picture)
    except OSError as error:
        reason = error.strerror or error
        raise click.ClickException(f"cannot write {str(path)!r}: {reason}.") from error
    except duckdb.Error as error:
        raise click.ClickException(f"cannot write {str(path)!r}: {error}") from error


def _write(m: Map, path: Path, picture: dict[str, Any]) -> None:
    suffix = path.suffix.lower()
    if suffix in PICTURES:
        options = {name: value for name, value in picture.items() if value is not None}
        m.figure(path, **options)
    elif suffix == ".relmap":
        m.save(path)
    elif suffix == ".csv":
        _write_csv(m, path)
    else:
        _write_parquet(m, path)


def _write_csv(m: Map, path: Path) -> None:
    columns = m.columns()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_parquet(m: Map, path: Path) -> None:
    import duckdb
    import numpy as np

    columns = {name: np.array(values) for name, values in m.columns().items()}
    with duckdb.connect() as connection:
        connection.register("points", columns)
        quoted = str(path).replace("'", "''")
        connection.execute(f"COPY (SELECT * FROM points) TO '{quoted}' (FORMAT parquet)")  # noqa: S608
