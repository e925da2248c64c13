"""Sums in linear time by nonuniform fast Fourier transforms (finufft), in one to three dimensions.

On a box that holds all differences t − s the kernel is a short sum of waves,

    κ(|x|²) ≈ Σ_k κ̂_k e^{ik·x},     so  F(t) ≈ Σ_k κ̂_k e^{ik·t} f_k,    f_k = Σ_s w_s e^{−ik·s}.

The Gaussian falls so fast that a box larger than the points by its reach will do; its waves are
known. Student's kernel does not fall fast: it is smoothly brought to zero outside of a box twice
as large, and its waves are those of the samples. Gradients are waves times ik. All sums are real,
so two of them travel in one complex transform.

The error of all this is a share of the mass of all sources, however far they are: `MARGIN` times
the precision that is asked of finufft and of the waves, which is as fine as the tolerance demands
where sources are a hundred times as thin as if they lay evenly. What it is too much for is done
otherwise:

- directly for *heavy* sources that outweigh all others, because far less mass is then left to err
  about;
- by what is `nearby` for targets outside the bulk, because a wide box needs many waves, and for
  those that see next to nothing, where the sum found is not 1/tolerance times as large as its error
  may be.

The work is cut into pieces that do not depend on the number of threads, and each piece is one
finufft plan on one thread: making a plan takes some 10 µs, so none is kept.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import erfc

from relmap._threads import each
from relmap._types import Floats
from relmap.engines.fields import direct, nearby
from relmap.engines.fields.problem import Field, KernelSums
from relmap.engines.fields.split import FINEST, MARGIN, WAVE, Split

DIMENSIONS = 3
PIECE, PIECES = 50_000, 8  # so many points make a piece of work, up to so many pieces
POINT = {1: 80, 2: 150, 3: 1200}  # nanoseconds of a point in a transform, by dimension
START = 300_000  # of a transform


@cache
def available() -> bool:
    """Tell whether finufft is there."""
    try:
        import finufft  # noqa: F401
    except ImportError:
        return False
    return True


def cost(problem: KernelSums) -> float:
    """Estimate the nanoseconds that `solve` takes on one thread; infinite where it cannot serve."""
    (n, q), m = problem.targets.shape, len(problem.sources)
    if q > DIMENSIONS or problem.tolerance < 2 * MARGIN * FINEST:
        return np.inf
    k = problem.quantities.shape[1]
    forth, back = -(-k // 2), -(-(k + q) // 2)
    least = (forth + back) * START + (forth * m + back * n) * POINT[q]
    if least >= direct.cost(problem) or not available():
        return np.inf
    split = Split.of(problem)
    return least + (forth + back) * split.modes * WAVE[q] if split.serves else np.inf


def _spectrum(split: Split) -> Any:
    """Return κ̂, an array over all waves."""
    q = len(split.period)
    along = [np.arange(-k, k + 1) for k in split.waves]
    if split.problem.kernel.exponential:
        factors = [
            np.sqrt(np.pi) / p * np.exp(-((np.pi * k / p) ** 2))
            for k, p in zip(along, split.period, strict=True)
        ]
    else:
        # samples of the kernel times windows that go from 1 to 0 around reach + margin
        squares: Any = 0.0
        window: Any = 1.0
        width = 2 * np.sqrt(split.digits) / split.highest
        for axis, (k, p, r) in enumerate(zip(along, split.period, split.reach, strict=True)):
            shape = [-1 if i == axis else 1 for i in range(q)]
            x = (np.fft.ifftshift(k) * p / len(k)).reshape(shape)
            squares = squares + x**2
            window = window * erfc((np.abs(x) - r - split.margin) / width) / 2
        samples = split.problem.kernel.values(-squares) * window
        return np.fft.fftshift(np.fft.fftn(samples).real) / samples.size
    spectrum = factors[0]
    for factor in factors[1:]:
        spectrum = spectrum[..., None] * factor
    return spectrum


def solve(problem: KernelSums) -> Field:
    """Return the field at all targets."""
    split = Split.of(problem)
    n, q = problem.targets.shape
    field = Field(
        np.full(n, -np.inf), np.zeros((n, q)), np.zeros((n, problem.quantities.shape[1] - 1))
    )
    poor = np.ones(n, dtype=bool)
    if split.serves:
        even = by_waves(split)
        if len(split.heavy):
            even = even.plus(direct.solve(problem.part(split.near, split.heavy)))
        field.put(split.near, even)
        enough = split.log_error - np.log(problem.tolerance)
        poor[split.near] = ~(even.log_total > enough)
    again = np.flatnonzero(poor)
    if len(again):
        field.put(again, nearby.solve(problem.part(again)))
    return field


def by_waves(split: Split) -> Field:
    """Return the field of the even sources at the near targets."""
    problem = split.problem
    offsets = problem.offsets[split.even]
    shift = offsets.max()
    strengths = np.exp(offsets - shift)
    if problem.weights is not None:
        strengths = np.vstack([strengths, strengths * problem.weights[split.even].T])
    strengths = np.atleast_2d(strengths)
    spectrum, angles = _spectrum(split), 2 * np.pi / split.period
    centre = split.sources.min(axis=1)
    sources, targets = (_angles(p, centre, angles) for p in (split.sources, split.targets))
    waves = [spectrum * f for f in _forth(sources, strengths, spectrum.shape, split.precision)]
    k, q = len(strengths), len(angles)
    for axis in range(q):
        frequency = np.arange(-split.waves[axis], split.waves[axis] + 1) * angles[axis]
        shape = [-1 if i == axis else 1 for i in range(q)]
        waves.append(1j * frequency.reshape(shape) * waves[0])
    sums = _back(targets, waves, split.precision)
    if problem.own is not None:
        own = problem.own_among(split.near, split.even)
        some = np.flatnonzero(own >= 0)
        sums[:k, some] -= strengths[:, own[some]]  # κ(0) = 1
    sound = sums[0] > 0
    total = np.where(sound, sums[0], 1)
    log_total = np.where(sound, np.log(total) + shift, -np.inf)
    return Field(log_total, (sums[k:] / total).T, (sums[1:k] / total).T)


def _angles(points: Floats, centre: Floats, angles: Floats) -> Floats:
    """Turn coordinates into angles; finufft takes them modulo 2π."""
    return np.ascontiguousarray((points - centre[:, None]) * angles[:, None])


def _pieces(count: int, modes: float) -> list[slice]:
    """Cut so many points into pieces: each costs a transform of all waves."""
    number = int(min(PIECES, 1 + count // max(PIECE, modes)))
    edges = np.linspace(0, count, number + 1).astype(int)
    return [slice(a, b) for a, b in pairwise(edges)]


def _forth(
    points: Floats, strengths: Floats, modes: tuple[int, ...], precision: float
) -> list[Any]:
    """Return Σ_s w_s e^{−ik·s} for every row of strengths: two rows per transform."""
    import finufft

    pieces = _pieces(points.shape[1], float(np.prod(modes)))
    pairs = [strengths[i : i + 2] for i in range(0, len(strengths), 2)]
    found: dict[tuple[int, int], Any] = {}

    def transform(job: tuple[int, int]) -> None:
        piece, pair = pieces[job[0]], pairs[job[1]]
        packed = pair[0, piece] + (1j * pair[1, piece] if len(pair) > 1 else 0j)
        plan = finufft.Plan(1, modes, 1, precision, isign=-1, nthreads=1)
        plan.setpts(*points[:, piece])
        found[job] = plan.execute(packed)

    jobs = [(i, j) for i in range(len(pieces)) for j in range(len(pairs))]
    each(transform, jobs)
    waves = []
    for j, pair in enumerate(pairs):
        packed = sum((found[i, j] for i in range(1, len(pieces))), found[0, j])
        if len(pair) == 1:
            waves.append(packed)
        else:
            mirrored = np.flip(packed).conj()
            waves += [(packed + mirrored) / 2, (packed - mirrored) / 2j]
    return waves


def _back(points: Floats, waves: list[Any], precision: float) -> Floats:
    """Return the real sums Σ_k f_k e^{ik·t}, a row for each f: two of them per transform."""
    import finufft

    sums = np.empty((len(waves), points.shape[1]))

    def transform(job: tuple[slice, int]) -> None:
        piece, i = job
        packed = waves[i] + 1j * waves[i + 1] if i + 1 < len(waves) else waves[i]
        plan = finufft.Plan(2, packed.shape, 1, precision, isign=1, nthreads=1)
        plan.setpts(*points[:, piece])
        values = plan.execute(packed)
        sums[i, piece] = values.real
        if i + 1 < len(waves):
            sums[i + 1, piece] = values.imag

    pieces = _pieces(points.shape[1], waves[0].size)
    each(transform, [(piece, i) for piece in pieces for i in range(0, len(waves), 2)])
    return sums
