"""Figure 5: clinical trials of four diseases on the plane, and how well near words tell them."""

import numpy as np
from papers.coembed import documents
from papers.coembed.methods import METHODS
from papers.common import pictures
from papers.common.report import Result, best, run

from relmap.measures import selected_words_error

SETUP = (
    "{documents} trials (+, coloured by disease) and {words} words (grey dots) on two axes by the "
    "five methods. The paper has 200 trials of each disease, the data here {sizes}. The error is "
    "that of a linear support vector machine in ten folds that sees only the words nearest to the "
    "centres of the classes, as many per class as the table says."
)
THEIRS = (
    "ACAS and CODE put some words far from all documents; CA and the proposed method blend words "
    "and documents; MKPE lays them out along two parallel lines. The errors of the proposed method "
    "and of CA are alike and lower than those of CODE and ACAS; MKPE's are lower still."
)


def repeat(quick: bool) -> Result:
    """Map the trials by all methods; two of the errors when quick."""
    table, labels, names = documents.four_trials()
    numbers = (10, 50) if quick else tuple(range(10, 101, 10))
    figure, axes = pictures.panels(2, 3)
    errors = {}
    for axis, (method, place) in zip(axes.flat, METHODS.items(), strict=False):
        rows, columns = place(table, 2)
        pictures.show(axis, method, (columns, rows), (None, labels), marks=".+", size=12)
        errors[method] = [selected_words_error(table, labels, rows, columns, n) for n in numbers]
    pictures.curves(axes.flat[-1], "error by words per class", numbers, errors)
    pictures.beside(axes.flat[-1])
    signs = {name.replace("_", " "): ("+", pictures.COLOURS[at]) for at, name in enumerate(names)}
    pictures.legend(figure, {"word": (".", "0.6"), **signs})
    setup = SETUP.format(
        documents=table.shape[0], words=table.shape[1], sizes=np.bincount(labels)[1:].tolist()
    )
    lines = zip(*errors.values(), strict=True)
    cells = [[n, *best(line, "{:.3f}")] for n, line in zip(numbers, lines, strict=True)]
    title = "Figure 5: clinical trials of four diseases"
    return Result(figure, title, setup, THEIRS, ["words per class", *METHODS], cells)


if __name__ == "__main__":
    run(__file__, repeat)
