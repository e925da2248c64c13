"""How fast direct kernel sums are, beside the exponentials alone that they need."""

import time

import numpy as np

from relmap import _threads
from relmap.engines.fields import KernelSums, check, solve


def seconds(work, repeats=3):
    """Return the shortest of some runs, after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def exponentials(count, dtype):
    """Take that many exponentials, in place, in blocks that stay in cache, on all threads."""
    block = (-np.random.default_rng(0).random(1 << 18) * 10).astype(dtype)

    def work(_):
        np.exp(block, out=np.empty_like(block))

    return lambda: _threads.each(work, range(count // len(block)))


def main():
    """Print a line per problem."""
    rng = np.random.default_rng(0)
    print(f"{_threads.available()} threads")
    print(f"{'n':>7} {'m':>7} {'q':>3} {'precision':>10} {'pairs/s':>9} {'× exp':>6} {'error':>8}")
    for n, m, q in ((20_000, 20_000, 2), (18_774, 2_000, 2), (20_000, 20_000, 10)):
        targets, sources = rng.standard_normal((n, q)), rng.standard_normal((m, q))
        for tolerance, dtype in ((1e-12, np.float64), (1e-3, np.float32)):
            problem = KernelSums(targets, sources, tolerance=tolerance)
            took = seconds(lambda problem=problem: solve(problem))
            alone = seconds(exponentials(n * m, dtype))
            error = check(problem, solve(problem)).total
            print(
                f"{n:7} {m:7} {q:3} {np.dtype(dtype).name:>10} {n * m / took:9.2e} "
                f"{took / alone:6.2f} {error:8.1e}"
            )


if __name__ == "__main__":
    main()
