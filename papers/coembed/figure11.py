"""Figure 11: errors and mean ranks of CoEmbedding, by its number of neighbours."""

from collections.abc import Callable
from typing import Any

import numpy as np
from papers.coembed import documents, graphs
from papers.coembed.methods import coembedding
from papers.coembed.neighbours import ALL, choices
from papers.common import pictures
from papers.common.report import Result, best, run

from relmap.measures import mean_rank, nearest_neighbour_error, selected_words_error

SETUP = (
    "CoEmbedding with 5, 10 and 15 neighbours, 10 % and 50 % of each side, all but 10, and all. "
    "Trials: error of 20 selected words per class; CiteSeer: error of the nearest neighbour in ten "
    "folds, and mean rank of the 10 closest columns. Reduced against the paper: {sizes}; k is {k}."
)
THEIRS = (
    "all of them as neighbours is mostly the worst choice; as long as they are few, it hardly "
    "matters how many."
)


def repeat(quick: bool) -> Result:
    """Measure both relations with every choice; when quick smaller ones with three choices."""
    trials = documents.trials(12, 150) if quick else documents.trials(30, 500)
    graph = graphs.load("CiteSeer", 0.08 if quick else 0.25)
    dimensions = (2,) if quick else (2, 5, 10)
    kept = ("5", "10 %", "all") if quick else ALL
    classes = np.concatenate(graph.classes)

    def words(*points: np.ndarray) -> float:
        return selected_words_error(trials.table, trials.labels, *points, words=20)

    def nearest(*points: np.ndarray) -> float:
        return nearest_neighbour_error(np.concatenate(points), classes, folds=10)

    def rank(*points: np.ndarray) -> float:
        return mean_rank(graph.table, *points)

    found = {
        **measured(trials.table, dimensions, kept, {"trials: error": words}),
        **measured(
            graph.table, dimensions, kept, {"CiteSeer: error": nearest, "CiteSeer: rank": rank}
        ),
    }
    figure, axes = pictures.charts(1, 3)
    cells = []
    for axis, (name, lines) in zip(axes.flat, found.items(), strict=True):
        pictures.curves(axis, name, dimensions, lines)
        axis.set(xlabel="dimensions k", xticks=dimensions)
        form = "{:.1f}" if name.endswith("rank") else "{:.3f}"
        for k, line in zip(dimensions, zip(*lines.values(), strict=True), strict=True):
            cells.append([f"{name}, k = {k}", *best(line, form)])
    pictures.explain(figure, axes[0, 0])
    sizes = [
        "{} {:,} × {:,}".format(name, *table.shape)
        for name, table in {"trials": trials.table, "CiteSeer": graph.table}.items()
    ]
    setup = SETUP.format(sizes=", ".join(sizes), k=", ".join(map(str, dimensions)))
    title = "Figure 11: errors and mean ranks by the number of neighbours"
    return Result(figure, title, setup, THEIRS, ["measured", *lines], cells)


def measured(
    table: Any,
    dimensions: tuple[int, ...],
    kept: tuple[str, ...],
    measures: dict[str, Callable[..., float]],
) -> dict[str, dict[str, list[float]]]:
    """Return measure → choice of neighbours → a number for every k."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in measures}
    neighbours = choices(*table.shape)
    for choice in kept:
        maps = [coembedding(table, k, neighbours[choice]) for k in dimensions]
        for name, measure in measures.items():
            found[name][choice] = [measure(*points) for points in maps]
    return found


if __name__ == "__main__":
    run(__file__, repeat)
