"""Descent: minimise a smooth function, tell its steps, name its end, prove its gradient."""

from collections.abc import Callable

from relmap._threads import single_blas
from relmap.engines.descent.evidence import DescentEvidence, check, gradient_error
from relmap.engines.descent.orthonormal import Polar
from relmap.engines.descent.problem import Descent, Run, Status, Stop, ValueAndGradient
from relmap.engines.descent.scipy_methods import cg, lbfgs

METHODS: dict[str, Callable[[Descent, Stop], Run]] = {"lbfgs": lbfgs, "cg": cg}


def solve(problem: Descent, stop: Stop, method: str = "lbfgs") -> Run:
    """Minimise, by L-BFGS unless told otherwise."""
    with single_blas():
        return METHODS[method](problem, stop)


__all__ = [
    "METHODS",
    "Descent",
    "DescentEvidence",
    "Polar",
    "Run",
    "Status",
    "Stop",
    "ValueAndGradient",
    "check",
    "gradient_error",
    "solve",
]
