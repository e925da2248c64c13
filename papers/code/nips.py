"""Papers of NIPS 0 to 12, their words, sections and authors: the data of section 7.

The paper has volumes up to 17, and topics of the last three of them. The words of those after 12
are not to be had, so sections of volumes 7 to 12 stand for topics: earlier volumes divide their
papers otherwise.
"""

from __future__ import annotations

import csv

import numpy as np
from papers.code.methods import STARTS, TOLERANCE, code
from papers.common.shared import data
from scipy import sparse

from relmap import CODE, Map, Relations, Table

TOPICS = {  # code: what it stands for, sections of volumes 7 to 12
    "AA": ("algorithms and architectures", ("Algorithms and Architectures",)),
    "LT": ("learning theory", ("Theory", "Learning Theory and Dynamics")),
    "NS": ("neuroscience", ("Neuroscience",)),
    "VB": ("vision", ("Vision", "Visual Processing")),
    "CN": (
        "control, reinforcement",
        ("Control", "Control, Navigation and Planning", "Reinforcement Learning"),
    ),
    "AP": ("applications", ("Applications",)),
    "CS": ("cognitive science", ("Cognitive Science",)),
    "IM": ("implementation", ("Implementation",)),
    "SP": (
        "speech, signals",
        ("Speech and Signal Processing", "Speech, Handwriting and Signal Processing"),
    ),
}
FIRST = 1994
FREQUENT = 100
WORDS = 2000


def papers(words: int = WORDS) -> tuple[Table, list[str | None]]:
    """Return papers × words, and the topic of every paper or None."""
    counts, names = _counts(words)
    with (data("nips0-12") / "docs.csv").open() as file:
        records = list(csv.DictReader(file))
    topics = {section: topic for topic, (_, own) in TOPICS.items() for section in own}
    given = [topics.get(r["section"]) if int(r["year"]) >= FIRST else None for r in records]
    return Table(counts, [r["file"] for r in records], names, "paper", "word"), given


def authors(most: int = 250, words: int = WORDS) -> Table:
    """Return authors × words: the words of all papers of an author; those with the most words."""
    counts, names = _counts(words)
    wrote, people = _wrote()
    own = sparse.csr_array(wrote.T @ counts)
    chosen = np.argsort(-own.sum(axis=1), kind="stable")[:most]
    return Table(own[chosen], [people[i] for i in chosen], names, "author", "word")


def written(table: Table, by: Table) -> Table:
    """Return papers × authors, who wrote what, of the rows of two tables."""
    wrote, people = _wrote()
    chosen = [people.index(name) for name in by.rows]
    return Table(wrote[:, chosen], table.rows, by.rows, "paper", "author")


def placed(table: Table, *, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    """Map a table by CODE, as the paper does."""
    return code(table, 2, starts=1 if quick else STARTS)


def joint(relations: Relations, *, quick: bool) -> Map:
    """Map papers, authors and words by CODE, each table weighing one over its size."""
    starts = 1 if quick else STARTS
    model = CODE(weights="size", weighting="rows", n_init=starts, tol=TOLERANCE, random_state=0)
    return model.fit(relations).map_


def surname(name: str) -> str:
    """Return Vapnik of Vapnik_V."""
    return name.rsplit("_", 1)[0]


def _wrote() -> tuple[sparse.csr_array, list[str]]:
    folder = data("nips0-12")
    wrote = sparse.csr_array(sparse.load_npz(folder / "doc_author.npz")).astype(float)
    return wrote, (folder / "authors.txt").read_text().split("\n")


def _counts(words: int) -> tuple[sparse.csr_array, list[str]]:
    folder = data("nips0-12")
    counts = sparse.csr_array(sparse.load_npz(folder / "doc_word.npz")).astype(float)
    names = (folder / "words.txt").read_text().split("\n")
    order = np.argsort(-counts.sum(axis=0), kind="stable")[FREQUENT : FREQUENT + words]
    return sparse.csr_array(counts[:, order]), [names[i] for i in order]
