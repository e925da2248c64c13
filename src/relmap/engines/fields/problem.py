"""The problem: sums of kernels over points, F_k(t) = Σ_s w_sk e^{ℓ_s} κ(|t − s|²)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from relmap._types import Floats

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


GAUSSIAN = Kernel("gaussian", lambda x: np.exp(x, out=x), np.negative, exponential=True)
STUDENT = Kernel("student", _student, lambda k: -(k**2))
KERNELS = {kernel.name: kernel for kernel in (GAUSSIAN, STUDENT)}


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
    skip_self : bool
        Targets are the sources and a point does not count itself.
    tolerance : float
        Relative error allowed in every total.
    """

    targets: Floats
    sources: Floats
    log_masses: Floats | None = None
    weights: Floats | None = None
    kernel: Kernel = field(default=GAUSSIAN)
    skip_self: bool = False
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
