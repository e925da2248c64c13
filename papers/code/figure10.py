"""Figure 10: postings of three groups with their words, by the variants CM and MM of CODE."""

from __future__ import annotations

import numpy as np
from papers.code import newsgroups
from papers.code.methods import code
from papers.common import pictures
from papers.common.report import Result, run

SETUP = (
    "{groups} ({size}) by the variant that conditions on documents (CM) and by the joint one (MM). "
    "Words are small black dots, behind the documents. Of the {near} words nearest to the middle "
    "of a group, which is the document nearest to its median, the most frequent are written where "
    "they are, {shown} at most, and stand in the table. The frame holds 99 % of the documents. "
    "*Round* is how much the distances of documents from the mean of the groups' medians vary "
    "(standard deviation over mean): 0 on a circle. The measures above are those of "
    "[figure 14](figure14.md)."
)
THEIRS = (
    "both have groups in different regions and words near documents of their subject, but MM tends "
    "to map documents to a circle. Words near medians: med has sick, hospital, study, clinical, "
    "diseases (MM: eat, AIDS, breast); electronics signal, filter, circuits, distance, remote, "
    "logic, frequency, video (audio, noise, distance); crypt legitimate, license, federal, court "
    "(classified, secure, scicrypt)."
)
NEAR, SHOWN = 100, 7
SIGNS = {0: ("s", "#D55E00"), 1: ("o", "#009E73"), 2: ("x", "#0072B2")}


def repeat(quick: bool) -> Result:
    """Draw the two maps; of a small part when quick."""
    posts = newsgroups.load(newsgroups.THREE, each=150 if quick else None)
    words = list(posts.table.columns)
    figure, axes = pictures.plates(2, 5)
    lines = []
    for axis, variant in zip(axes, ("CM", "MM"), strict=True):
        rows, columns = code(posts.table, 2, variant)
        axis.scatter(*columns.T, s=3, color="black", alpha=0.5, linewidths=0)
        centre = np.median(rows, axis=0)
        pictures.look(axis, centre, 1.05 * np.quantile(np.abs(rows - centre).max(axis=1), 0.99))
        found = []
        for group, (mark, colour) in SIGNS.items():
            own = rows[posts.labels == group]
            axis.scatter(*own.T, s=9, alpha=0.35, **paint(mark, colour))
        for group, (_, colour) in SIGNS.items():
            near = beside(rows[posts.labels == group], columns)
            names = [words[i] for i in near]
            style = {"color": dark(colour), "weight": "bold", "path_effects": pictures.halo()}
            written = pictures.write(axis, columns[near], names, SHOWN, **style)
            found.append(", ".join(names[i] for i in written))
        scores = newsgroups.scores(posts, rows, columns)
        axis.set_title(
            f"{variant} · doc–doc {scores.documents:.0f}, doc–word {scores.words:.0f} "
            f"(telling: {scores.telling:.0f})"
        )
        medians = [np.median(rows[posts.labels == group], axis=0) for group in SIGNS]
        away = np.linalg.norm(rows - np.mean(medians, axis=0), axis=1)
        lines.append([variant, f"{away.std() / away.mean():.2f}", *found])
    legend = {posts.groups[g]: sign for g, sign in SIGNS.items()}
    pictures.legend(figure, {"word": (".", "black"), **legend})
    setup = SETUP.format(
        groups=newsgroups.named(posts.groups), size=posts.size, near=NEAR, shown=SHOWN
    )
    title = "Figure 10: documents and words by two variants"
    return Result(figure, title, setup, THEIRS, ["variant", "round", *posts.groups], lines)


def beside(documents: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the words nearest to the middle of some documents, the most frequent first."""
    middle = documents[apart(documents, np.median(documents, axis=0)).argmin()]
    return np.sort(np.argsort(apart(columns, middle), kind="stable")[:NEAR])


def apart(points: np.ndarray, middle: np.ndarray) -> np.ndarray:
    return ((points - middle) ** 2).sum(axis=1)


def paint(mark: str, colour: str) -> dict[str, object]:
    if mark == "x":
        return {"marker": mark, "color": colour, "linewidths": 0.7}
    return {"marker": mark, "facecolors": "none", "edgecolors": colour, "linewidths": 0.7}


def dark(colour: str) -> list[float]:
    """Return a colour that is dark enough for letters."""
    return [0.6 * part for part in pictures.rgb(colour)]


if __name__ == "__main__":
    run(__file__, repeat)
