"""Matrices with orthonormal columns, as smooth functions of matrices without conditions.

A is the polar factor of B = A H, with H = (BᵀB)^{1/2}: the nearest such matrix. Minimising over B
is minimising over A, without a retraction in the method that does it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relmap._types import Floats


@dataclass(frozen=True, eq=False)
class Polar:
    """The polar factor of a matrix, and how slopes in it become slopes in the matrix."""

    factor: Floats
    stretches: Floats
    directions: Floats

    @classmethod
    def of(cls, free: Floats) -> Polar:
        """Take the factor of a matrix, n × q with n ≥ q and of full rank."""
        left, stretches, right = np.linalg.svd(free, full_matrices=False)
        return cls(left @ right, stretches, right.T)

    def pulled_back(self, slopes: Floats) -> Floats:
        """Return the slopes in B of what has `slopes` in A.

        With G the slopes in A:  (G − A AᵀG) H⁻¹ + 2 A Y,  where Y H + H Y = skew(AᵀG).
        """
        inner = self.factor.T @ slopes
        outside = (slopes - self.factor @ inner) @ self.directions / self.stretches
        turn = self.directions.T @ (inner - inner.T) @ self.directions
        turn /= self.stretches[:, None] + self.stretches
        pulled: Floats = (outside + self.factor @ self.directions @ turn) @ self.directions.T
        return pulled
