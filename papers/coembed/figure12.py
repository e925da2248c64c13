"""Figure 12: seconds of the five methods, by the size of the relation and by the dimensions."""

import time

from papers.coembed import documents
from papers.coembed.methods import METHODS, STEPS, Method, points
from papers.common import pictures
from papers.common.report import Result, run

from relmap import ACAS, CoEmbedding, Table

SETUP = (
    "Postings × words of the newsgroups, as many of both: n = m. First in two dimensions by size, "
    f"then {{middle}} × {{middle}} by dimensions. One run each, one machine; CODE and MKPE end "
    f"after {STEPS} steps at most; ACAS and CoEmbedding include the search of their settings, "
    "and stand a second time with their settings given: one decomposition. "
    "Reduced against the paper, which does not tell its sizes in the text: n up to {most}."
)
THEIRS = (
    "CODE and MKPE take the most time, and ever more with the dimensions. The methods by matrix "
    "decompositions hardly grow with size or dimensions; CA and the proposed method are slightly "
    "quicker than ACAS."
)


TIMED: dict[str, Method] = METHODS | {
    "ACAS, given": lambda table, k: points(ACAS(k, p=1, alpha=0.5, beta=0.5), table),
    "CoEmbedding, given": lambda table, k: points(
        CoEmbedding(k, eta_rows=2, eta_columns=2, xi=1, gamma=0.5), table
    ),
}


def square(size: int) -> Table:
    """Return postings × words of one size."""
    return documents.newsgroups(size // 20, size).table


def seconds(place: Method, table: Table, k: int) -> float:
    """Time one method."""
    start = time.perf_counter()
    place(table, k)
    return time.perf_counter() - start


def repeat(quick: bool) -> Result:
    """Time all methods on smaller relations when quick."""
    sizes, middle = ((100, 200), 100) if quick else ((200, 400, 800, 1600), 800)
    dimensions = (5,) if quick else (2, 5, 10, 15)
    tables = {size: square(size) for size in {*sizes, middle}}
    for name in TIMED.keys() - {"ACAS", "CoEmbedding"}:
        TIMED[name](tables[sizes[0]], 2)  # loads what is loaded when it is first used
    found = {
        "n = m": (
            sizes,
            {m: [seconds(p, tables[n], 2) for n in sizes] for m, p in TIMED.items()},
        ),
        "k": (
            dimensions,
            {m: [seconds(p, tables[middle], k) for k in dimensions] for m, p in TIMED.items()},
        ),
    }
    figure, axes = pictures.charts(1, 2)
    cells = []
    for axis, (what, (at, lines)) in zip(axes.flat, found.items(), strict=True):
        pictures.curves(axis, f"seconds by {what}", at, lines)
        axis.set(xlabel=what, xticks=at, yscale="log")
        for number, line in zip(at, zip(*lines.values(), strict=True), strict=True):
            cells.append([f"{what} = {number:,}", *(f"{value:.2f}" for value in line)])
    pictures.explain(figure, axes[0, 0])
    setup = SETUP.format(middle=middle, most=sizes[-1])
    title = "Figure 12: seconds by size and by dimensions"
    return Result(figure, title, setup, THEIRS, ["relation", *TIMED], cells)


if __name__ == "__main__":
    run(__file__, repeat)
