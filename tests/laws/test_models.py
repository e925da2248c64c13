"""What must hold for every model in the registry."""

from __future__ import annotations

import pickle
import re
import warnings
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from registry import (
    FLAT,
    MODELS,
    ORDINARY,
    SMOKE,
    SMOKING,
    STAFF,
    TABLES,
    VIEWS,
    smoke,
    with_empty,
    words,
)
from relmap import CODE, Table, load
from relmap.errors import ConvergenceWarning, InputError, RelmapWarning
from relmap.maps.align import procrustes

every_model = pytest.mark.parametrize("case", MODELS, ids=lambda case: case.name)


def fitted(case, table, **settings):
    """Fit without minding whether the run converged; what a case does not tell is an error."""
    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, *case.tells):
            warnings.simplefilter("ignore", kind)
        return case.make(**settings).fit(table)


@cache
def known(name, table):
    """The model of a case fitted to a table as it is, once for all laws that only look at it."""
    return fitted(next(case for case in MODELS if case.name == name), TABLES[table]())


def finely(case, table):
    return fitted(case, table, **case.fine)


def sides(model):
    return np.concatenate([model.embedding_, getattr(model, "column_embedding_", [])])


def apart(these, those):
    """How far two sets of points are from each other after the best rigid motion."""
    return procrustes(these, those).distance


def same_place(case, model, other, scale=1.0):
    """Equal maps up to a rigid motion, and equal values, in units that differ by a factor."""
    assert case.value(model) == pytest.approx(case.value(other) * scale, abs=1e-10 * scale)
    assert apart(sides(model) / scale, sides(other)) < 1e-6


# scikit-learn --------------------------------------------------------------------------------

one_of_each = {case.model: case for case in reversed(MODELS)}


@parametrize_with_checks(
    [case.make() for case in one_of_each.values()],
    expected_failed_checks=lambda model: dict(one_of_each[type(model)].expected_failures),
)
@pytest.mark.filterwarnings(
    "ignore::relmap.errors.ConvergenceWarning",
    "ignore::relmap.errors.RankWarning",
    "ignore::relmap.errors.PiecesWarning",
)
def test_scikit_learn_agrees(estimator, check):
    check(estimator)


def test_scikit_learn_checks_everything():
    from sklearn.utils.estimator_checks import estimator_checks_generator

    for model, case in one_of_each.items():
        checks = list(estimator_checks_generator(model()))
        assert len(checks) - len(case.expected_failures) >= 45
        assert not model().__sklearn_tags__()._skip_test
        assert all(reason for reason in case.expected_failures.values())


@every_model
def test_settings_pass_through_clone_and_stay_as_they_were_given(case):
    model = case.make()
    before = model.get_params()
    finely(case, smoke())
    model.fit(smoke())
    assert model.get_params() == before
    assert clone(model).get_params() == before
    assert not hasattr(clone(model), "map_")


@every_model
def test_coordinates_come_as_a_frame_when_asked_for(case):
    model = case.make().set_output(transform="pandas")
    frame = model.fit_transform(pd.DataFrame(SMOKE, STAFF, SMOKING))
    assert list(frame.index) == STAFF
    assert list(frame.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(frame.to_numpy(), model.embedding_)
    new = model.transform(pd.DataFrame(SMOKE[:2], STAFF[:2], SMOKING))
    assert list(new.index) == STAFF[:2]


# The same again ------------------------------------------------------------------------------


@every_model
def test_the_same_seed_gives_the_same_bits_whatever_the_threads(case, monkeypatch):
    big = Table(np.random.default_rng(0).poisson(0.4, (800, 650)) + np.eye(800, 650))
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RELMAP_THREADS", threads)
        quick = {"random_state": 3, "max_iter": 1}
        known = {k: v for k, v in quick.items() if k in case.make().get_params()}
        found.append(fitted(case, big, **known))
    for model in found[1:]:
        assert model.map_ == found[0].map_
        np.testing.assert_array_equal(sides(model), sides(found[0]))


@every_model
@pytest.mark.parametrize("table", ORDINARY.values(), ids=ORDINARY)
def test_nothing_given_is_changed(case, table):
    counts = table().counts.toarray()
    before = counts.copy()
    model = fitted(case, counts)
    model.transform(counts)
    np.testing.assert_array_equal(counts, before)
    again = table()
    fingerprint = again.fingerprint
    fitted(case, again)
    assert again.fingerprint == fingerprint


bounded = pytest.mark.parametrize(
    ("case", "table"),
    [
        pytest.param(case, table, id=f"{case.name} {name}")
        for case in MODELS
        for name, table in ORDINARY.items()
        if name not in case.endless
    ],
)


@bounded
def test_the_order_of_rows_and_columns_does_not_matter(case, table):
    table, rng = table(), np.random.default_rng(0)
    rows, columns = (rng.permutation(n) for n in table.shape)
    shuffled = table.select(table.rows.take(rows), table.columns.take(columns))
    first, second = finely(case, table), finely(case, shuffled)
    assert case.value(second) == pytest.approx(case.value(first), abs=1e-9)
    laid = second.map_.align(first.map_)
    assert laid.evidence["alignment"]["common"] == sum(table.shape)
    if first.map_.evidence.get("determined", True):
        assert laid.evidence["alignment"]["root_mean_square"] < 1e-6
    else:  # many maps are as likely, and all tell the same chances
        (side,) = case.exact_sides
        here, there = (
            chances(m, side, m.embedding_ if side == "rows" else m.column_embedding_)
            for m in (first, second)
        )
        order = (rows, columns) if side == "rows" else (columns, rows)
        np.testing.assert_allclose(there, here[np.ix_(*order)], rtol=0, atol=1e-8)


@every_model
@pytest.mark.parametrize("factor", [1e9, 1e-9, 3.0])
def test_counting_in_other_units_changes_nothing(case, factor):
    table = words()
    other = finely(case, Table(factor * table.counts))
    same_place(case, other, finely(case, table), factor**case.power)


# Names ---------------------------------------------------------------------------------------


@every_model
def test_names_survive_from_wherever_they_come(case):
    given = pd.DataFrame(SMOKE, STAFF, SMOKING)
    narrow = pl.DataFrame({"who": STAFF, **dict(zip(SMOKING, np.transpose(SMOKE), strict=True))})
    maps = [fitted(case, table).map_ for table in (given, narrow, Table(given))]
    for found in maps:
        kinds = list(found.kinds)
        assert found.names[kinds[0]] == STAFF
        assert found.names[kinds[1]] == SMOKING
        np.testing.assert_array_equal(found.points[kinds[1]], maps[0].points[kinds[1]])
    assert isinstance(maps[0].frame(), pd.DataFrame)
    assert isinstance(maps[1].frame(), pl.DataFrame)


@every_model
def test_feature_names_are_noted_and_forgotten(case):
    model = case.make().fit(pd.DataFrame(SMOKE, STAFF, SMOKING))
    assert list(model.feature_names_in_) == SMOKING
    model.fit(np.array(SMOKE))
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4


# The map -------------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("table", TABLES)
def test_save_and_load(case, table, tmp_path):
    found = known(case.name, table).map_
    assert load(found.save(tmp_path / "a.relmap")) == found


@every_model
def test_a_fitted_model_survives_pickling(case):
    model = case.make().fit(smoke())
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.map_ == model.map_
    np.testing.assert_array_equal(again.transform(smoke()), model.transform(smoke()))


@every_model
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_every_map_can_be_seen(case, view, tmp_path):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    assert view(fitted(case, with_empty()).map_) is not None
    plt.close("all")


@every_model
@pytest.mark.parametrize("table", TABLES)
def test_every_table_with_counts_gets_a_finite_map_without_warnings(case, table):
    model, table = known(case.name, table), TABLES[table]()
    for points, totals in (
        (model.embedding_, table.row_totals),
        (getattr(model, "column_embedding_", None), table.column_totals),
    ):
        if points is not None and table.row_kind != table.column_kind:
            np.testing.assert_array_equal(np.isfinite(points).all(axis=1), totals > 0)
    placed, lost = (
        sum(map(len, part.values())) for part in (model.map_.names, model.map_.unplaced)
    )
    kinds = {table.row_kind: table.shape[0], table.column_kind: table.shape[1]}
    assert placed + lost == (sum(table.shape) if case.twice else sum(kinds.values()))
    assert np.isfinite(case.value(model))
    checked = getattr(model.evidence_, "field", model.evidence_)
    assert checked.holds()


@bounded
def test_the_evidence_holds(case, table):
    model = case.make().fit(table())
    assert model.evidence_.holds()
    assert model.map_.status == "converged"


@pytest.mark.parametrize(
    ("case", "name"), [(case, name) for case in MODELS for name in case.endless]
)
def test_a_map_that_would_grow_for_ever_is_not_vouched_for(case, name):
    model = fitted(case, TABLES[name]())
    assert not model.evidence_.holds(1e-3)
    assert case.make(penalty=1e-4).fit(TABLES[name]()).evidence_.holds()


@every_model
def test_what_was_never_seen_has_no_place_and_moves_nothing(case):
    whole, parts = finely(case, with_empty()), finely(case, smoke())
    assert whole.map_.unplaced["staff"] == ("nobody",)
    assert whole.map_.unplaced["smoking"] == ("pipe", "cigar")
    assert np.isnan(whole.embedding_[2]).all()
    for kind in parts.map_.kinds:
        np.testing.assert_array_equal(whole.map_.points[kind], parts.map_.points[kind])
        assert whole.map_.names[kind] == parts.map_.names[kind]


# New things ----------------------------------------------------------------------------------

with_exact_sides = pytest.mark.parametrize(
    ("case", "side"),
    [(case, side) for case in MODELS for side in case.exact_sides],
    ids=[f"{case.name} {side}" for case in MODELS for side in case.exact_sides],
)
EXACT = {"one kind"}  # one embedding for both sides: no side has a best place given the other


def chances(model, side, points):
    """p(column | row) with the rows at `points`, or p(row | column) with the columns there."""
    term, points_ = model._fitted.problem.terms[0], model._fitted.end.points
    ends = term.parted(points_)
    fixed, log_masses = (end[side == "rows"] for end in (ends, term.likelihood.log_masses(*ends)))
    return softmax(log_masses - ((points[:, None] - fixed) ** 2).sum(axis=2), axis=1)


@with_exact_sides
@pytest.mark.parametrize("name", sorted(TABLES.keys() - EXACT))
def test_fitted_things_are_placed_where_they_are(case, side, name):
    model = known(case.name, name)
    if side == "rows":
        places, found = model.transform(TABLES[name]()), model.embedding_
    else:
        places, found = model.transform_columns(TABLES[name]()), model.column_embedding_
    if name in FLAT and case.model is CODE:
        places, found = (chances(model, side, points) for points in (places, found))
    size = max(1.0, np.nanmax(np.abs(found)))
    np.testing.assert_allclose(places, found, rtol=0, atol=1e-8 * size)


@every_model
@pytest.mark.parametrize("side", ["rows", "columns"])
def test_new_things_do_not_see_each_other(case, side):
    if side == "columns" and not case.two_sided:
        pytest.skip("one-sided")
    table, model = words(), case.make().fit(words())
    place = model.transform if side == "rows" else model.transform_columns
    names = table.rows if side == "rows" else table.columns
    chosen = [11, 2, 7]
    some = table.select(**{side: names.take(chosen)})
    np.testing.assert_allclose(place(some), place(table)[chosen], rtol=0, atol=1e-8)


@every_model
def test_new_rows_are_matched_by_name_and_the_others_reported(case):
    table, model = words(), case.make().fit(words())
    wanted = model.transform(table)
    rng = np.random.default_rng(0)
    shuffled = table.select(columns=rng.permutation(np.array(table.columns[:])).tolist())
    np.testing.assert_allclose(model.transform(shuffled), wanted, rtol=0, atol=1e-9)
    counts = np.column_stack([np.full(30, 9), table.counts.toarray()])
    more = Table(counts, table.rows, ["unheard of", *table.columns], "document", "word")
    with pytest.warns(RelmapWarning, match=r"1 of 21 word names .*'unheard of'.*left out"):
        found = model.transform(more)
    np.testing.assert_array_equal(found, wanted)
    kept = table.columns[:15]
    zeroed = table.counts.toarray()
    zeroed[:, 15:] = 0
    np.testing.assert_allclose(
        model.transform(table.select(columns=kept)),
        model.transform(Table(zeroed, table.rows, table.columns)),
        rtol=0,
        atol=1e-9,
    )
    with pytest.raises(InputError, match=r"none of the 2 \w+ names given was fitted"):
        model.transform(Table([[1, 2]]))


# What is refused -----------------------------------------------------------------------------


def test_every_setting_has_a_rule_and_is_tried():
    for case in MODELS:
        assert set(case.make().get_params()) == set(case.rules) == set(case.wrong)


@pytest.mark.parametrize(
    ("model", "setting", "value"),
    [
        (model, setting, value)
        for model, case in one_of_each.items()
        for setting, values in case.wrong.items()
        for value in values
    ],
)
def test_a_setting_out_of_its_rule_is_refused_by_name(model, setting, value):
    words = f"{setting} of {model.__name__} must be .*; got {re.escape(repr(value))}"
    with pytest.raises(InputError, match=f"(?s){words}"):
        model(**{setting: value}).fit(SMOKE)


@every_model
@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (np.zeros((3, 2)), "the table is empty"),
        ([[1, -2], [3, 4]], "Negative values"),
        ([[1, np.nan], [3, 4]], "NaN"),
        ([[1, np.inf], [3, 4]], "infinity"),
        ([1, 2, 3], "1D array|dimension"),
    ],
    ids=["empty", "negative", "nan", "infinite", "flat"],
)
def test_what_is_no_table_of_counts_is_refused(case, counts, words):
    with pytest.raises(ValueError, match=words):
        case.make().fit(counts)


def test_threads_are_a_whole_number(monkeypatch):
    monkeypatch.setenv("RELMAP_THREADS", "many")
    with pytest.raises(InputError, match="RELMAP_THREADS must be a whole number"):
        MODELS[0].make().fit(SMOKE)
