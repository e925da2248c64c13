"""Figure 10: CoEmbedding of clinical trials and CiteSeer with more and more neighbours."""

import numpy as np
from papers.coembed import documents, graphs
from papers.coembed.methods import coembedding
from papers.coembed.neighbours import SHOWN, choices
from papers.common import pictures
from papers.common.report import Result, run

from relmap.measures import conformity, mean_rank, nearest_neighbour_error

SETUP = (
    "CoEmbedding with so many neighbours: 10, 10 % and 50 % of each side, all but 10, all. Trials "
    "are +, their words grey dots; of CiteSeer rows are +, columns ○; colours are classes. Each "
    "cell is Γ, always counted with 5 neighbours / mean rank of the 10 closest columns / error of "
    "the nearest neighbour among what has a class. Reduced against the paper: {sizes}."
)
THEIRS = (
    "few neighbours, up to 10 % of each side, give much the same maps; many distort them, and with "
    "all of them the words gather in the middle of the documents."
)


def repeat(quick: bool) -> Result:
    """Map both relations with every choice; smaller ones when quick."""
    trials = documents.four_trials(20, 200) if quick else documents.four_trials(100, 800)
    graph = graphs.load("CiteSeer", 0.1 if quick else 0.5)
    whole = {
        "trials": (trials.table, (trials.labels, None), "+."),
        "CiteSeer": (graph.table, graph.classes, "+o"),
    }
    figure, axes = pictures.panels(2, len(SHOWN))
    cells, sizes = [], []
    for line, (name, (table, classes, marks)) in zip(axes, whole.items(), strict=True):
        sizes.append("{} {:,} × {:,}".format(name, *table.shape))
        cells.append([name])
        for axis, choice in zip(line, SHOWN, strict=True):
            points = coembedding(table, 2, choices(*table.shape)[choice])
            title = f"{name}: {choice}"
            pictures.show(axis, title, points, classes, marks=marks, size=9, alpha=0.6)
            told = [(p, c) for p, c in zip(points, classes, strict=True) if c is not None]
            error = nearest_neighbour_error(*map(np.concatenate, zip(*told, strict=True)), folds=10)
            lost, rank = conformity(table, *points), mean_rank(table, *points)
            cells[-1].append(f"{lost:,} / {rank:.0f} / {error:.3f}")
    signs = {"rows": ("+", "0.3"), "columns": ("o", "0.3"), "words": (".", "0.6")}
    pictures.legend(figure, signs)
    title = "Figure 10: trials and CiteSeer with more neighbours"
    setup = SETUP.format(sizes=", ".join(sizes))
    return Result(figure, title, setup, THEIRS, ["relation", *SHOWN], cells)


if __name__ == "__main__":
    run(__file__, repeat)
