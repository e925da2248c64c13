"""Direct sums: every pair of target and source, in any number of dimensions.

`exact` is the reference: double precision, differences of coordinates, logarithms throughout.
`solve` takes blocks that stay in cache. One matrix product gives −d² + ℓ,

    [2t, −|t|², 1] · [s, 1, ℓ − |s|²],

the kernel is taken in place, and one more product with [w, s] sums it up. Targets that see so
little that the sum nears underflow are done again by `exact`.
"""

from __future__ import annotations

import numpy as np

from relmap._threads import each
from relmap.engines.fields.problem import Block, Field, KernelSums

SOURCES = 512
BLOCK = 512 * SOURCES  # the fastest of those tried: 1 or 2 MiB
ENOUGH = 500_000  # fewer pairs are not worth a second thread
PAIR = 1.4  # nanoseconds on one thread
FADED = {np.float64: -700.0, np.float32: -80.0}  # what is less would be a slow denormal number


def cost(problem: KernelSums) -> float:
    """Estimate the nanoseconds that `solve` takes on one thread."""
    return PAIR * len(problem.targets) * len(problem.sources)


def exact(problem: KernelSums) -> Field:
    """Return the field at all targets, safe against under- and overflow."""
    n, height = len(problem.targets), max(1, BLOCK // len(problem.sources))
    q, k = problem.targets.shape[1], problem.quantities.shape[1] - 1
    field = Field(np.empty(n), np.empty((n, q)), np.empty((n, k)))
    for i in range(0, n, height):
        places = np.arange(i, min(i + height, n))
        field.put(places, _exact(problem.part(places)))
    return field


def _exact(problem: KernelSums) -> Field:
    kernel = problem.kernel
    differences = problem.targets.T[:, :, None] - problem.sources.T[:, None, :]
    minus_squares = -(differences**2).sum(axis=0)
    exponents = np.broadcast_to(problem.offsets, minus_squares.shape).copy()
    if kernel.exponential:
        exponents += minus_squares
    if problem.own is not None:
        some = np.flatnonzero(problem.own >= 0)
        exponents[some, problem.own[some]] = -np.inf
    shift = exponents.max(axis=1, keepdims=True)
    shift[shift == -np.inf] = 0  # nothing to see: a lone point that does not count itself
    masses = np.exp(exponents - shift)
    slopes = -masses
    if not kernel.exponential:
        values = kernel.values(minus_squares)
        masses, slopes = masses * values, masses * kernel.slopes(values)
    total = masses.sum(axis=1)
    with np.errstate(divide="ignore"):
        log_total = np.log(total) + shift[:, 0]
    share = 1 / np.where(total > 0, total, 1)[:, None]
    slope = 2 * np.einsum("nm,qnm->nq", slopes, differences) * share
    return Field(log_total, slope, masses @ problem.quantities[:, 1:] * share)


def solve(problem: KernelSums) -> Field:
    """Return the field at all targets."""
    blocks = _Blocks(problem)
    each(blocks.run, range(0, len(problem.targets), blocks.height))
    total = blocks.sums[:, 0]
    sound = (total > blocks.least) & (total < 1 / blocks.least)
    share = 1 / np.where(sound, total, 1)[:, None]
    log_total = np.log(np.where(sound, total, 1))
    field = Field(log_total, blocks.slopes * share, blocks.sums[:, 1:] * share)
    again = np.flatnonzero(~sound)
    if len(again):
        field.put(again, exact(problem.part(again)))
    return field


def precision(problem: KernelSums) -> type[np.floating]:
    """Return single precision where its rounding of −d² + ℓ keeps the promised error."""
    return _Blocks(problem).dtype


def _height(n: int, m: int) -> int:
    """Targets in a block; it must not depend on how many threads there are."""
    widest = max(1, BLOCK // min(m, SOURCES))
    return max(1, min(widest, n if n * m <= ENOUGH else max(32, -(-n // 8))))


class _Blocks:
    """Work space of one call: the factors of the two matrix products, and what they sum to."""

    def __init__(self, problem: KernelSums) -> None:
        self.problem = problem
        exponential, offsets = problem.kernel.exponential, problem.offsets
        centre = problem.sources.mean(axis=0)
        s = np.ascontiguousarray((problem.sources - centre).T)  # a row per axis
        self.t = t = problem.targets - centre
        squares, reach = (s**2).sum(axis=0), np.einsum("nq,nq->n", t, t)
        farthest = squares.max(initial=0), reach.max(initial=0)
        size = sum(farthest) + np.abs(offsets).max(initial=0) + 1
        single = 4 * np.finfo(np.float32).eps * size <= problem.tolerance
        self.dtype: type[np.floating] = np.float32 if single else np.float64
        # below this total (or above its inverse) something that matters may have been lost
        self.least = 1e-30 if single else 1e-250
        lowest = offsets.min(initial=0) - sum(map(np.sqrt, farthest)) ** 2
        self.fades = exponential and lowest < FADED[self.dtype]
        ones = np.ones((1, s.shape[1]))
        last = (offsets if exponential else 0.0) - squares
        left = np.column_stack([2 * t, -reach, np.ones(len(t))])
        self.left = left.astype(self.dtype, copy=False)
        self.right = np.concatenate([s, ones, last[None]]).astype(self.dtype, copy=False)
        weights = () if problem.weights is None else (problem.weights.T,)
        factors = np.concatenate([s, ones, *weights])
        if not exponential:
            factors *= np.exp(offsets)
        self.factors: Block = np.ascontiguousarray(factors.T, dtype=self.dtype)
        self.height = _height(len(t), s.shape[1])
        self.sums = np.zeros((len(t), len(factors) - len(s)))
        self.slopes = np.zeros_like(t)

    def run(self, start: int) -> None:
        """Sum over all sources for one block of targets; what overflows is seen afterwards."""
        with np.errstate(all="ignore"):
            self._run(start)

    def _run(self, start: int) -> None:
        m, q = self.right.shape[1], self.t.shape[1]
        here = slice(start, min(start + self.height, len(self.t)))
        work = np.empty((here.stop - start, min(SOURCES, m)), dtype=self.dtype)
        sums = np.zeros((len(work), self.factors.shape[1]))
        moments = np.zeros((len(work), q + 1))
        for j in range(0, m, SOURCES):
            there = slice(j, min(j + SOURCES, m))
            values = self._values(here, there, work[:, : there.stop - j])
            sums += values @ self.factors[there]
            if not self.problem.kernel.exponential:
                moments += self.problem.kernel.slopes(values) @ self.factors[there, : q + 1]
        if self.problem.kernel.exponential:  # the slope of e^{−d²} is itself, negative
            moments = -sums[:, : q + 1]
        self.sums[here] = sums[:, q:]
        self.slopes[here] = 2 * (self.t[here] * moments[:, q:] - moments[:, :q])

    def _values(self, here: slice, there: slice, out: Block) -> Block:
        np.matmul(self.left[here], self.right[:, there], out=out)
        if self.fades:
            np.maximum(out, FADED[self.dtype], out=out)
        elif not self.problem.kernel.exponential:
            np.minimum(out, 0, out=out)  # rounding must not make −d² positive
        values = self.problem.kernel.values(out)
        if self.problem.own is not None:
            own = self.problem.own[here]
            some = np.flatnonzero((own >= there.start) & (own < there.stop))
            values[some, own[some] - there.start] = 0
        return values
