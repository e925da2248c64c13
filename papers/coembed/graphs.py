"""The citation graphs of section 4.3: geodesic distances between two groups of one graph.

Of each graph the largest connected component is taken. 40 % of every class, drawn by chance, are
the rows X, the others the columns Y; D holds the lengths of the shortest paths between them, and
R = e^(−D / mean of D). The ten papers of CiteSeer without a class are in neither group; paths may
lead through them.
"""

from __future__ import annotations

import csv
from typing import NamedTuple

import numpy as np
from papers.common.shared import data
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from relmap import Table

GRAPHS = {"Cora": "cora", "CiteSeer": "citeseer"}


class Graph(NamedTuple):
    """Similarities between the groups, and the classes of rows and of columns, 1 and up."""

    table: Table
    classes: tuple[np.ndarray, np.ndarray]
    names: tuple[str, ...]


def load(name: str, share: float = 1.0) -> Graph:
    """Return a graph; with a smaller share, so much of every group, distances as in the whole."""
    folder = data(GRAPHS[name])
    links = sparse.csr_array(sparse.load_npz(folder / "adjacency.npz"))
    with (folder / "nodes.csv").open() as file:
        labels = np.array([row["class_name"] for row in csv.DictReader(file)])
    _, component = connected_components(links, directed=False)
    kept = np.flatnonzero(component == np.bincount(component).argmax())
    names, classes = np.unique(labels[kept], return_inverse=True)
    first, second = split(np.where(labels[kept] == "", -1, classes), share)
    distances = shortest_path(
        links[kept][:, kept], unweighted=True, directed=False, method="D", indices=first
    )[:, second]
    relation = np.exp(-distances / distances.mean())
    table = Table(relation, row_kind="X", column_kind="Y")
    return Graph(table, (classes[first] + 1, classes[second] + 1), tuple(map(str, names)))


def split(classes: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the members of both groups: 40 % and 60 % of every class, or a share of these."""
    rng = np.random.default_rng(0)
    groups: tuple[list, list] = ([], [])
    for label in np.unique(classes[classes >= 0]):
        members = rng.permutation(np.flatnonzero(classes == label))
        cut = round(0.4 * len(members))
        for group, part in zip(groups, (members[:cut], members[cut:]), strict=True):
            group.append(part[: max(2, round(share * len(part)))])
    return tuple(np.sort(np.concatenate(group)) for group in groups)
