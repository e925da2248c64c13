"""Choosing a model's settings by counts that it did not see."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone

from relmap import _check
from relmap._types import Floats, Seed, generator
from relmap.errors import ConvergenceWarning, InputError, RelmapWarning
from relmap.relations import Relations, Table, Triples
from relmap.relations.thinning import folds

_INCOMPARABLE = ("weights", "weighting", "self_pairs")
_RULES = {
    "fraction": _check.between(0, 0.5, open_below=True),
    "repeats": _check.whole(2),
    "random_state": _check.SEED,
}


@dataclass(frozen=True)
class Candidate:
    """Some settings and what they scored.

    Attributes
    ----------
    settings : dict
    log_likelihood, standard_error : float
        Mean over the repeats of the mean log-likelihood of a held-out event, and its error.
    behind, behind_error : float
        How much less that is than the best candidate's, and the error of this difference: the
        same events were held out, so it is sharper.
    converged : bool
        Whether every fit came to its natural end.
    """

    settings: dict[str, Any]
    log_likelihood: float
    standard_error: float
    behind: float
    behind_error: float
    converged: bool


@dataclass(frozen=True)
class HeldOut:
    """What `held_out` found.

    Attributes
    ----------
    candidates : tuple of Candidate
        In the order in which they were asked for.
    independence : float
        What a held-out event scores if rows and columns have nothing to do with each other.
    fraction : float
        Of the events that was held out.
    repeats : int
        How often; every time other events.
    """

    candidates: tuple[Candidate, ...]
    independence: float
    fraction: float
    repeats: int

    @property
    def best(self) -> Candidate:
        """The candidate with the highest score."""
        return max(self.candidates, key=lambda c: c.log_likelihood)

    @property
    def simplest(self) -> Candidate:
        """Of those not behind the best by more than a standard error, the one of least dimension.

        Among several of these, the one that scored highest.
        """
        level = [c for c in self.candidates if c.behind <= c.behind_error]
        return min(level, key=lambda c: (c.settings.get("n_components", 0), c.behind))

    def __repr__(self) -> str:
        names = list(self.candidates[0].settings)
        head = [*names, "log-likelihood", "behind the best", ""]
        lines = [head] + [
            [
                *(str(c.settings[name]) for name in names),
                f"{c.log_likelihood:.5f} ± {c.standard_error:.5f}",
                f"{c.behind:.5f} ± {c.behind_error:.5f}" if c.behind else "",
                self._note(c),
            ]
            for c in self.candidates
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        title = (
            f"Held out {self.fraction:.3g} of the events, {self.repeats} times; per event "
            f"(independence: {self.independence:.5f})"
        )
        return "\n".join([title, *rows])

    def _note(self, candidate: Candidate) -> str:
        notes = []
        if candidate is self.best:
            notes.append("best")
        if candidate is self.simplest:
            notes.append("simplest of those as good")
        if not candidate.converged:
            notes.append("not converged")
        return ", ".join(notes)


def held_out(
    model: Any,
    data: Any,
    settings: Mapping[str, Sequence[Any]] | None = None,
    *,
    fraction: float = 0.1,
    repeats: int = 5,
    random_state: Seed = 0,
) -> HeldOut:
    """Score settings of a model on counts that were held out, to choose among them.

    The events of the tables are dealt at random into parts of the `fraction`; each of `repeats`
    parts is held out in turn, a copy of the model is fitted to the others and scored on it. All
    candidates see the same parts. Events of things that no other event tells of are left out, for
    all alike.

    Parameters
    ----------
    model : CODE, or another estimator with `score`
    data : Table, Relations, Triples, or what makes a Table; whole counts
    settings : mapping from setting to the values to be tried
        All combinations are; only the model as it is if not given. Not those that change what is
        scored: weights, weighting and self_pairs.
    fraction : float
        At most ½.
    repeats : int
        At least 2, since the error is taken from how they differ.
    random_state : int, generator or None

    Examples
    --------
    >>> from relmap import CODE, held_out
    >>> from relmap.datasets import load_smoke
    >>> found = held_out(CODE(penalty="auto"), load_smoke(), {"n_components": [1, 2]})
    >>> found.simplest.settings
    {'n_components': 1}
    """
    given = {"fraction": fraction, "repeats": repeats, "random_state": random_state}
    _check.check("held_out", given, _RULES)
    if isinstance(model, type) or not hasattr(model, "score_independence"):
        raise InputError(f"held_out takes a model such as CODE(); got {model!r}.")
    relations = _relations(data)
    candidates = list(_combinations(model, settings or {}))
    scores = np.empty((len(candidates), repeats))
    converged = np.ones(len(candidates), dtype=bool)
    independence = np.empty(repeats)
    for repeat, (seen, held) in enumerate(_splits(relations, fraction, repeats, random_state)):
        for number, candidate in enumerate(candidates):
            fitted, good = _fitted(candidate[1], seen)
            converged[number] &= good
            scores[number, repeat] = _quietly(fitted.score, held)
        independence[repeat] = _quietly(fitted.score_independence, held)
    best = scores[np.argmax(scores.mean(axis=1))]
    return HeldOut(
        candidates=tuple(
            Candidate(
                settings=wanted,
                log_likelihood=float(scores[i].mean()),
                standard_error=_error(scores[i]),
                behind=float((best - scores[i]).mean()),
                behind_error=_error(best - scores[i]),
                converged=bool(converged[i]),
            )
            for i, (wanted, _) in enumerate(candidates)
        ),
        independence=float(independence.mean()),
        fraction=fraction,
        repeats=repeats,
    )


def _relations(data: Any) -> Relations:
    if isinstance(data, Relations):
        return data
    return Relations([data if isinstance(data, (Table, Triples)) else Table(data)])


def _combinations(
    model: Any, settings: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], Any]]:
    known = model.get_params(deep=False)
    if not isinstance(settings, Mapping):
        raise InputError(f"settings of held_out map names to lists of values; got {settings!r}.")
    for name, values in settings.items():
        if name in _INCOMPARABLE:
            raise InputError(
                f"held_out cannot choose {name!r}: it changes what is scored, so that scores of "
                "its values do not compare."
            )
        if name not in known:
            raise InputError(
                f"{type(model).__name__} has no setting {name!r}; it has {', '.join(known)}."
            )
        if isinstance(values, str) or not isinstance(values, Iterable) or not list(values):
            raise InputError(f"give held_out a list of values for {name!r}; got {values!r}.")
    for values in product(*settings.values()):
        wanted = dict(zip(settings, values, strict=True))
        yield wanted, clone(model).set_params(**wanted)


def _splits(
    relations: Relations, fraction: float, repeats: int, random_state: Seed
) -> Iterator[tuple[Relations, Relations]]:
    """Yield what is seen and what is held out; parts do not overlap while there are any left."""
    rng, count = generator(random_state), round(1 / fraction)
    for repeat in range(repeats):
        if repeat % count == 0:
            wanted = min(count, repeats)
            dealt = [folds(t.counts.data, count, wanted, rng) for t in relations.tables]
        held = [parts[:, repeat % count] for parts in dealt]
        for table, part in zip(relations.tables, held, strict=True):
            if not 0 < part.sum() < table.total:
                raise InputError(
                    f"{table!r} has too few events to hold out {fraction:.3g} of them."
                )
        yield (
            Relations(
                t.with_data(t.counts.data - h) for t, h in zip(relations.tables, held, strict=True)
            ),
            Relations(t.with_data(h) for t, h in zip(relations.tables, held, strict=True)),
        )


def _fitted(model: Any, seen: Relations) -> tuple[Any, bool]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        fitted = model.fit(seen)
    return fitted, not told


def _quietly(score: Any, held: Relations) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelmapWarning)  # events of things without others
        return float(score(held))


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
