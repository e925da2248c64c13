"""The one place that chooses how a field is computed."""

from __future__ import annotations

from collections.abc import Callable

from relmap.engines.fields import direct, nearby, nufft
from relmap.engines.fields.problem import Field, KernelSums

METHODS: dict[str, Callable[[KernelSums], Field]] = {
    "direct": direct.solve,
    "nufft": nufft.solve,
    "nearby": nearby.solve,
}
COSTS: dict[str, Callable[[KernelSums], float]] = {
    "direct": direct.cost,
    "nufft": nufft.cost,
    "nearby": nearby.cost,
}

SURE = 1e6  # nanoseconds: what direct sums do in less is left to them


def choose(problem: KernelSums) -> str:
    """Return the name of the fastest method that keeps the problem's promise.

    A step of a descent may go anywhere; only direct sums can take that.
    """
    if direct.cost(problem) <= SURE or not problem.tame:
        return "direct"
    return min(COSTS, key=lambda name: COSTS[name](problem))


def solve(problem: KernelSums) -> Field:
    """Return the field, by the method that suits the problem."""
    return METHODS[choose(problem)](problem)
