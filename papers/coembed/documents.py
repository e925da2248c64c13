"""The document collections of section 4.2 as tables of documents × words, with classes.

| collection | the paper | here |
|---|---|---|
| trials4 | 800 trials, 200 of each of 4 diseases, 1,780 words | all that study one: 513 |
| trials9 | 1,800 trials, 200 of each of 9 diseases, 2,300 words | all that study one: 1,064 |
| reuters | 976 articles of 10 topics, 2,185 words | articles of one topic, 100 a topic at most |
| newsgroups | 3,000 postings of 20 groups, 2,000 words | 150 a group |
| reviews | 2,000 reviews of 5 kinds, 1,500 words | 400 a kind |

Stop words (scikit-learn's English list) are left out, and of the others the most frequent are kept,
as many as the paper has. Where there are more documents than wanted, they are drawn by chance.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from papers.common.shared import data
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from relmap import Table

FOUR = ("asthma", "breast_cancer", "lung_cancer", "prostate_cancer")
TOPICS = (
    "earn", "acq", "crude", "trade", "money-fx", "interest", "ship", "sugar", "money-supply",
    "coffee",
)  # fmt: skip
LETTERS = r"(?u)\b[a-zA-Z]{3,}\b"


class Collection(NamedTuple):
    """Documents × words, and the class of every document, 1 and up, in the order of `names`."""

    table: Table
    labels: np.ndarray
    names: tuple[str, ...]


def trials(each: int | None = None, words: int = 2300, wanted: Iterable[str] = ()) -> Collection:
    """Return eligibility criteria of trials of a single disease, out of nine or of those given."""
    records = read(data("clinical_trials") / "trials.jsonl.gz")
    single = [(r["criteria"], r["classes"][0]) for r in records if len(r["classes"]) == 1]
    wanted = tuple(wanted) or tuple(sorted({label for _, label in single}))
    return collect(draw([one for one in single if one[1] in wanted], each), words)


def four_trials(each: int | None = None, words: int = 1780) -> Collection:
    """Return the trials of asthma and of three cancers."""
    return trials(each, words, FOUR)


def reuters(each: int = 100) -> Collection:
    """Return articles with one topic, out of ten."""
    records = read(data("reuters21578") / "articles.jsonl.gz")
    single = (
        (f"{r['title']}\n{r['body']}", r["topics"][0])
        for r in records
        if len(r["topics"]) == 1 and r["topics"][0] in TOPICS and r["body"]
    )
    return collect(draw(single, each), 2185)


def reviews(each: int = 400) -> Collection:
    """Return reviews of films, books, discs, electronics and kitchen things."""
    records = read(data("reviews_multidomain") / "reviews.jsonl.gz")
    texts = ((f"{r['title']}\n{r['text']}", r["domain"]) for r in records)
    return collect(draw(texts, each), 1500)


def newsgroups(each: int = 150, words: int = 2000) -> Collection:
    """Return postings; words by how many postings have them, without the 100 most frequent ones."""
    folder = data("newsgroups20_bydate")
    with (folder / "docs.csv").open() as file:
        records = [(int(r["doc"]), r["newsgroup"]) for r in csv.DictReader(file)]
    chosen = draw(records, each)
    counts = sparse.csr_array(sparse.load_npz(folder / "counts.npz"))[[doc for doc, _ in chosen]]
    names = (folder / "vocab.txt").read_text().split("\n")
    order = np.argsort(-np.bincount(counts.indices, minlength=counts.shape[1]), kind="stable")[100:]
    kept = [i for i in order if names[i].isalpha() and names[i] not in ENGLISH_STOP_WORDS][:words]
    table = Table(
        counts[:, kept].astype(float),
        rows=[f"document {doc}" for doc, _ in chosen],
        columns=[names[i] for i in kept],
        row_kind="document",
        column_kind="word",
    )
    return Collection(table, *numbered(label for _, label in chosen))


COLLECTIONS = {
    "trials (9 classes)": trials,
    "Reuters": reuters,
    "newsgroups": newsgroups,
    "reviews": reviews,
}


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a packed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def draw(pairs: Iterable[tuple[Any, str]], each: int | None) -> list[tuple[Any, str]]:
    """Draw so many of every class, or all it has, and keep the order."""
    pairs = list(pairs)
    rng = np.random.default_rng(0)
    labels = np.array([label for _, label in pairs])
    chosen = [
        rng.permutation(np.flatnonzero(labels == label))[:each] for label in np.unique(labels)
    ]
    return [pairs[i] for i in np.sort(np.concatenate(chosen))]


def collect(pairs: list[tuple[str, str]], words: int) -> Collection:
    """Count the words of texts."""
    table = Table.from_documents(
        [text for text, _ in pairs],
        stop_words="english",
        max_features=words,
        min_df=3,
        token_pattern=LETTERS,
    )
    return Collection(table, *numbered(label for _, label in pairs))


def numbered(labels: Iterable[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return a number for every label, and the labels in the order of these numbers."""
    names, numbers = np.unique(list(labels), return_inverse=True)
    return numbers + 1, tuple(map(str, names))
