"""Figure 6: errors of the selected words on four collections, by the number of dimensions."""

from papers.coembed import documents
from papers.coembed.methods import METHODS
from papers.common import pictures
from papers.common.report import Result, best, run

from relmap.measures import selected_words_error

SETUP = (
    "20 words per class, nearest to its centre, feed a linear support vector machine; its error in "
    "ten folds. Reduced against the paper: k is 2, 5, 10 and 20 only, newsgroups have 60 postings "
    "a group and 1,500 words, reviews 200 a kind; the trials are those there are. Sizes: {sizes}."
)
THEIRS = (
    "the errors of the proposed method are lower than, or about the same as, those of the others."
)
FULL = documents.COLLECTIONS | {
    "newsgroups": lambda: documents.newsgroups(60, 1500),
    "reviews": lambda: documents.reviews(200),
}


def repeat(quick: bool) -> Result:
    """Map all collections; four diseases in two and three dimensions when quick."""
    loaders = {"trials (4 classes)": documents.four_trials} if quick else FULL
    dimensions = (2, 3) if quick else (2, 5, 10, 20)
    figure, axes = pictures.charts(1, len(loaders))
    cells, sizes = [], []
    for axis, (name, load) in zip(axes.flat, loaders.items(), strict=True):
        table, labels, _ = load()
        sizes.append(f"{name} {table.shape[0]:,} × {table.shape[1]:,}")
        errors = {
            method: [
                selected_words_error(table, labels, *place(table, k), words=20) for k in dimensions
            ]
            for method, place in METHODS.items()
        }
        pictures.curves(axis, name, dimensions, errors)
        axis.set(xlabel="dimensions k", xticks=dimensions)
        lines = zip(dimensions, zip(*errors.values(), strict=True), strict=True)
        cells += [[f"{name}, k = {k}", *best(line, "{:.3f}")] for k, line in lines]
    pictures.explain(figure, axes[0, 0])
    setup = SETUP.format(sizes=", ".join(sizes))
    title = "Figure 6: error of 20 selected words per class"
    return Result(figure, title, setup, THEIRS, ["collection", *METHODS], cells)


if __name__ == "__main__":
    run(__file__, repeat)
