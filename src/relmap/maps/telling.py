"""What the evidence of a map says in a few words, for pictures and for the command."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeGuard

from relmap._names import listed

if TYPE_CHECKING:
    from relmap.maps.map import Map


def highlights(of: Map) -> list[str]:
    """Return how much of the data the map shows, as far as its model tells."""
    told = of.evidence
    facts = []
    share = told.get("explained_information")
    if _number(share):
        facts.append(f"{_percent(share)} of the information explained")
    elif "explained_information" in told:
        facts.append("all in one place: rows and columns do not depend on each other")
    shares = told.get("inertia_shares")
    if shares and any(shares):
        facts.append(f"axes show {listed(_percent(share) for share in shares)} of the inertia")
    near, lost = told.get("near_pairs"), told.get("lost_pairs")
    if near and _number(lost):
        facts.append(f"{near - lost:,} of {near:,} near pairs kept")
    loss = told.get("loss")
    if _number(loss):
        facts.append(f"mean squared mismatch {loss:.3g}")
    return facts


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _percent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"
