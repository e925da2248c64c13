"""Figure 8: mean rank and nearest neighbour error on the graphs, by the number of dimensions."""

import numpy as np
from papers.coembed import graphs
from papers.coembed.methods import METHODS
from papers.common import pictures
from papers.common.report import Result, best, run

from relmap.measures import mean_rank, nearest_neighbour_error

SETUP = (
    "Mean rank: where the 10 closest columns of a row come on the map. Error: of the nearest "
    "neighbour, rows and columns together, ten folds. Reduced against the paper: half of either "
    "group, drawn within every class (distances are those of the whole graph), and k is {k}; "
    "without Industry-PR. Sizes: {sizes}."
)
THEIRS = (
    "the proposed method and CA are about equal, and more often than the others have the lower "
    "mean ranks and errors."
)


def measured(graph: graphs.Graph, points: tuple) -> tuple[float, float]:
    """Return mean rank and error of a map of a graph."""
    error = nearest_neighbour_error(np.concatenate(points), np.concatenate(graph.classes), folds=10)
    return mean_rank(graph.table, *points), error


def repeat(quick: bool) -> Result:
    """Measure both graphs; a tenth of one in two and six dimensions when quick."""
    names, share = (["CiteSeer"], 0.1) if quick else (list(graphs.GRAPHS), 0.5)
    dimensions = (2, 6) if quick else (2, 4, 6, 8, 10)
    figure, axes = pictures.charts(1, 2 * len(names))
    cells, sizes = [], []
    for name, pair in zip(names, axes.reshape(-1, 2), strict=True):
        graph = graphs.load(name, share)
        sizes.append("{} {:,} × {:,}".format(name, *graph.table.shape))
        found = {
            method: np.array([measured(graph, place(graph.table, k)) for k in dimensions])
            for method, place in METHODS.items()
        }
        for at, (axis, what) in enumerate(zip(pair, ("mean rank", "error"), strict=True)):
            values = {method: numbers[:, at] for method, numbers in found.items()}
            pictures.curves(axis, f"{name}: {what}", dimensions, values)
            axis.set(xlabel="dimensions k", xticks=dimensions)
            form = ("{:.1f}", "{:.3f}")[at]
            lines = zip(dimensions, zip(*values.values(), strict=True), strict=True)
            cells += [[f"{name}, {what}, k = {k}", *best(line, form)] for k, line in lines]
    pictures.explain(figure, axes[0, 0])
    setup = SETUP.format(sizes=", ".join(sizes), k=", ".join(map(str, dimensions)))
    title = "Figure 8: mean ranks and errors on graphs"
    return Result(figure, title, setup, THEIRS, ["measured", *METHODS], cells)


if __name__ == "__main__":
    run(__file__, repeat)
