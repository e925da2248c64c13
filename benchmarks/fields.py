"""How fast kernel sums are, beside what they cannot do without.

Direct sums beside the exponentials alone; sums in linear time beside the bare calls of finufft with
the same waves, and how their time grows with the number of points.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from relmap import _threads
from relmap.engines.fields import KERNELS, METHODS, KernelSums, check
from relmap.engines.fields.split import Split


def seconds(work: Callable[[], Any], repeats: int = 5) -> float:
    """Return the shortest of some runs, after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def exponentials(count: int, dtype: Any) -> Callable[[], None]:
    """Take that many exponentials, in place, in blocks that stay in cache, on all threads."""
    block = (-np.random.default_rng(0).random(1 << 17) * 10).astype(dtype)

    def work(_: int) -> None:
        np.exp(block, out=np.empty_like(block))

    return lambda: _threads.each(work, range(count // len(block)))


def direct() -> None:
    """Print a line per problem."""
    rng = np.random.default_rng(0)
    print("direct, Gaussian")
    print(f"{'n':>7} {'m':>7} {'q':>3} {'precision':>10} {'pairs/s':>9} {'× exp':>6} {'error':>8}")
    for n, m, q in ((20_000, 20_000, 2), (18_774, 2_000, 2), (20_000, 20_000, 10)):
        targets, sources = rng.standard_normal((n, q)), rng.standard_normal((m, q))
        for tolerance, dtype in ((1e-12, np.float64), (1e-3, np.float32)):
            problem = KernelSums(targets, sources, tolerance=tolerance)
            took = seconds(lambda problem=problem: METHODS["direct"](problem), 3)
            alone = seconds(exponentials(n * m, dtype))
            error = check(problem, METHODS["direct"](problem)).total
            print(
                f"{n:7} {m:7} {q:3} {np.dtype(dtype).name:>10} {n * m / took:9.2e} "
                f"{took / alone:6.2f} {error:8.1e}"
            )


def scattered(n: int, extent: float, shape: str) -> KernelSums:
    """Return as many targets as sources, evenly in a square or in a round heap."""
    rng = np.random.default_rng(0)
    if shape == "even":
        points = rng.uniform(0, extent, (2, n, 2))
    else:
        points = rng.normal(0, extent / 4, (2, n, 2))
    return KernelSums(*points, np.log(rng.random(n)), tolerance=1e-6)


def bare(problem: KernelSums, precision: float) -> float:
    """Return the seconds of one transform to waves and one back, the better of 1 and 2 threads."""
    import finufft

    split = Split.of(problem)
    modes = tuple(int(2 * k + 1) for k in split.waves)
    angles = 2 * np.pi / split.period[:, None]
    sources, targets = (np.ascontiguousarray(p * angles) for p in (split.sources, split.targets))
    strengths = np.exp(problem.offsets[split.even]) + 0j

    def both(threads: int) -> None:
        waves = finufft.nufft2d1(*sources, strengths, modes, eps=precision, nthreads=threads)
        finufft.nufft2d2(*targets, waves, eps=precision, nthreads=threads)

    return min(seconds(lambda t=t: both(t)) for t in (1, 2))


def linear() -> None:
    """Print a line per number of points."""
    print("in linear time: value and gradient at n targets of n sources, 2-D, relative error 1e-6")
    print(
        f"{'n':>9} {'extent':>7} {'shape':>6} {'seconds':>8} {'µs/point':>9} "
        f"{'× bare 1e-6':>12} {'× bare 1e-13':>13} {'error':>8}"
    )
    for n, extent in ((10_000, 20), (70_000, 50), (100_000, 63), (1_000_000, 200)):
        for shape in ("even", "heap"):
            problem = scattered(n, extent, shape)
            took = seconds(lambda problem=problem: METHODS["nufft"](problem))
            error = check(problem, METHODS["nufft"](problem)).total
            ratios = [took / bare(problem, precision) for precision in (1e-6, 1e-13)]
            print(
                f"{n:9} {extent:7} {shape:>6} {took:8.4f} {1e6 * took / n:9.3f} "
                f"{ratios[0]:12.2f} {ratios[1]:13.2f} {error:8.1e}"
            )


def crossover() -> None:
    """Print both methods at the sizes where the better one changes."""
    rng = np.random.default_rng(0)
    print("seconds of both methods, n targets and sources N(0, 1.5²)")
    print(f"{'kernel':>16} {'q':>3} {'n':>7} {'direct':>8} {'nufft':>8}")
    for name, kernel in KERNELS.items():
        for q, sizes in ((1, (1_000, 4_000)), (2, (2_000, 8_000)), (3, (5_000, 20_000))):
            for n in sizes:
                points = rng.normal(0, 1.5, (2, n, q))
                problem = KernelSums(*points, kernel=kernel, tolerance=1e-9)
                times = [seconds(lambda m=m, p=problem: METHODS[m](p), 2) for m in METHODS]
                print(f"{name:>16} {q:3} {n:7} {times[0]:8.4f} {times[1]:8.4f}")


if __name__ == "__main__":
    print(f"{_threads.available()} threads")
    direct()
    linear()
    crossover()
