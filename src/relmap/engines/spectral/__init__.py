"""Spectral: leading singular vectors of scaled sparse matrices that are never formed."""

from relmap.engines.spectral.choose import METHODS, choose, solve
from relmap.engines.spectral.evidence import SpectralEvidence, check
from relmap.engines.spectral.problem import Axes, ScaledMatrix, signs
from relmap.engines.spectral.products import Products

__all__ = [
    "METHODS",
    "Axes",
    "Products",
    "ScaledMatrix",
    "SpectralEvidence",
    "check",
    "choose",
    "signs",
    "solve",
]
