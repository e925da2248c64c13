"""Figure 7: authors of NIPS and their words."""

from __future__ import annotations

import numpy as np
from papers.code import nips
from papers.common import pictures
from papers.common.report import Result, run

SETUP = (
    "{size} authors × words: the words of all papers of an author, the {authors} authors with the "
    "most words, all weighing the same. Above on the left authors are crosses and words dots; the "
    "squares are the other panels, with authors in red and words in blue, the most frequent first; "
    "names without room are left out. The middles of the squares are those of the words {anchors}. "
    "The table has what is nearest to each middle."
)
THEIRS = (
    "authors are mapped next to terms that belong to their work, and authors of similar topics to "
    "nearby points; the parts shown are learning theory, control and reinforcement learning, and "
    "neuroscience. Its authors are those of volumes 0 to 17."
)
PARTS = {
    "b": ("learning theory", ("bounds", "theorem", "vapnik")),
    "c": ("control, reinforcement", ("policy", "reward", "agent")),
    "d": ("neuroscience", ("spike", "synaptic", "cortex")),
}
REACH = 0.5
AUTHOR, WORD = pictures.COLOURS[3], pictures.COLOURS[0]


def repeat(quick: bool) -> Result:
    """Draw the map of authors and three parts of it; from one start when quick."""
    table = nips.authors()
    rows, columns = nips.placed(table, quick=quick)
    words = list(table.columns)
    people = [nips.surname(name) for name in table.rows]
    figure, axes = pictures.plates(2, 4.4, rows=2, foot=0.1)
    whole = axes[0]
    whole.scatter(*columns.T, s=5, color=WORD, alpha=0.5, linewidths=0)
    whole.scatter(*rows.T, s=26, color=AUTHOR, marker="x", linewidths=0.9)
    both = np.concatenate([rows, columns])
    centre = (both.min(axis=0) + both.max(axis=0)) / 2
    pictures.look(whole, centre, 1.03 * np.abs(both - centre).max())
    whole.set_title("a · authors (×) and words (·)")
    lines = []
    for axis, (letter, (title, anchors)) in zip(axes[1:], PARTS.items(), strict=True):
        own = [words.index(word) for word in anchors]
        middle = columns[own].mean(axis=0)
        pictures.outline(whole, middle, REACH, letter)
        pictures.look(axis, middle, REACH)
        style = {"fontsize": 8, "path_effects": pictures.halo()}
        pictures.write(axis, columns[own], anchors, color=WORD, **style)
        pictures.write(axis, rows, people, color=AUTHOR, weight="bold", **style)
        pictures.write(axis, columns, words, color=WORD, **style)
        axis.set_title(f"{letter} · {title}")
        lines.append([title, nearest(rows, people, middle), nearest(columns, words, middle)])
    setup = SETUP.format(
        size=" × ".join(f"{n:,}" for n in table.shape),
        authors=len(table.rows),
        anchors="; ".join(", ".join(anchors) for _, anchors in PARTS.values()),
    )
    title = "Figure 7: authors and words of NIPS"
    return Result(figure, title, setup, THEIRS, ["part", "authors", "words"], lines)


def nearest(points: np.ndarray, names: list[str], middle: np.ndarray) -> str:
    order = np.argsort(((points - middle) ** 2).sum(axis=1), kind="stable")
    return ", ".join(names[i] for i in order[:10])


if __name__ == "__main__":
    run(__file__, repeat)
