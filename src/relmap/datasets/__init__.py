"""Small real tables that ship with the package, to try things on."""

from __future__ import annotations

from importlib.resources import as_file, files

from relmap.relations import Table, read_table

__all__ = ["load_housetasks", "load_smoke"]


def load_housetasks() -> Table:
    """Return who does what at home: 13 tasks × 4 answers, from a survey of couples.

    A table that many introductions to correspondence analysis use; it comes with the R package
    factoextra.
    """
    return _shipped("housetasks.csv", "task", "who")


def load_smoke() -> Table:
    """Return how much the staff of a company smokes: 5 staff groups × 4 levels, 193 people.

    The made-up table of Greenacre, *Theory and Applications of Correspondence Analysis* (1984),
    page 55, on which the paper on CODE shows its convex variant.
    """
    return _shipped("smoke.csv", "staff", "smoking")


def _shipped(name: str, row_kind: str, column_kind: str) -> Table:
    with as_file(files(__name__) / name) as path:
        return read_table(path, row_kind=row_kind, column_kind=column_kind)
