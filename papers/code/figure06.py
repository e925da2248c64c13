"""Figure 6: parts of figure 5, with papers and words."""

from __future__ import annotations

import numpy as np
from papers.code import nips
from papers.code.figure05 import REACH, draw, insets
from papers.common import pictures
from papers.common.report import Result, run

SETUP = (
    "The squares of [figure 5](figure05.md): a between algorithms and architectures (AA) and "
    "learning theory (LT), b between neuroscience (NS) and vision (VB), c where control and "
    "reinforcement learning (CN) are. Words stand where they are on the map, the most frequent "
    "first; those without room are left out. The table has the words nearest to each middle."
)
THEIRS = (
    "words and documents of a topic are mapped together. The words in its figure are not told in "
    "its text; those of figure 8, which shows about the same parts of a map with authors, are "
    "saliency, orientations, disparity, receptive, dominance and stimuli in b, and pomdps, "
    "bellman, agents, rewards, policies and planning in c."
)
TITLES = {"a": "a · AA and LT", "b": "b · NS and VB", "c": "c · CN"}


def repeat(quick: bool) -> Result:
    """Draw three parts of the map of all papers; from one start when quick."""
    table, topics = nips.papers()
    rows, columns = nips.placed(table, quick=quick)
    words = list(table.columns)  # the most frequent first
    figure, axes = pictures.plates(3, 4.4, foot=0.35)
    lines = []
    for axis, (letter, middle) in zip(axes, insets(rows, topics).items(), strict=True):
        pictures.look(axis, middle, REACH)
        draw(axis, rows, topics, size=34)
        pictures.write(axis, columns, words, fontsize=8, path_effects=pictures.halo())
        axis.set_title(TITLES[letter])
        inside = (np.abs(rows - middle) < REACH).all(axis=1)
        near = np.argsort(((columns - middle) ** 2).sum(axis=1), kind="stable")[:12]
        lines.append([TITLES[letter], inside.sum(), ", ".join(words[i] for i in near)])
    handles, _ = axes[0].get_legend_handles_labels()
    figure.legend(handles, list(nips.TOPICS), loc="lower center", ncols=9, handletextpad=0.2)
    title = "Figure 6: parts of the map of papers and words"
    return Result(figure, title, SETUP, THEIRS, ["part", "papers", "nearest words"], lines)


if __name__ == "__main__":
    run(__file__, repeat)
