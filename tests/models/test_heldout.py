"""Choosing by held-out counts, and weights of tables tried one after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from registry import smoke, words
from relmap import CODE, CorrespondenceAnalysis, Relations, Table, Triples, held_out, sweep
from relmap.errors import InputError
from relmap.models.heldout import _splits


def drawn(q=1, seed=0, total=40_000):
    """Counts around a truth of one dimension or more, with popular and rare columns."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.normal(0, 1, (25, q)), rng.normal(0, 1, (20, q))
    popular = rng.uniform(0.2, 2, 20)
    rates = popular * np.exp(-((rows[:, None] - columns) ** 2).sum(axis=2))
    return Table(rng.poisson(total * rates / rates.sum()))


def test_the_truth_is_chosen():
    found = held_out(
        CODE(penalty="auto", tol=1e-6), drawn(1),
        {"variant": ["CM", "CU"], "n_components": [1, 2, 3]}, repeats=4,
    )  # fmt: skip
    assert found.simplest.settings == {"variant": "CM", "n_components": 1}
    assert found.best.settings["variant"] == "CM"
    by = {tuple(c.settings.values()): c for c in found.candidates}
    assert by["CU", 1].behind > 3 * by["CU", 1].behind_error > 0
    assert by["CM", 1].log_likelihood > found.independence + 0.1
    assert by["CM", 1].behind_error < by["CM", 1].standard_error  # pairs are sharper
    assert all(c.converged for c in found.candidates)


def test_two_dimensions_are_chosen_where_there_are_two():
    found = held_out(CODE(penalty="auto", tol=1e-6), drawn(2), {"n_components": [1, 2, 3]})
    assert found.simplest.settings == {"n_components": 2}


def test_every_event_is_held_out_once_in_a_round():
    relations = Relations([words(), smoke()])
    parts = list(_splits(relations, 0.25, 4, 0))
    for number, table in enumerate(relations.tables):
        held = sum(part.tables[number].counts for _, part in parts)
        assert (held != table.counts).nnz == 0
        for seen, part in parts:
            both = seen.tables[number].counts + part.tables[number].counts
            assert (both != table.counts).nnz == 0
            assert part.tables[number].total == pytest.approx(table.total / 4, rel=0.4)


def test_numbers_are_means_of_scores_and_repeat():
    model = CODE(penalty=1e-3, tol=1e-5)
    found = held_out(model, words(), {"n_components": [1, 2]}, fraction=0.2, repeats=3)
    scores = [
        [CODE(q, penalty=1e-3, tol=1e-5).fit(seen).score(held) for q in (1, 2)]
        for seen, held in _splits(Relations([words()]), 0.2, 3, 0)
    ]
    mean, error = np.mean(scores, axis=0), np.std(scores, axis=0, ddof=1) / np.sqrt(3)
    for candidate, m, e in zip(found.candidates, mean, error, strict=True):
        assert candidate.log_likelihood == pytest.approx(m, abs=1e-12)
        assert candidate.standard_error == pytest.approx(e, abs=1e-12)
    again = held_out(model, words(), {"n_components": [1, 2]}, fraction=0.2, repeats=3)
    assert again == found
    assert not hasattr(model, "map_")
    text = repr(found)
    assert "n_components  log-likelihood" in text
    assert text.count(" best") >= 1


def test_independence_is_scored_by_the_totals_that_were_seen():
    seen, held = words().thin(0.2, 0)
    model = CODE(tol=1e-4, penalty="auto").fit(seen)
    p = seen.counts.toarray() / seen.total
    q = held.counts.toarray() / held.total
    logs = np.log(p.sum(axis=1))[:, None] + np.log(p.sum(axis=0))
    assert model.score_independence(held) == pytest.approx((q * logs).sum(), rel=1e-12)
    assert model.score_independence(held) < model.score(held)


def test_relations_and_triples_are_held_out_too():
    rng = np.random.default_rng(0)
    x, y, z = (rng.integers(0, 4, 600).astype(str) for _ in range(3))
    triples = Triples(x, y, np.where(rng.random(600) < 0.7, x, z), kinds=("a", "b", "c"))
    pairs = Table(rng.poisson(5, (4, 3)) + 1, list("0123"), list("pqr"), "a", "d")
    found = held_out(
        CODE(penalty=1e-3, tol=1e-5), Relations([triples, pairs]), {"n_components": [1, 2]}
    )
    assert len(found.candidates) == 2
    alone = held_out(CODE(penalty=1e-3, tol=1e-5), triples)
    assert alone.best.log_likelihood > alone.independence


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"settings": {"dimensions": [1]}},
            "CODE has no setting 'dimensions'; it has .*n_components",
        ),
        ({"settings": {"variant": "CM"}}, "a list of values for 'variant'"),
        ({"settings": {"n_components": 3}}, "a list of values for 'n_components'"),
        ({"settings": [{"variant": ["CM"]}]}, "maps? names to lists of values"),
        ({"settings": {"weights": ["equal", "size"]}}, "cannot choose 'weights': it changes what"),
        ({"model": CODE}, "held_out takes a model such as CODE"),
        ({"model": CorrespondenceAnalysis()}, "held_out takes a model such as CODE"),
        ({"fraction": 1e-9}, "too few events to hold out 1e-09"),
        ({"settings": {"variant": []}}, "a list of values for 'variant'"),
        ({"fraction": 0.9}, "fraction of held_out must be a number above 0 and up to 0.5"),
        ({"repeats": 1}, "repeats of held_out must be a whole number of at least 2"),
        ({"random_state": "x"}, "random_state of held_out"),
        ({"data": Table([[1, 0], [0, 1]])}, "too few events to hold out"),
        ({"data": Table([[1.5, 0], [0, 1]])}, "held_out splits whole counts"),
    ],
)
def test_what_cannot_be_held_out_is_refused(change, message):
    given = {"model": CODE(), "data": smoke(), **change}
    with pytest.raises(InputError, match=message):
        held_out(**given)


# Weights -------------------------------------------------------------------------------------


def pens_and_papers():
    rng = np.random.default_rng(1)
    words_ = [f"w{i}" for i in range(15)]
    return Relations(
        [
            Table(rng.poisson(3, (12, 15)), column_kind="word", columns=words_, row_kind="paper"),
            Table(rng.poisson(3, (6, 15)), column_kind="word", columns=words_, row_kind="pen"),
        ]
    )


def test_more_weight_explains_a_table_better():
    shares = [0.1, 0.3, 0.5, 0.7, 0.9]
    models = sweep(CODE(penalty=1e-4, max_iter=3000), pens_and_papers(), shares)
    first, second = np.transpose([[t.log_likelihood for t in m.tables_] for m in models])
    assert (np.diff(first) > 0).all()
    assert (np.diff(second) < 0).all()
    sizes = np.array([12 * 15, 6 * 15])
    for model, share in zip(models, shares, strict=True):
        weights = np.array([share, 1 - share]) / sizes
        assert [t.weight for t in model.tables_] == pytest.approx(weights / weights.sum())
    near = [
        b.map_.align(a.map_).evidence["alignment"]["root_mean_square"] for a, b in pairwise(models)
    ]
    apart = [
        np.sqrt(np.mean([((a.map_.points[k] - b.map_.points[k]) ** 2).sum(1).mean()
                         for k in a.map_.kinds]))
        for a, b in pairwise(models)
    ]  # fmt: skip
    assert np.allclose(near, apart, rtol=0.2)  # laid over each other already


def test_half_a_share_is_the_weight_by_size_also_of_things_of_one_kind():
    """Words with words, of which some are rows only, beside papers with words."""
    names = [f"w{i}" for i in range(6)]
    counts = np.random.default_rng(0).poisson(3, (6, 6))
    counts[:, 4:] = 0
    both = Relations([Table(counts, names, names, "word", "word"), pens_and_papers().tables[0]])
    (half,) = sweep(CODE(1, penalty=0.01), both, [0.5])
    whole = CODE(1, penalty=0.01, weights="size").fit(both)
    assert half.tables_[0].weight == pytest.approx(whole.tables_[0].weight)


def test_shares_may_be_one_for_each_table():
    models = sweep(CODE(1, penalty=0.01), pens_and_papers(), [(1, 3), (2, 2)], base="equal")
    assert [[t.weight for t in m.tables_] for m in models] == [[0.25, 0.75], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relations": smoke()}, "sweep needs Relations of several tables"),
        ({"relations": Relations([smoke()])}, "sweep needs Relations of several tables"),
        ({"model": CorrespondenceAnalysis()}, "sweep takes a CODE; got CorrespondenceAnalysis"),
        ({"shares": 0.5}, "shares of sweep must be a list"),
        ({"shares": [0]}, "2 numbers above 0, or one between 0 and 1; got 0"),
        ({"shares": [1.5]}, "got 1.5"),
        ({"shares": [(1, 2, 3)]}, "got \\(1, 2, 3\\)"),
        ({"base": "rows"}, "base of sweep must be 'size' or 'equal'"),
    ],
)
def test_what_cannot_be_swept_is_refused(change, message):
    given = {"model": CODE(1), "relations": pens_and_papers(), "shares": [0.5], **change}
    with pytest.raises(InputError, match=message):
        sweep(**given)


def test_models_of_one_table_refuse_several():
    with pytest.raises(InputError, match="takes one table here; got 2"):
        CorrespondenceAnalysis().fit(pens_and_papers())
