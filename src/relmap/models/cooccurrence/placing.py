"""Placing rows or columns on a CODE map that does not move."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from relmap._types import Floats, sums
from relmap.engines import fields
from relmap.models.cooccurrence.problem import Problem, Term

EXACT, PRECISE = 1e-12, 1e-8  # relative error of sums for few pairs, and for more than so many:
MANY = 20_000_000


def placed(
    problem: Problem, term: Term, points: Floats, shares: Any, side: str
) -> fields.Placement:
    """Place things seen with fixed ones in the given shares (things × fixed, no empty line).

    `side` says what the things are: "rows" are placed among the columns and the other way round.
    """
    rows, columns = term.parted(points)
    log_rows, log_columns = term.likelihood.log_masses(rows, columns)
    sources, log_masses = (columns, log_columns) if side == "rows" else (rows, log_rows)
    seen = log_masses > -np.inf
    shares = sparse.csr_array(shares)[:, np.flatnonzero(seen)]
    weights = sums(shares, 1)
    means = (shares @ sources[seen]) / weights[:, None]
    ridge = problem.penalty / (term.weight * weights)
    tolerance = EXACT if len(means) * seen.sum() <= MANY else PRECISE
    return fields.place(fields.Placing(means, sources[seen], log_masses[seen], ridge, tolerance))
