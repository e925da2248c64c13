"""How long counting 10⁷ events of a CSV takes, and how much memory."""

import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from relmap import read_table

EVENTS, USERS, ITEMS = 10_000_000, 100_000, 20_000


def write(path):
    """Write a CSV of random events, in pieces."""
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write("user,item,times\n")
        for _ in range(20):
            users = rng.integers(0, USERS, EVENTS // 20)
            items = rng.integers(0, ITEMS, EVENTS // 20)
            times = rng.integers(1, 6, EVENTS // 20)
            events = zip(users, items, times, strict=True)
            file.writelines(f"user{u},item{i},{t}\n" for u, i, t in events)


def main():
    """Print seconds and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        write(path)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        start = time.perf_counter()
        table = read_table(path, rows="user", columns="item", weight="times")
        took = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(table)
        print(f"{path.stat().st_size / 1e6:.0f} MB: {took:.1f} s, peak {peak:.2f} GiB")
        print(f"(before reading: {before:.2f} GiB)")


if __name__ == "__main__":
    main()
