"""The eight sets of points in the plane of section 4.1, and the relation made from them.

All points of one class go to one group, as in the paper. It does not say which class goes where,
so the lists below are ours: neighbouring classes are in different groups, so that what is close in
the plane must be found again between the groups.

| set | points | X | Y |
|---|---|---|---|
| dots | our own, see `dots` | six blobs | six blobs, three of them on blobs of X |
| circles | mlbench.circle | the disc | what is around it |
| R15 | R15 of the SIPU collection | odd classes | even classes |
| target | Target of FCPS | disc, two corners across | ring, the two other corners |
| rface | rFace of fpc | chin, nose, left eye | mouth, right eye, tips of the ears |
| 2dnormals | mlbench.2dnormals, six classes | every second one round the circle | the others |
| compound | Compound of the SIPU collection | sparse surroundings, left cloud, ring | the others |
| ring | rings of the clustering benchmark | core and outer ring | the ring between them |

"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from papers.common.shared import data
from scipy.spatial.distance import cdist

from relmap import Table

SETS = {  # name: file, classes of X, classes of Y
    "dots": ("", (), ()),
    "circles": ("mlbench_circle", (1,), (2,)),
    "R15": ("cb_R15", (1, 3, 5, 7, 9, 11, 13, 15), (2, 4, 6, 8, 10, 12, 14)),
    "target": ("fcps_target", (1, 3, 5), (2, 4, 6)),
    "rface": ("fpc_rface400", (1, 2, 4), (3, 5, 6)),
    "2dnormals": ("mlbench_2dnormals6", (1, 3, 5), (2, 4, 6)),
    "compound": ("cb_compound", (1, 3, 5), (2, 4, 6)),
    "ring": ("cb_rings", (0, 2), (1,)),
}


class Plane(NamedTuple):
    """Two groups of points with their classes, and the relation between them."""

    name: str
    points: tuple[np.ndarray, np.ndarray]
    classes: tuple[np.ndarray, np.ndarray]
    table: Table

    @property
    def sizes(self) -> tuple[int, int]:
        """How many are in X and in Y: m and n."""
        return self.table.shape


def load(name: str) -> Plane:
    """Return one of the eight sets."""
    if name == "dots":
        points, classes = dots()
    else:
        file, *groups = SETS[name]
        cells = np.loadtxt(data("synthetic2d") / f"{file}.csv", delimiter=",", skiprows=1)
        members = [np.isin(cells[:, 2], group) for group in groups]
        points = tuple(cells[member, :2] for member in members)
        classes = tuple(cells[member, 2].astype(int) for member in members)
    relation = similarity(*points)
    return Plane(name, points, classes, Table(relation, row_kind="X", column_kind="Y"))


def dots(each: int = 30, spread: float = 0.08) -> tuple[tuple, tuple]:
    """Draw twelve dense blobs on the nine places of a 3 × 3 grid.

    The places on the diagonal have two blobs, one of either group: co-clusters. Of the six other
    places, every second one is of X, the rest of Y. Blobs are normal with standard deviation
    0.08, places are 1 apart, and each blob is a class of its own.
    """
    rng = np.random.default_rng(0)
    places = {"X": [(0, 0), (1, 1), (2, 2), (1, 0), (0, 2), (2, 1)]}
    places["Y"] = [(0, 0), (1, 1), (2, 2), (0, 1), (2, 0), (1, 2)]
    points = tuple(
        np.concatenate([rng.normal(place, spread, (each, 2)) for place in own])
        for own in places.values()
    )
    return points, (np.repeat(np.arange(1, 7), each), np.repeat(np.arange(7, 13), each))


def similarity(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return eq. 44: e^(−|x − y|² over its mean)."""
    squares = cdist(x, y, "sqeuclidean")
    return np.exp(-squares / squares.mean())
