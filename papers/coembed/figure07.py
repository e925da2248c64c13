"""Figure 7: Cora and CiteSeer on the plane by the five methods."""

import numpy as np
from papers.coembed import graphs
from papers.coembed.methods import METHODS
from papers.common import pictures
from papers.common.report import Result, run

from relmap.measures import conformity, mean_rank, nearest_neighbour_error

SETUP = (
    "Rows are + (40 % of every class), columns ○ (60 %), coloured by class; the relation is "
    "e^(−D/mean D) of the lengths D of shortest paths. Sizes: {sizes}. Each cell is Γ (5 "
    "neighbours) / mean rank of the 10 closest columns / error of the nearest neighbour in ten "
    "folds. The paper's CiteSeer has 1,540 papers, this one 2,110 in the largest component; its "
    "third graph, Industry-PR, was not to be had."
)
THEIRS = (
    "the proposed method, CODE and CA spread things out more and separate classes better than "
    "ACAS. On CiteSeer CODE and MKPE put rows and columns of one class far from each other; the "
    "others put them together."
)


def repeat(quick: bool) -> Result:
    """Map both graphs; a sixth of the things when quick."""
    figure, axes = pictures.panels(2, len(METHODS))
    cells, sizes = [], []
    for line, name in zip(axes, graphs.GRAPHS, strict=True):
        table, classes, _ = graphs.load(name, 1 / 6 if quick else 1)
        m, n = table.shape
        sizes.append(f"{name} {m:,} × {n:,}")
        cells.append([name])
        for axis, (method, place) in zip(line, METHODS.items(), strict=True):
            points = place(table, 2)
            pictures.show(axis, f"{name}: {method}", points, classes, marks="+o", size=9, alpha=0.6)
            error = nearest_neighbour_error(
                np.concatenate(points), np.concatenate(classes), folds=10
            )
            lost, rank = conformity(table, *points), mean_rank(table, *points)
            cells[-1].append(f"{lost:,} / {rank:.0f} / {error:.3f}")
    pictures.legend(figure, {"rows": ("+", "0.3"), "columns": ("o", "0.3")})
    title = "Figure 7: Cora and CiteSeer"
    setup = SETUP.format(sizes=", ".join(sizes))
    return Result(figure, title, setup, THEIRS, ["graph", *METHODS], cells)


if __name__ == "__main__":
    run(__file__, repeat)
