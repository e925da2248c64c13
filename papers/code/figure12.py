"""Figure 12: seven methods over seven sets, and words beside documents by CODE and CA."""

from __future__ import annotations

import numpy as np
from papers.code import newsgroups
from papers.code.methods import METHODS
from papers.code.newsgroups import MEASURES, WORDS
from papers.common import pictures
from papers.common.report import Result, best, run

from relmap.measures import neighbour_purity, normalised_purity

BOTH = ("CODE", "CA")
SETUP = (
    "Left: the *doc–doc* measure, rescaled so that of the methods the worst has 0 and the best 1 "
    "on each set, averaged over the seven sets of [table 1](table1.md) in two dimensions, with "
    "standard errors. Isomap by Euclidean distances and by the cosine count as two methods. Middle "
    "and right, with {words:,} words: *doc–word* as the paper words it, by the probability of the "
    "words nearest to a document (100 at most) in its group, over the best possible; and "
    "*telling*, by the probability of the group given the word. The table has all three by how "
    "many words are kept, times 100, CODE / CA, the better in bold. Normalised: {means}."
)
THEIRS = (
    "CODE has by far the highest normalised measure, and Isomap comes second. CODE is "
    "significantly better than CA in *doc–word*. The figure's numbers are not told in its text."
)


def repeat(quick: bool) -> Result:
    """Map all sets; small parts of two when quick."""
    sets = newsgroups.SETS[:2] if quick else newsgroups.SETS
    each = 150 if quick else None
    figure, (axes,) = pictures.charts(1, 3, foot=0.15)
    normal = normalised_purity([purities(newsgroups.load(g, each=each)) for g in sets])
    error = normal.std(axis=0, ddof=1) / np.sqrt(len(sets))
    pictures.bars(axes[0], "normalised doc–doc", {"": normal.mean(axis=0)}, list(METHODS), error)
    axes[0].tick_params(axis="x", rotation=60)
    lines = []
    for words in (500, WORDS) if quick else (500, 1000, WORDS):
        found = np.array([both(newsgroups.load(g, words, each)) for g in sets])
        titles = [f"{words:,} words, set {at}" for at in range(1, len(sets) + 1)]
        lines += [
            [title, *(" / ".join(best(pair, "{:.1f}", max)) for pair in scores.T)]
            for title, scores in zip(titles, found, strict=True)
        ]
    for axis, at in zip(axes[1:], (1, 2), strict=True):  # the last have the most words
        heights = dict(zip(BOTH, found[:, :, at].T, strict=True))
        pictures.bars(
            axis, f"{MEASURES[at]} × 100", heights, [str(n + 1) for n in range(len(sets))]
        )
        axis.set(xlabel="set of newsgroups")
    pictures.explain(figure, axes[1])
    means = ", ".join(f"{n} {m:.2f}" for n, m in zip(METHODS, normal.mean(axis=0), strict=True))
    setup = SETUP.format(words=WORDS, means=means)
    title = "Figure 12: normalised purity, and words beside documents"
    return Result(figure, title, setup, THEIRS, ["words, set", *MEASURES], lines)


def purities(posts: newsgroups.Postings) -> list[float]:
    """Return the purity of every method."""
    return [neighbour_purity(place(posts.table, 2)[0], posts.labels) for place in METHODS.values()]


def both(posts: newsgroups.Postings) -> list[newsgroups.Scores]:
    """Return what the maps of the two methods that map words as well are worth."""
    return [newsgroups.scores(posts, *METHODS[name](posts.table, 2)) for name in BOTH]


if __name__ == "__main__":
    run(__file__, repeat)
