"""Figure 8: papers, authors and words of NIPS on one map, parts of it."""

from __future__ import annotations

import numpy as np
from papers.code import nips
from papers.code.figure05 import draw, insets
from papers.code.figure06 import TITLES
from papers.code.figure07 import nearest
from papers.common import pictures
from papers.common.report import Result, run

from relmap import Relations

SETUP = (
    "{papers} papers × words and {authors} authors × words, mapped together by CODE with every "
    "paper, and every author, weighing the same, and each table one over its rows times its "
    "columns. Above on the left are the papers of volumes 7 to 12, by section as in "
    "[figure 5](figure05.md); the squares are the other panels, about the parts of "
    "[figure 6](figure06.md): a and b found by the medians of the sections, c by the words "
    "{anchors}. There words are black, authors blue and capitalised, and both stand where they "
    "are, authors first; those without room are left out. The table has what is nearest to each "
    "middle."
)
THEIRS = (
    "authors and words of a topic are mapped together with papers about it. Its figure has Vapnik, "
    "Smola, Schölkopf, Shawe-Taylor and Singer in a, Zemel, Rao, Pouget, Bialek and Ruderman with "
    "saliency, orientations, disparity, receptive and stimuli in b, and Sutton, Singh, Kaelbling, "
    "Dietterich, Parr, Thrun and Tesauro with pomdps, bellman, agents, rewards, policies and "
    "planning in c."
)
ANCHORS = ("policy", "reward", "agent")
REACH = 0.45
AUTHOR = pictures.COLOURS[0]


def repeat(quick: bool) -> Result:
    """Draw three parts of the map of papers, authors and words; from one start when quick."""
    (papers, topics), authors = nips.papers(), nips.authors()
    points = nips.joint(Relations([papers, authors]), quick=quick).points
    words, people = list(papers.columns), [nips.surname(name) for name in authors.rows]
    figure, (whole, *axes) = pictures.plates(2, 4.4, rows=2, foot=0.35)
    draw(whole, points["paper"], topics, size=16)
    centre = (points["paper"].min(axis=0) + points["paper"].max(axis=0)) / 2
    pictures.look(whole, centre, 1.03 * np.abs(points["paper"] - centre).max())
    whole.set_title("papers by section")
    middles = insets(points["paper"], topics)
    middles["c"] = points["word"][[words.index(word) for word in ANCHORS]].mean(axis=0)
    lines = []
    for axis, (letter, middle) in zip(axes, middles.items(), strict=True):
        pictures.outline(whole, middle, REACH, letter)
        pictures.look(axis, middle, REACH)
        draw(axis, points["paper"], topics, size=34)
        style = {"fontsize": 8, "path_effects": pictures.halo()}
        pictures.write(axis, points["author"], people, color=AUTHOR, weight="bold", **style)
        pictures.write(axis, points["word"], words, **style)
        axis.set_title(TITLES[letter])
        inside = (np.abs(points["paper"] - middle) < REACH).all(axis=1)
        found = nearest(points["author"], people, middle), nearest(points["word"], words, middle)
        lines.append([TITLES[letter], inside.sum(), *found])
    handles, _ = whole.get_legend_handles_labels()
    figure.legend(handles, list(nips.TOPICS), loc="lower center", ncols=9, handletextpad=0.2)
    size = {
        name: " × ".join(f"{n:,}" for n in table.shape)
        for name, table in (("papers", papers), ("authors", authors))
    }
    title = "Figure 8: papers, authors and words on one map"
    header = ["part", "papers", "nearest authors", "nearest words"]
    setup = SETUP.format(**size, anchors=", ".join(ANCHORS))
    return Result(figure, title, setup, THEIRS, header, lines)


if __name__ == "__main__":
    run(__file__, repeat)
