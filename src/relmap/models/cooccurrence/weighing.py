"""One map after the other, with more and more weight on one of two tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from relmap.errors import InputError
from relmap.models.cooccurrence.code import CODE
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.problem import sizes
from relmap.relations import Relations


def sweep(
    model: CODE, relations: Relations, shares: Iterable[Any], *, base: str = "size"
) -> list[CODE]:
    """Fit copies of a model with different weights of the tables, each map laid over the last.

    A run that begins near its end is soon content: do not give the model a larger `tol` than its
    own, 1e-8.

    Parameters
    ----------
    model : CODE
    relations : Relations
        Of several tables.
    shares : sequence
        For every map what each table counts; for two tables one number between 0 and 1 will do:
        that of the first, the rest being the second's. Every map begins at the one before.
    base : "size" or "equal"
        What a share is multiplied by: one over the table's rows times its columns, as "size"
        among `weights` of CODE, or nothing.

    Examples
    --------
    >>> from relmap import CODE, Relations, Table, sweep
    >>> likes = Table([[3, 1], [0, 2]], ["ann", "bo"], ["tea", "milk"], "person", "drink")
    >>> sold = Table([[5, 2], [1, 6]], ["inn", "bar"], ["tea", "milk"], "shop", "drink")
    >>> models = sweep(CODE(1, penalty=0.01), Relations([likes, sold]), [0.2, 0.5, 0.8])
    >>> [round(float(m.tables_[0].weight), 1) for m in models]
    [0.2, 0.5, 0.8]
    """
    if not isinstance(model, CODE):
        raise InputError(f"sweep takes a CODE; got {model!r}.")
    if isinstance(shares, str) or not isinstance(shares, Iterable):
        raise InputError(f"shares of sweep must be a list, such as [0.2, 0.8]; got {shares!r}.")
    if not isinstance(relations, Relations) or len(relations.tables) < 2:
        raise InputError(f"sweep needs Relations of several tables; got {relations!r}.")
    if base not in {"size", "equal"}:
        raise InputError(f"base of sweep must be 'size' or 'equal'; got {base!r}.")
    links = Layout(relations, loops=bool(model.self_pairs)).links
    scale = 1 / sizes(links) if base == "size" else np.ones(len(links))
    models: list[CODE] = []
    for share in shares:
        weights = (_shares(share, len(links)) * scale).tolist()
        made = clone(model).set_params(weights=weights)
        if models:
            made.set_params(init=models[-1].map_)
        models.append(made.fit(relations))
    return models


def _shares(share: Any, count: int) -> Any:
    values = np.asarray(share, dtype=np.float64)
    if values.ndim == 0 and count == 2:
        values = np.array([float(values), 1 - float(values)])
    if values.shape != (count,) or not (values > 0).all():
        raise InputError(
            f"a share of sweep must be {count} numbers above 0"
            f"{', or one between 0 and 1' if count == 2 else ''}; got {share!r}."
        )
    return values
