"""Columns as a frame of the user's library."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from relmap.errors import InputError, MissingExtraError

LIBRARIES = ("pandas", "polars", "pyarrow")


def coordinate_names(count: int) -> list[str]:
    """Return what the coordinates are called: x, y, z, or x1, x2, … beyond three."""
    return list("xyz"[:count]) if count <= 3 else [f"x{i + 1}" for i in range(count)]


def frame(values: dict[str, list[Any]], library: str | None) -> Any:
    """Return columns as a frame of `library`, or of the first library that is installed."""
    import narwhals

    if library == "duckdb":  # its relations live in a connection that is not ours
        library = None
    if library is None:
        library = next((name for name in LIBRARIES if find_spec(name)), None)
    if library is None:
        raise MissingExtraError("Map.frame needs pandas, polars or pyarrow: pip install pandas")
    if library not in LIBRARIES:
        raise InputError(f"library must be one of {', '.join(LIBRARIES)}; got {library!r}.")
    backend: Any = library  # narwhals wants a literal
    return narwhals.from_dict(values, backend=backend).to_native()
