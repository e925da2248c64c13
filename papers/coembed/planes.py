"""Figures 2 to 4: some of the eight sets, each beside its co-embeddings by the five methods."""

from __future__ import annotations

from collections.abc import Sequence

from papers.coembed import synthetic
from papers.coembed.methods import METHODS
from papers.common import pictures
from papers.common.report import Result, best

from relmap.measures import conformity

SETUP = (
    "Each set of points is split into two groups, class by class (X is ○, Y is +), and only "
    "similarities between the groups are given (eq. 44). Colours are classes, and repeat after "
    "eight. Γ counts near pairs that the map loses (5 neighbours); the smallest is bold. "
    "Axes are scaled to [0, 1]."
)


def compare(names: Sequence[str], number: int, theirs: str) -> Result:
    """Draw the sets, one row each: the original, then a panel for every method."""
    figure, axes = pictures.panels(len(names), 1 + len(METHODS))
    rows = []
    for line, name in zip(axes, names, strict=True):
        plane = synthetic.load(name)
        m, n = plane.sizes
        pictures.show(line[0], f"{name}: m = {m}, n = {n}", plane.points, plane.classes)
        lost = []
        for axis, (method, place) in zip(line[1:], METHODS.items(), strict=True):
            points = place(plane.table, 2)
            lost.append(conformity(plane.table, *points))
            pictures.show(axis, f"{method} · Γ = {lost[-1]}", points, plane.classes)
        rows.append([name, m, n, *best(lost)])
    pictures.legend(figure, {"group X": ("o", "0.3"), "group Y": ("+", "0.3")})
    title = f"Figure {number}: {', '.join(names)}"
    return Result(figure, title, SETUP, theirs, ["set", "m", "n", *METHODS], rows)
