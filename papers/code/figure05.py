"""Figure 5: papers of NIPS, mapped with their words by CODE and coloured by section."""

from __future__ import annotations

from typing import Any

import numpy as np
from papers.code import nips
from papers.common import pictures
from papers.common.report import Result, run
from scipy.spatial import cKDTree

SETUP = (
    "{size} papers × words of volumes 0 to 12, the most frequent words after the first 100, mapped "
    "by CODE with every paper weighing the same. Signs are papers of volumes 7 to 12, coloured by "
    "section; other papers and words are not drawn. The squares are what [figure 6](figure06.md) "
    "shows. In the table, *own* is how many of the ten nearest papers are of the same section, "
    "beside what chance would give, and *nearest* the sections whose medians are nearest."
)
THEIRS = (
    "documents of similar topics are mapped next to each other: AA near LT, NS near VB. It has "
    "2,483 documents and 2,000 words and shows documents of volumes 15 to 17."
)
MARKS = "osD^vPX<>"
REACH = 0.55  # half the side of an inset


def repeat(quick: bool) -> Result:
    """Draw the map of all papers; from one start when quick."""
    table, topics = nips.papers()
    rows, _ = nips.placed(table, quick=quick)
    figure, (axis,) = pictures.plates(1, 6.8, foot=0.75)
    draw(axis, rows, topics, size=26)
    centre = (rows.min(axis=0) + rows.max(axis=0)) / 2
    pictures.look(axis, centre, 1.03 * np.abs(rows - centre).max())
    for letter, middle in insets(rows, topics).items():
        pictures.outline(axis, middle, REACH, letter)
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, handletextpad=0.2)
    setup = SETUP.format(size=" × ".join(f"{n:,}" for n in table.shape))
    title = "Figure 5: papers of NIPS by section"
    header = ["section", "papers", "own", "chance", "nearest"]
    return Result(figure, title, setup, THEIRS, header, lines(rows, topics))


def draw(axis: Any, rows: np.ndarray, topics: list[str | None], size: float) -> None:
    """Draw the papers that have a topic, each topic in its colour and with its sign."""
    for number, (topic, (title, _)) in enumerate(nips.TOPICS.items()):
        own = rows[[t == topic for t in topics]]
        axis.scatter(
            *own.T,
            s=size,
            marker=MARKS[number],
            color=(*pictures.COLOURS, "0.6")[number],
            alpha=0.75,
            linewidths=0,
            label=f"{topic} {title}",
        )


def medians(rows: np.ndarray, topics: list[str | None]) -> dict[str, np.ndarray]:
    """Return the median place of each topic's papers."""
    return {t: np.median(rows[[t == own for own in topics]], axis=0) for t in nips.TOPICS}


def insets(rows: np.ndarray, topics: list[str | None]) -> dict[str, np.ndarray]:
    """Return the middles of three parts: between AA and LT, between NS and VB, and of CN."""
    at = medians(rows, topics)
    return {"a": (at["AA"] + at["LT"]) / 2, "b": (at["NS"] + at["VB"]) / 2, "c": at["CN"]}


def surroundings(rows: np.ndarray, topics: list[str | None]) -> tuple[np.ndarray, np.ndarray]:
    """Return the topic of every paper that has one, and how many of the ten nearest share it."""
    known = [i for i, topic in enumerate(topics) if topic]
    labels = np.array([topics[i] for i in known])
    near = cKDTree(rows[known]).query(rows[known], 11)[1][:, 1:]
    return labels, (labels[near] == labels[:, None]).mean(axis=1)


def lines(rows: np.ndarray, topics: list[str | None]) -> list[list[Any]]:
    """Return how pure the surroundings of each topic are, and which topic lies nearest."""
    labels, own = surroundings(rows, topics)
    at = medians(rows, topics)
    result = []
    for topic, (title, _) in nips.TOPICS.items():
        here = labels == topic
        apart = {t: np.linalg.norm(at[t] - at[topic]) for t in nips.TOPICS if t != topic}
        nearest = ", ".join(sorted(apart, key=apart.get)[:3])
        result.append([f"{topic}: {title}", here.sum(), percent(own[here]), percent(here), nearest])
    chance = [np.mean(labels == label) for label in labels]
    return [*result, ["all", len(labels), percent(own), percent(chance), ""]]


def percent(shares: Any) -> str:
    return f"{100 * np.mean(shares):.0f} %"


if __name__ == "__main__":
    run(__file__, repeat)
