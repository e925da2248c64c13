"""Small real tables that ship with the package, to try things on."""

from __future__ import annotations

from importlib.resources import as_file, files

from relmap.relations import Table, read_table

__all__ = ["load_author", "load_hair_eye_color", "load_housetasks", "load_smoke"]


def load_author() -> Table:
    """Return how often each letter occurs in 12 texts by 6 American authors: 12 texts × 26 letters.

    Counted by Larsen and McGill (1989); it comes with the R package ca. A nearly independent
    table: its inertia is 0.019.
    """
    return _shipped("author.csv", "text", "letter")


def load_hair_eye_color() -> Table:
    """Return hair and eye colours of 592 students of statistics: 4 colours of hair × 4 of eyes.

    Snee, *Graphical display of two-way contingency tables* (1974); it comes with R.
    """
    return _shipped("haireyecolor.csv", "hair", "eyes")


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
