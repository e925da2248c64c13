"""The numbers of neighbours tried in section 4.4."""

from __future__ import annotations


def choices(m: int, n: int) -> dict[str, tuple[int, int]]:
    """Return name → (rows near a column, columns near a row), of m rows and n columns."""
    shares = {f"{p} %": (m * p // 100, n * p // 100) for p in (10, 50)}
    few = {str(k): (k, k) for k in (5, 10, 15)}
    return few | shares | {"all but 10": (m - 10, n - 10), "all": (m, n)}


ALL = ("5", "10", "15", "10 %", "50 %", "all but 10", "all")
SHOWN = ("10", "10 %", "50 %", "all but 10", "all")
