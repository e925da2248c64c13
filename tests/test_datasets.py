"""The shipped tables are the published ones."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from relmap import datasets

SHARED = Path(os.environ.get("RELMAP_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.mark.parametrize(
    ("load", "name", "total"),
    [
        (datasets.load_author, "author", 83647),
        (datasets.load_hair_eye_color, "haireyecolor", 592),
        (datasets.load_housetasks, "housetasks", 1744),
        (datasets.load_smoke, "smoke", 193),
    ],
)
def test_counts_are_the_published_ones(load, name, total):
    table = load()
    assert table.total == total
    path = SHARED / "data" / "ca_tables" / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"needs {path.name} of the shared data")
    with path.open(newline="") as file:
        published = np.array([line[1:] for line in list(csv.reader(file))[1:]], dtype=float)
    assert np.array_equal(table.counts.toarray(), published)
