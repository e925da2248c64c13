"""Figure 11: purity of neighbourhoods by the dimensions of the map and by how far one looks."""

from __future__ import annotations

from papers.code import newsgroups
from papers.code.methods import METHODS
from papers.common import pictures
from papers.common.report import Result, best, run

from relmap.measures import neighbour_purity

SETUP = (
    "The *doc–doc* measure, times 100, of {groups} ({size}). Left and above in the table: by "
    "dimensions q, for neighbourhoods of 1 to 100. Right and below: in two dimensions, for "
    "neighbourhoods of 1 to k. Methods as in [table 1](table1.md)."
)
THEIRS = "CODE is superior to the other methods for all dimensions and sizes of neighbourhood."


def repeat(quick: bool) -> Result:
    """Map three groups in several dimensions; a small part in two and three when quick."""
    posts = newsgroups.load(newsgroups.THREE, each=150 if quick else None)
    dimensions = (2, 3) if quick else (2, 3, 4, 5, 6, 8, 10)
    sizes = (1, 10, 100) if quick else (1, 3, 10, 30, 100, 300, 900)
    by_dimension, by_size = {}, {}
    for name, place in METHODS.items():
        maps = {q: place(posts.table, q)[0] for q in dimensions}
        by_dimension[name] = [purity(maps[q], posts.labels, 100) for q in dimensions]
        by_size[name] = [purity(maps[2], posts.labels, k) for k in sizes]
    figure, (axes,) = pictures.charts(1, 2, foot=0.25)
    pictures.curves(axes[0], "neighbourhoods of 1 to 100", dimensions, by_dimension)
    axes[0].set(xlabel="dimensions q", ylabel="doc–doc × 100", xticks=dimensions)
    pictures.curves(axes[1], "two dimensions", sizes, by_size)
    axes[1].set(xlabel="neighbourhoods of 1 to k", xscale="log")
    pictures.explain(figure, axes[0])
    lines = [
        [f"{letter} = {at}", *best(values, "{:.0f}", max)]
        for letter, places, found in (("q", dimensions, by_dimension), ("k", sizes, by_size))
        for at, values in zip(places, zip(*found.values(), strict=True), strict=True)
    ]
    setup = SETUP.format(groups=newsgroups.named(posts.groups), size=posts.size)
    title = "Figure 11: purity by dimensions and by neighbourhood"
    return Result(figure, title, setup, THEIRS, ["", *METHODS], lines)


def purity(points: object, labels: object, k: int) -> float:
    return 100 * neighbour_purity(points, labels, k)


if __name__ == "__main__":
    run(__file__, repeat)
