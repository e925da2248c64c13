"""The problem: sums of kernels over points, F_k(t) = Σ_s w_sk e^{ℓ_s} κ(|t − s|²)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from relmap._types import Floats, Integers

FARTHEST = 1e9
Block = np.ndarray[tuple[int, int], np.dtype[np.floating]]


@dataclass(frozen=True)
class Kernel:
    """A function κ of the squared distance.

    `values` turns a block of −d² into κ in place; `slopes` turns κ into κ′ = dκ/d(d²).
    Where κ = e^{−d²} the masses e^ℓ join the exponent (`exponential`), so that neither overflows.
    """

    name: str
    values: Callable[[Block], Block]
    slopes: Callable[[Block], Block]
    exponential: bool = False


def _student(minus_squares: Block) -> Block:
    np.subtract(1.0, minus_squares, out=minus_squares)
    return np.reciprocal(minus_squares, out=minus_squares)


def _student_squared(minus_squares: Block) -> Block:
    return np.square(_student(minus_squares), out=minus_squares)


GAUSSIAN = Kernel("gaussian", lambda x: np.exp(x, out=x), np.negative, exponential=True)
STUDENT = Kernel("student", _student, lambda k: -(k**2))
STUDENT_SQUARED = Kernel("student squared", _student_squared, lambda k: -2 * k * np.sqrt(k))
KERNELS = {kernel.name: kernel for kernel in (GAUSSIAN, STUDENT, STUDENT_SQUARED)}


@dataclass(frozen=True, eq=False)
class KernelSums:
    """Sums of a kernel over `sources`, wanted at `targets`.

    Parameters
    ----------
    targets, sources : arrays, n × q and m × q
    log_masses : array, m
        ℓ: the logarithm of how much each source counts; 0 if not given.
    weights : array, m × k
        w: the quantities to be summed; if not given, only the total Σ_s e^{ℓ_s} κ is.
    own : array, n
        The source that each target does not count, because it is the same thing; −1 for none.
    tolerance : float
        Relative error allowed in every total.
    """

    targets: Floats
    sources: Floats
    log_masses: Floats | None = None
    weights: Floats | None = None
    kernel: Kernel = field(default=GAUSSIAN)
    own: Integers | None = None
    tolerance: float = 1e-12

    @property
    def offsets(self) -> Floats:
        """ℓ, written out."""
        return np.zeros(len(self.sources)) if self.log_masses is None else self.log_masses

    @property
    def quantities(self) -> Floats:
        """[1, w], m × (1 + k): the total comes first."""
        ones = np.ones((len(self.sources), 1))
        return ones if self.weights is None else np.concatenate([ones, self.weights], axis=1)

    @property
    def tame(self) -> bool:
        """Whether points and masses are numbers, and no point is so far out that sorting fails."""
        extremes = [f(p) for p in (self.targets, self.sources) for f in (np.min, np.max)]
        heaviest = self.offsets.max(initial=-np.inf)  # NaN if one is
        return bool(np.abs(extremes).max() <= FARTHEST and heaviest < np.inf)

    def own_among(self, targets: Integers | slice, sources: Integers) -> Integers:
        """Return `own` of some targets, counted among some sources."""
        if self.own is None:
            return np.full(len(self.targets[targets]), -1)
        places = np.full(len(self.sources) + 1, -1)  # the last for those who have none
        places[sources] = np.arange(len(sources))
        return places[self.own[targets]]

    def part(
        self, targets: Integers | slice = slice(None), sources: Integers | None = None
    ) -> KernelSums:
        """Return the problem of some targets and some sources (all if not given)."""
        own = None if self.own is None else self.own[targets]
        some = replace(self, targets=self.targets[targets], own=own)
        if sources is None:
            return some
        return replace(
            some,
            sources=self.sources[sources],
            log_masses=None if self.log_masses is None else self.log_masses[sources],
            weights=None if self.weights is None else self.weights[sources],
            own=None if own is None else self.own_among(targets, sources),
        )


@dataclass(frozen=True, eq=False)
class Field:
    """The sums at every target, relative to their total so that nothing under- or overflows.

    Attributes
    ----------
    log_total : array, n
        log Σ_s e^{ℓ_s} κ.
    slope : array, n × q
        The gradient of `log_total` in the target.
    means : array, n × k
        F_k divided by the total: the mean of w_k as the target sees it.
    """

    log_total: Floats
    slope: Floats
    means: Floats

    def put(self, places: Integers, other: Field) -> None:
        """Put other values in some places."""
        self.log_total[places], self.slope[places] = other.log_total, other.slope
        self.means[places] = other.means

    def plus(self, other: Field) -> Field:
        """Return the field of the sources of both."""
        log_total = np.logaddexp(self.log_total, other.log_total)
        with np.errstate(invalid="ignore"):
            share = np.nan_to_num(np.exp(self.log_total - log_total))[:, None]
        return Field(
            log_total,
            share * self.slope + (1 - share) * other.slope,
            share * self.means + (1 - share) * other.means,
        )
