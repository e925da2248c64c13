from __future__ import annotations

import numpy as np
import pytest

from relmap.maps import Map


def named_map(points, names=None, masses=None, **rest):
    """A map of given points; names and equal masses are made up where they are not given."""
    points = {kind: np.asarray(p, dtype=float) for kind, p in points.items()}
    names = {k: [f"{k} {i}" for i in range(len(p))] for k, p in points.items()} | (names or {})
    masses = {k: np.full(len(p), 1 / max(len(p), 1)) for k, p in points.items()} | (masses or {})
    return Map(points=points, names=names, masses=masses, **rest)


@pytest.fixture
def make():
    return named_map


@pytest.fixture
def survey():
    """13 and 4 points, some close to each other, with unequal masses."""
    rng = np.random.default_rng(3)
    return named_map(
        {"task": rng.normal(size=(13, 2)), "who": rng.normal(size=(4, 2))},
        masses={"task": rng.dirichlet(np.ones(13)), "who": rng.dirichlet(np.ones(4))},
        model="CODE",
        status="converged",
        evidence={"explained_information": 0.384},
        unplaced={"task": ["gardening"]},
    )


@pytest.fixture(scope="session")
def crowd():
    """20,000 points in clumps, of two kinds, with masses over five powers of ten."""
    rng = np.random.default_rng(0)
    middles = 3 * rng.normal(size=(40, 2))
    points = {
        kind: middles[rng.integers(0, 40, count)] + 0.4 * rng.normal(size=(count, 2))
        for kind, count in (("document", 4000), ("word", 16000))
    }
    masses = {k: 1 / (1 + rng.permutation(len(p))) ** 1.2 for k, p in points.items()}
    return named_map(points, masses=masses)
