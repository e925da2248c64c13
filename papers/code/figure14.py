"""Figure 14: six variants of CODE, by the purity of neighbourhoods and by words of classes."""

from __future__ import annotations

import numpy as np
from papers.code import newsgroups
from papers.code.methods import code
from papers.code.newsgroups import MEASURES
from papers.common import pictures
from papers.common.report import Result, best, run

VARIANTS = ("MM", "UU", "CM", "CU", "MC", "UC")
STARTS = 1
SETUP = (
    "Six variants of CODE in two dimensions on the seven sets of [table 1](table1.md), from one "
    "start each, with the {words:,} most frequent words after the first 100. The first letter is "
    "about documents, the second about words: C conditioned on, M with the share observed, U "
    "without. Means over the sets, with standard errors, of *doc–doc*, of *doc–word* as the paper "
    "words it, and of *doc–word* with the probability of the group given the word (*telling*); in "
    "the table, of each set, times 100 and in this order. The best is bold."
)
THEIRS = (
    "all variants are alike in *doc–doc*; in *doc–word* MM and CM are significantly better than "
    "the others. MC, which conditions on words, does worse than CM. The figure's numbers are not "
    "told in its text."
)


def repeat(quick: bool) -> Result:
    """Map all sets by all variants; small parts of two when quick."""
    sets = newsgroups.SETS[:2] if quick else newsgroups.SETS
    found = np.array([all_scores(newsgroups.load(g, each=150 if quick else None)) for g in sets])
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(sets))
    figure, (axes,) = pictures.charts(1, 3, foot=-0.35)
    for at, (axis, name) in enumerate(zip(axes, MEASURES, strict=True)):
        pictures.bars(axis, f"{name} × 100", {"": means[:, at]}, VARIANTS, errors[:, at])
        axis.set_ylim(0, 100)
    titles = [*map(newsgroups.named, sets), "mean"]
    lines = [
        [title, *(" / ".join(cell) for cell in marked(scores))]
        for title, scores in zip(titles, [*found, means], strict=True)
    ]
    setup = SETUP.format(words=newsgroups.WORDS)
    title = "Figure 14: variants of CODE"
    return Result(figure, title, setup, THEIRS, ["groups", *VARIANTS], lines)


def all_scores(posts: newsgroups.Postings) -> list[newsgroups.Scores]:
    """Return what the maps of all variants are worth."""
    return [
        newsgroups.scores(posts, *code(posts.table, 2, variant, STARTS)) for variant in VARIANTS
    ]


def marked(scores: np.ndarray) -> list[tuple[str, ...]]:
    """Return the scores of every variant as text, the best of each measure in bold."""
    return list(zip(*(best(column, "{:.0f}", max) for column in scores.T), strict=True))


if __name__ == "__main__":
    run(__file__, repeat)
