"""CODE: published numbers, its eight variants as one formula, and what the map promises."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from scipy.special import logsumexp

from registry import SMOKE, smoke, with_empty, words
from relmap import CODE, Relations, Table
from relmap.engines import descent
from relmap.errors import ConvergenceWarning, InputError, RelmapWarning
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.likelihood import VARIANTS, Likelihood
from relmap.models.cooccurrence.packing import GAP
from relmap.models.cooccurrence.problem import Problem

MENTAL = np.transpose(
    [  # Srole et al.: status 1 to 6 by well, mild, moderate, impaired
        [64, 94, 58, 46], [57, 94, 54, 40], [57, 105, 65, 60],
        [72, 141, 77, 94], [36, 97, 54, 78], [21, 71, 54, 71],
    ]
)  # fmt: skip
TABLES = {"smoke": SMOKE, "mental": MENTAL}
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def shares(counts):
    return np.asarray(counts) / np.sum(counts)


def entropy(p):
    return float((p[p > 0] * np.log(p[p > 0])).sum())


# Published numbers ---------------------------------------------------------------------------

ORACLES = [
    # table, variant, dimensions, mean log-likelihood of an observed pair
    ("smoke", "CM", 1, -2.6547035), ("smoke", "CM", 2, -2.6500636),
    ("smoke", "MM", 1, -2.657578), ("smoke", "MM", 2, -2.650432),
    ("smoke", "MC", 1, -2.6547035), ("smoke", "MC", 2, -2.6500636),
    ("smoke", "CU", 1, -2.656089), ("smoke", "CU", 2, -2.650064),
    ("smoke", "UC", 1, -2.657509), ("smoke", "UC", 2, -2.650064),
    ("smoke", "UU", 1, -2.691995), ("smoke", "UU", 2, -2.650251),
    ("mental", "CM", 1, -3.1136474), ("mental", "CM", 2, -3.1127293),
    ("mental", "MM", 1, -3.1169839), ("mental", "MM", 2, -3.1127843),
]  # fmt: skip
BOUNDS = {"smoke": (-2.692108, -2.649757), "mental": (None, -3.112572)}
RC = {
    ("smoke", 1): -2.6547035, ("smoke", 2): -2.6500636,
    ("mental", 1): -3.1136474, ("mental", 2): -3.1127293,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::relmap.errors.ConvergenceWarning")
@pytest.mark.parametrize(("table", "variant", "q", "wanted"), ORACLES)
def test_the_likelihoods_of_published_tables(table, variant, q, wanted):
    """Some of these are limits of maps that grow for ever, so a run never quite gets there."""
    model = CODE(q, variant=variant, n_init=20, random_state=0, tol=1e-10)
    assert model.fit(TABLES[table]).log_likelihood_ == pytest.approx(wanted, abs=2e-6)


@pytest.mark.filterwarnings("ignore::relmap.errors.ConvergenceWarning")
@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("table", TABLES)
@every_variant
def test_no_map_explains_more_than_its_association_model(table, variant, q):
    """CODE's log m = a + b + 2 φ·ψ with a, b partly tied: a case of Goodman's RC(q)."""
    found = CODE(q, variant=variant).fit(TABLES[table])
    assert found.log_likelihood_ <= RC[table, q] + 2e-6
    assert found.log_likelihood_ < BOUNDS[table][1]


@pytest.mark.parametrize("table", TABLES)
def test_the_bounds_are_independence_and_the_table_itself(table):
    p = shares(TABLES[table])
    likelihood = Likelihood(sparse.csr_array(p), "CM")
    independent = entropy(p.sum(axis=1)) + entropy(p.sum(axis=0))
    assert likelihood.bounds == pytest.approx((independent, entropy(p)), abs=1e-12)
    known = BOUNDS[table]
    assert likelihood.bounds[1] == pytest.approx(known[1], abs=1e-6)
    if known[0]:
        assert likelihood.bounds[0] == pytest.approx(known[0], abs=1e-6)


def test_the_deviance_of_independence_as_published():
    low, high = Likelihood(sparse.csr_array(shares(MENTAL)), "CM").bounds
    assert 2 * MENTAL.sum() * (high - low) == pytest.approx(47.418, abs=1e-3)


# The formula ---------------------------------------------------------------------------------


def by_hand(counts, variant, rows, columns, skip_self=False):
    """log m and the loss, from the table in mathematics, with nothing clever."""
    p = shares(counts)
    r, c = p.sum(axis=1, keepdims=True), p.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore"):
        log_u = {"M": np.log(r), "U": 0 * r, "C": 0 * r}[variant[0]]
        log_v = {"M": np.log(c), "U": 0 * c, "C": 0 * c}[variant[1]]
        logs = log_u + log_v - ((rows[:, None] - columns) ** 2).sum(axis=2)
        if skip_self:
            np.fill_diagonal(logs, -np.inf)
        axis = {("C", False): 1, ("C", True): 0}.get(("C", variant[1] == "C"))
        if "C" in variant:
            log_m = logs - logsumexp(logs, axis=axis, keepdims=True)
            log_m = log_m + np.log(r if variant[0] == "C" else c)
        else:
            log_m = logs - logsumexp(logs)
    return log_m, -float(p[p > 0] @ log_m[p > 0])


def somewhere(n, m, q, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.normal(size=(m, q))


@every_variant
@pytest.mark.parametrize("q", [1, 2, 5])
def test_loss_and_probabilities_are_those_of_the_formula(variant, q):
    counts = np.array([*SMOKE, [0, 3, 0, 0]])
    rows, columns = somewhere(6, 4, q)
    likelihood = Likelihood(sparse.csr_array(shares(counts)), variant)
    log_m, loss = by_hand(counts, variant, rows, columns)
    assert likelihood.at(rows, columns).loss == pytest.approx(loss, rel=1e-12)
    pairs = sparse.coo_array(np.ones((6, 4)))
    found = likelihood.log_probability(rows, columns, pairs)
    np.testing.assert_allclose(found, log_m[pairs.row, pairs.col], rtol=1e-11)
    assert np.exp(found).sum() == pytest.approx(1, rel=1e-12)


@every_variant
def test_probabilities_sum_to_one_without_self_pairs(variant):
    counts = np.random.default_rng(0).poisson(3, (7, 7))
    np.fill_diagonal(counts, 0)
    points = somewhere(7, 7, 2)[0]
    likelihood = Likelihood(sparse.csr_array(shares(counts)), variant, skip_self=True)
    pairs = sparse.coo_array(1 - np.eye(7))
    assert np.exp(likelihood.log_probability(points, points, pairs)).sum() == pytest.approx(1)
    loss = by_hand(counts, variant, points, points, skip_self=True)[1]
    assert likelihood.at(points, points).loss == pytest.approx(loss, rel=1e-12)


def problem_of(table, q, variant, **settings):
    known = CODE(q, variant=variant).get_params()
    tables = table if isinstance(table, Relations) else Relations([table])
    return Problem.of(Layout(tables), {**known, **settings})


def linked(loops):
    square = np.random.default_rng(1).poisson(2, (6, 6))
    square += square.T
    if not loops:
        np.fill_diagonal(square, 0)
    return Table.from_graph(square, names=list("abcdef"))


@every_variant
@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize(
    "table", [smoke(), linked(loops=True), linked(loops=False)], ids=["two", "loops", "one"]
)
@pytest.mark.parametrize("options", [{}, {"penalty": 0.3}, {"weighting": "rows"}], ids=str)
def test_gradients_are_the_differences_of_losses(variant, q, table, options):
    problem = problem_of(table, q, variant, **options)
    start = np.random.default_rng(0).normal(size=problem.size * q)
    assert descent.gradient_error(problem.descent(0.3 * start), directions=4) < 1e-6


@every_variant
@pytest.mark.parametrize("table", [smoke(), words()], ids=["smoke", "words"])
def test_a_map_far_too_large_still_has_a_right_gradient(variant, table):
    """Squared distances of thousands: every e^{−d²} underflows, log Z must not."""
    problem = problem_of(table, 2, variant)
    start = 40 * np.random.default_rng(0).normal(size=2 * problem.size)
    value, gradient = problem.loss(start)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert descent.gradient_error(problem.descent(start), directions=4) < 1e-4


# Variants ------------------------------------------------------------------------------------


@every_variant
def test_a_turned_table_and_a_turned_variant_are_the_same(variant):
    """Rows and columns are two names: variant AB of a table is BA of its transpose."""
    rows, columns = somewhere(5, 4, 2)
    one = Likelihood(sparse.csr_array(shares(SMOKE)), variant).at(rows, columns)
    p = sparse.csr_array(shares(SMOKE).T)
    two = Likelihood(p, variant[::-1]).at(columns, rows)
    assert one.loss == pytest.approx(two.loss, rel=1e-13)
    np.testing.assert_allclose(one.rows, two.columns, atol=1e-14)
    np.testing.assert_allclose(one.columns, two.rows, atol=1e-14)


@pytest.mark.parametrize("variant", ["CM", "CU", "MU", "UU"])
def test_a_turned_table_has_the_same_map(variant):
    fine = {"tol": 0, "max_iter": 3000}
    one = CODE(variant=variant, **fine).fit(words())
    two = CODE(variant=variant[::-1], **fine).fit(words().T)
    assert one.log_likelihood_ == pytest.approx(two.log_likelihood_, abs=1e-9)
    assert two.map_.align(one.map_).evidence["alignment"]["root_mean_square"] < 1e-3


@every_variant
def test_all_points_in_one_place_are_independence_where_margins_are_given(variant):
    found = (
        -Likelihood(sparse.csr_array(shares(SMOKE)), variant)
        .at(np.zeros((5, 2)), np.zeros((4, 2)))
        .loss
    )
    r, c = shares(SMOKE).sum(axis=1), shares(SMOKE).sum(axis=0)
    wanted = {"U": lambda p: -np.log(len(p))}
    rows = wanted.get(variant[0], entropy)(r)
    columns = wanted.get(variant[1], entropy)(c)
    assert found == pytest.approx(rows + columns, rel=1e-12)


@every_variant
def test_rows_and_events_agree_where_every_row_counts_the_same(variant):
    even = np.array(SMOKE) / np.sum(SMOKE, axis=1, keepdims=True)
    rows = CODE(variant=variant, weighting="rows").fit(SMOKE)
    events = CODE(variant=variant).fit(even)
    assert rows.log_likelihood_ == pytest.approx(events.log_likelihood_, abs=1e-9)


# Explained information -----------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["CM", "MC"])
def test_a_table_that_fits_is_explained_whole(variant):
    """Two by two with conditions: as many free numbers as odds."""
    found = CODE(1, variant=variant, tol=1e-13).fit([[8, 1], [1, 6]])
    assert found.explained_information_ == pytest.approx(1, abs=1e-6)
    assert found.log_likelihood_ == pytest.approx(entropy(shares([[8, 1], [1, 6]])), abs=1e-7)


@pytest.mark.parametrize("variant", ["CM", "MM", "MC"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::relmap.errors.ConvergenceWarning")  # some have no finite best
def test_explained_information_is_a_share(variant, seed):
    counts = np.random.default_rng(seed).poisson(5, (6, 5)) + 1
    assert 0 < CODE(variant=variant).fit(counts).explained_information_ < 1


def test_more_dimensions_explain_more():
    found = [CODE(q, n_init=3, random_state=0).fit(words()).log_likelihood_ for q in (1, 2, 3)]
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("variant", ["CM", "MM", "MC"])
def test_a_table_of_independent_counts_has_nothing_to_explain(variant):
    model = CODE(variant=variant).fit(np.outer([1, 2, 3], [4, 1, 2]))
    assert np.isnan(model.explained_information_)
    assert model.log_likelihood_ == pytest.approx(
        entropy(np.array([1, 2, 3]) / 6) + entropy(np.array([4, 1, 2]) / 7), abs=1e-6
    )


# Score ---------------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("weighting", ["events", "rows"])
def test_the_score_of_what_was_fitted_is_its_likelihood(variant, weighting):
    for table in (smoke(), with_empty(), linked(loops=False)):
        model = CODE(variant=variant, weighting=weighting, max_iter=60, tol=1e-5).fit(table)
        assert model.score(table) == pytest.approx(model.log_likelihood_, abs=1e-9)


def test_held_out_counts_score_between_independence_and_training():
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(40, 2)), rng.normal(size=(25, 2))
    counts = rng.poisson(30 * np.exp(-((rows[:, None] - columns) ** 2).sum(axis=2)) + 0.3)
    train, test = Table(counts + 0).thin(0.3, 0)
    model = CODE().fit(train)
    with np.errstate(divide="ignore"):
        p = shares(train.counts.toarray())
        alone = np.log(p.sum(axis=1))[:, None] + np.log(p.sum(axis=0))
    q = shares(test.counts.toarray())
    independent = float(q[q > 0] @ alone[q > 0])
    assert independent + 0.2 < model.score(test) < model.score(train)


def test_events_of_unknown_things_are_left_out_of_the_score_and_said_so():
    model = CODE().fit(smoke())
    more = np.column_stack([SMOKE, [1, 2, 3, 4, 5]])
    columns = [*smoke().columns, "pipe"]
    table = Table(more, smoke().rows, columns, "staff", "smoking")
    with (
        pytest.warns(RelmapWarning, match="15 of 208 events .* were not placed"),
        pytest.warns(RelmapWarning, match="1 of 5 smoking names were not fitted"),
    ):
        score = model.score(table)
    assert score == pytest.approx(model.log_likelihood_, abs=1e-12)
    with pytest.raises(InputError, match="score of CODE needs counts"):
        CODE().fit(with_empty()).score(Table([[5]], ["nobody"], ["none"], "staff", "smoking"))


def test_loops_of_things_that_have_none_are_left_out_of_the_score():
    table = linked(loops=False)
    model = CODE(max_iter=3000).fit(table)
    more = Table.from_graph(table.counts + sparse.eye_array(6), names=list("abcdef"))
    with pytest.warns(RelmapWarning, match="6 of .* were not placed"):
        assert model.score(more) == pytest.approx(model.score(table), abs=1e-12)


# New things ----------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("side", ["rows", "columns"])
def test_new_things_see_on_the_map_what_they_were_seen_with(variant, side):
    """The mean place of what it goes with is the same in its counts and in the model.

    m(x, y) = a_x b_y e^{−d²}, so any one column of the fitted m gives a, and any row gives b.
    """
    table = words() if variant[1] != "C" else words().T
    model = CODE(variant=variant, penalty=1e-3).fit(table)
    rows, columns = model.embedding_, model.column_embedding_
    log_m = by_hand(table.counts.toarray(), variant, rows, columns)[0]
    log_m += ((rows[:, None] - columns) ** 2).sum(axis=2)
    if side == "rows":
        fixed, log_masses, counts = columns, log_m[0], table.counts.toarray()
        places = model.transform(table)
    else:
        fixed, log_masses, counts = rows, log_m[:, 0], table.counts.toarray().T
        places = model.transform_columns(table)
    logs = log_masses - ((places[:, None] - fixed) ** 2).sum(axis=2)
    expected = np.exp(logs - logsumexp(logs, axis=1, keepdims=True)) @ fixed
    seen = counts / counts.sum(axis=1, keepdims=True) @ fixed
    pull = 1e-3 * counts.sum() / counts.sum(axis=1, keepdims=True) * places  # of the penalty
    np.testing.assert_allclose(expected + pull, seen, atol=1e-8)


@pytest.mark.parametrize("variant", ["CM", "CU", "MM", "UU", "UC"])
def test_a_new_row_with_the_counts_of_another_lands_on_its_place(variant):
    model = CODE(variant=variant).fit(words())
    counts = words().counts.toarray()
    fitted = model.transform(words())
    np.testing.assert_allclose(
        model.transform(Table(7 * counts[[3, 8]], ["x", "y"], words().columns)), fitted[[3, 8]],
        atol=1e-8,
    )  # fmt: skip
    if variant[0] == "C":
        np.testing.assert_allclose(fitted, model.embedding_, atol=1e-8)


def test_new_rows_without_counts_have_no_place():
    model = CODE().fit(smoke())
    found = model.transform(Table([[0, 0, 0, 0], [1, 1, 1, 1]], columns=smoke().columns))
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_a_row_seen_with_one_outlying_column_is_held_and_reported():
    counts = words().counts.toarray()
    counts[4] = 0
    counts[4, int(np.argmax(np.linalg.norm(CODE().fit(words()).column_embedding_, axis=1)))] = 30
    model = CODE(max_iter=3000).fit(counts)
    assert model.evidence_.held == model.map_.evidence["held"] >= 1
    columns = model.column_embedding_ - model.column_embedding_.mean(axis=0)
    out = np.linalg.norm(model.embedding_[4] - model.column_embedding_.mean(axis=0))
    farthest = np.linalg.norm(columns, axis=1).max()
    assert out == pytest.approx(max(2 * farthest, 10 / (2 * farthest)), rel=1e-6)


# Starts --------------------------------------------------------------------------------------


def test_the_ends_of_all_starts_are_counted_and_sorted():
    model = CODE(1, variant="UU", n_init=12, random_state=0).fit(words())
    assert sum(optimum.found for optimum in model.optima_) == 12
    assert sorted(start for o in model.optima_ for start in o.starts) == list(range(1, 13))
    values = [value for o in model.optima_ for value in o.values]
    assert values == sorted(values, reverse=True)
    assert all(o.found == len(o.starts) == len(o.values) for o in model.optima_)
    assert all(o.log_likelihood == o.values[0] for o in model.optima_)
    assert model.optima_[0].distance == pytest.approx(0, abs=1e-9)
    assert len(model.optima_) > 1
    assert model.log_likelihood_ == pytest.approx(values[0], abs=1e-6)


def test_more_starts_are_never_worse():
    found = [
        CODE(1, variant="UU", n_init=n, init="random", random_state=5).fit(words()).log_likelihood_
        for n in (1, 3, 9)
    ]
    assert (np.diff(found) >= -1e-9).all()


def test_a_given_start_is_kept_to_and_not_turned():
    first = CODE(tol=1e-13).fit(words())
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    rows, columns = first.embedding_ @ turn, first.column_embedding_ @ turn
    again = CODE(init=(rows, columns)).fit(words())
    assert again.n_iter_ <= 6
    np.testing.assert_allclose(again.embedding_, rows, atol=1e-4)
    np.testing.assert_allclose(again.column_embedding_, columns, atol=1e-4)


def test_a_given_start_passes_over_what_has_no_counts():
    first = CODE().fit(with_empty())
    again = CODE(init=(first.embedding_, first.column_embedding_)).fit(with_empty())
    assert again.log_likelihood_ == pytest.approx(first.log_likelihood_, abs=1e-7)


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ((np.zeros((5, 3)), np.zeros((4, 2))), r"rows coordinates of shape \(5, 2\); got \(5, 3\)"),
        ((np.zeros((5, 2)), np.zeros((5, 2))), r"columns coordinates of shape \(4, 2\)"),
        ((np.full((5, 2), np.nan), np.zeros((4, 2))), "init of CODE must be finite, but the rows"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(init, words):
    with pytest.raises(InputError, match=words):
        CODE(init=init).fit(SMOKE)


def test_a_map_comes_centred_on_its_principal_axes():
    model = CODE().fit(words())
    p = shares(words().counts.toarray())
    points = np.concatenate([model.embedding_, model.column_embedding_])
    masses = np.concatenate([p.sum(axis=1), p.sum(axis=0)])
    spread = (points.T * masses) @ points
    np.testing.assert_allclose(masses @ points, 0, atol=1e-12)
    assert spread[0, 1] == pytest.approx(0, abs=1e-12)
    assert spread[0, 0] > spread[1, 1]


# Endings -------------------------------------------------------------------------------------


def test_a_run_cut_short_warns_with_advice_and_keeps_the_best():
    with pytest.warns(ConvergenceWarning, match="CODE reached max_iter. The map was still improv"):
        model = CODE(max_iter=2).fit(words())
    assert model.map_.status == "reached max_iter"
    assert model.n_iter_ == 2
    assert not CODE().fit(words()).log_likelihood_ < model.log_likelihood_


def test_a_callback_may_stop_a_run():
    steps = []
    with pytest.warns(ConvergenceWarning, match="stopped by a callback"):
        model = CODE(callbacks=[steps.append, lambda step: step.iteration == 3]).fit(words())
    assert model.n_iter_ == len(steps) == 3


def test_nothing_is_printed_unless_asked(capsys):
    CODE().fit(SMOKE)
    assert capsys.readouterr() == ("", "")
    CODE(verbose=2).fit(SMOKE)
    out, err = capsys.readouterr()
    assert out == ""
    assert "iteration   10  loss 2.65" in err


# Penalty -------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["CM", "MM", "UC"])
def test_a_penalty_shrinks_the_map_and_costs_likelihood(variant):
    models = [CODE(variant=variant, penalty=p).fit(words()) for p in (1e-4, 1e-3, 1e-2, 10)]
    sizes = [np.linalg.norm(m.embedding_) + np.linalg.norm(m.column_embedding_) for m in models]
    assert (np.diff(sizes) < 0).all()
    assert (np.diff([m.log_likelihood_ for m in models]) < 0).all()
    assert sizes[-1] < 1e-2


# Pieces --------------------------------------------------------------------------------------


def in_pieces(*blocks):
    return Table(sparse.block_diag([np.asarray(block) for block in blocks]))


def test_pieces_are_reported_and_brought_near_without_bending_them():
    other = words().counts.toarray()
    model = CODE(tol=1e-12, max_iter=5000).fit(in_pieces(SMOKE, other))
    assert model.evidence_.pieces == model.map_.evidence["pieces"] == 2
    parts = [
        np.concatenate([model.embedding_[a], model.column_embedding_[b]])
        for a, b in ((slice(0, 5), slice(0, 4)), (slice(5, 35), slice(4, 24)))
    ]
    gap = np.sqrt(((parts[0][:, None] - parts[1]) ** 2).sum(axis=2)).min()
    assert GAP - 1e-3 < gap < 4 * GAP
    # Each piece explains its own table as well as if it were alone: nothing of the other reaches it
    for part, block in zip(parts, (SMOKE, other), strict=True):
        alone = CODE(tol=1e-12, max_iter=5000).fit(block)
        likelihood = Likelihood(sparse.csr_array(shares(block)), "CM")
        found = -likelihood.at(part[: len(block)], part[len(block) :]).loss
        assert found == pytest.approx(alone.log_likelihood_, abs=1e-7)


def test_packing_moves_pieces_as_they_are():
    from relmap.models.cooccurrence.packing import packed

    rng = np.random.default_rng(0)
    table = in_pieces(*[np.ones((3, 3)) * k for k in (1, 2, 3, 4)])
    problem = problem_of(table, 2, "CM")
    labels = np.repeat(np.arange(4), 3)
    rows, columns = (
        rng.normal(size=(12, 2)) + 60 * rng.normal(size=(4, 2))[labels] for _ in range(2)
    )
    moved = packed(problem, np.concatenate([rows, columns]))
    new = moved[:12], moved[12:]
    middles = []
    for k in range(4):
        before, after = (
            np.concatenate([side[labels == k] for side in sides])
            for sides in ((rows, columns), new)
        )
        np.testing.assert_allclose(pdist(after), pdist(before), atol=1e-9)
        middles.append((after.mean(axis=0), after))
    for k in range(3):  # the heaviest is the last and stays; each other touches a heavier one
        gaps = [
            np.linalg.norm(middles[k][0] - middle)
            - max(np.linalg.norm(points - middle, axis=1))
            - max(np.linalg.norm(middles[k][1] - middles[k][0], axis=1))
            for middle, points in middles[k + 1 :]
        ]
        assert min(gaps) == pytest.approx(GAP, abs=1e-9)
    np.testing.assert_array_equal(new[0][9:], rows[9:])


# One kind ------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["CM", "MM", "UU"])
def test_neighbours_in_a_graph_are_near_on_its_map(variant):
    graph = nx.karate_club_graph()
    table = Table.from_graph(graph)
    model = CODE(variant=variant, max_iter=3000).fit(table)
    assert model.map_.kinds == ("node",)
    assert model.map_.names["node"] == list(graph)
    np.testing.assert_array_equal(model.embedding_, model.column_embedding_)
    points = model.map_.points["node"]
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    links = nx.to_numpy_array(graph, weight=None) > 0
    strangers = ~links & ~np.eye(34, dtype=bool)
    assert distances[links].mean() < 0.75 * distances[strangers].mean()
    assert model.map_.masses["node"].sum() == pytest.approx(1)


def test_the_two_clubs_of_karate_come_apart():
    graph = nx.karate_club_graph()
    clubs = np.array([graph.nodes[i]["club"] == "Mr. Hi" for i in graph])
    points = CODE(max_iter=3000).fit(Table.from_graph(graph)).map_.points["node"]
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    closest = clubs[np.argsort(distances, axis=1)[:, :3]].mean(axis=1) > 0.5
    assert (closest == clubs).mean() > 0.9


def test_loops_count_only_where_the_table_has_some():
    with_loops, without = (problem_of(linked(loops=loops), 2, "UU") for loops in (True, False))
    assert not with_loops.terms[0].likelihood.skip_self
    assert without.terms[0].likelihood.skip_self


# A real table --------------------------------------------------------------------------------


def test_reuters():
    """395 articles × 4258 words: a sketch of the paper's method ended at −0.4720."""
    home = Path(os.environ.get("RELMAP_SHARED", Path(__file__).parents[2].parent / "shared"))
    path = home / "data" / "reuters395_lda" / "doc_word.npz"
    if not path.exists():
        pytest.skip(f"no Reuters table at {path}; set RELMAP_SHARED")
    counts = sparse.load_npz(path)
    model = CODE(weighting="rows", tol=1e-6).fit(counts)
    p = model._fitted.problem.terms[0].likelihood
    rows, columns = p.row_shares, p.column_shares
    constants = -entropy(rows) - entropy(columns)
    assert -model.log_likelihood_ - constants <= -0.4720
    assert model.map_.status == "converged"


# What is said of a map ------------------------------------------------------------------------


def test_a_run_that_drifts_is_not_called_converged():
    """Small noisy tables have no finite best map; a mild penalty gives them one."""
    table = np.random.default_rng(1).poisson(2, (6, 5))
    with pytest.warns(ConvergenceWarning, match=r'CODE drifted\..*penalty="auto" \(here 2e-03\)'):
        model = CODE().fit(table)
    assert model.map_.status == "drifted"
    assert CODE(penalty="auto").fit(table).map_.status == "converged"


@pytest.mark.parametrize("seed", range(5))
def test_converged_means_that_the_evidence_holds(seed):
    table = np.random.default_rng(seed).poisson(2, (6, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = CODE().fit(table)
    assert (model.map_.status == "converged") == model.evidence_.holds()


@pytest.mark.parametrize(("q", "columns"), [(1, 3), (2, 6)])
def test_enough_columns_settle_the_map_and_too_few_do_not(q, columns):
    """Different starts lead to equally likely maps; these are the same from (q+1)(q+2)/2 on."""
    rng = np.random.default_rng(0)

    def distances(model):
        both = np.concatenate([model.embedding_, model.column_embedding_])
        return np.sqrt(((both[:, None] - both[None]) ** 2).sum(axis=2))

    for m, determined in ((columns, True), (columns - 1, False)):
        rows, places = rng.standard_normal((30, q)), rng.standard_normal((m, q))
        table = 1000 * np.exp(-((rows[:, None] - places[None]) ** 2).sum(axis=2))
        models = [
            CODE(q, init="random", n_init=5, random_state=seed, tol=1e-14, max_iter=5000).fit(table)
            for seed in (0, 1)
        ]
        assert models[0].log_likelihood_ == pytest.approx(models[1].log_likelihood_, abs=1e-8)
        assert all(model.evidence_.determined == determined for model in models)
        apart = np.abs(distances(models[0]) - distances(models[1])).max()
        assert (apart < 0.1) == determined  # 6 columns in 2-D settle it only just
    assert CODE(q, penalty="auto").fit(table).evidence_.determined


def test_auto_is_a_fiftieth_over_the_number_of_things():
    table = TABLES["smoke"]
    auto, given = (
        CODE(penalty="auto").fit(table),
        CODE(penalty=0.02 / sum(np.shape(table))).fit(table),
    )
    assert np.array_equal(auto.embedding_, given.embedding_)


def test_rounding_is_not_magnified_to_a_map():
    links = Table([[0, 2, 2], [2, 0, 2], [2, 2, 0]], list("xyz"), list("xyz"), "n", "n")
    assert not CODE(penalty="auto").fit(links).map_.points["n"].any()


def test_links_that_repel_each_other_in_the_axes_still_get_a_map():
    """Their eigenvalues are negative, so there is no axis to start from; but a better map."""
    links = Table([[0, 2, 1], [2, 0, 3], [1, 3, 0]], list("xyz"), list("xyz"), "n", "n")
    x, y, z = CODE(penalty="auto").fit(links).map_.points["n"]
    assert np.linalg.norm(y - z) < np.linalg.norm(x - y) < np.linalg.norm(x - z)


@pytest.mark.parametrize("variant", ["CM", "MM", "UC"])
def test_a_table_without_information_is_one_place(variant):
    model = CODE(variant=variant).fit(np.outer([1, 2, 3], [2, 1, 1, 4]))
    assert not model.embedding_.any()
    assert not model.column_embedding_.any()
    assert np.isnan(model.explained_information_)
