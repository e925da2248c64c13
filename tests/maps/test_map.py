"""A map knows its neighbours by name, never changes, and can be laid over another."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from relmap.errors import InputError, UnknownNameError
from relmap.maps import Map


def drinks(**rest):
    """Two people and three drinks on a line, "sam" being both a person and a drink."""
    return Map(
        points={"person": [[0.0, 0], [4, 0]], "drink": [[1.0, 0], [3, 0], [10, 0]]},
        names={"person": ["ann", "sam"], "drink": ["tea", "milk", "sam"]},
        masses={"person": [0.5, 0.5], "drink": [0.6, 0.3, 0.1]},
        **rest,
    )


def scattered(n=12, q=3, seed=0):
    rng = np.random.default_rng(seed)
    points, names = rng.normal(size=(n, q)), [f"p{i}" for i in range(n)]
    return Map(points={"p": points}, names={"p": names}, masses={"p": np.ones(n)})


# Neighbours ----------------------------------------------------------------------------------


def test_the_nearest_come_first_and_a_thing_is_not_its_own_neighbour():
    found = drinks().nearest("ann", k=9)
    assert [(n.name, n.kind, n.distance) for n in found] == [
        ("tea", "drink", 1.0), ("milk", "drink", 3.0), ("sam", "person", 4.0),
        ("sam", "drink", 10.0),
    ]  # fmt: skip
    assert [n.name for n in drinks().nearest("ann", k=2)] == ["tea", "milk"]
    assert [n.name for n in drinks().nearest("ann", kind="person")] == ["sam"]
    assert drinks().nearest("tea", kind="person", k=1)[0] == ("ann", "person", 1.0)


def test_a_namesake_of_another_kind_is_a_neighbour():
    found = drinks().nearest("sam", of="person", k=9)
    assert ("sam", "drink", 6.0) in found
    assert ("sam", "person", 0.0) not in found
    with pytest.raises(InputError, match="'sam' is the name of a person and of a drink; say which"):
        drinks().nearest("sam")
    assert drinks().position("sam", kind="drink").tolist() == [10, 0]


def test_things_in_the_same_place_are_all_neighbours():
    m = Map(points={"a": np.zeros((5, 2))}, names={"a": range(5)}, masses={"a": np.ones(5)})
    assert sorted(n.name for n in m.nearest(3, k=4)) == [0, 1, 2, 4]
    assert len(m.nearest(3, k=2)) == 2


@settings(deadline=None)
@given(st.integers(0, 11), st.integers(1, 20))
def test_neighbours_are_those_of_all_distances(i, k):
    m = scattered()
    points = m.points["p"]
    distances = np.sqrt(((points - points[i]) ** 2).sum(axis=1))
    order = [j for j in np.argsort(distances) if j != i][:k]
    assert [n.name for n in m.nearest(f"p{i}", k=k)] == [f"p{j}" for j in order]
    everything = m.nearest(points[i], k=k)
    assert everything[0] == (f"p{i}", "p", 0.0)


@pytest.mark.parametrize("thing", [[0.9, 0], (0.9, 0.0), np.array([0.9, 0])])
def test_coordinates_may_be_asked_for(thing):
    assert drinks().nearest(thing, k=1)[0].name == "tea"


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (("annn",), UnknownNameError, "no thing on the map is called 'annn'; did you mean 'ann'"),
        (("ann", None, 3, "drink"), UnknownNameError, "no drink is called 'ann'"),
        (("ann", "food"), UnknownNameError, "no kind 'food'; it has 'person' and 'drink'"),
        (("rum",), UnknownNameError, "drink 'rum' is not placed: it has no counts"),
        (("ann", None, 0), InputError, "k of Map.nearest must be a whole number of at least 1"),
        (("ann", None, True), InputError, "k of Map.nearest must be"),
        (([1, 2, 3],), InputError, "coordinates on this map are 2 finite numbers; got"),
        (([1, np.nan],), InputError, "2 finite numbers"),
    ],
)
def test_what_cannot_be_asked_is_answered_with_what_can(ask, error, words):
    m = drinks(unplaced={"drink": ["rum"]})
    thing, kind, k, of = (*ask, *(None, None, 3, None)[len(ask) :])
    with pytest.raises(error, match=words):
        m.nearest(thing, kind, k, of=of)


# A map never changes -------------------------------------------------------------------------


def test_nothing_on_a_map_can_be_written_to():
    given_points = np.zeros((1, 2))
    m = Map(points={"a": given_points}, names={"a": ["x"]}, masses={"a": [1]}, settings={"s": 1})
    given_points[:] = 9
    assert not m.points["a"].any()
    with pytest.raises(ValueError, match="read-only"):
        m.points["a"][0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        m.masses["a"][0] = 1
    for mapping in (m.points, m.names, m.masses, m.unplaced, m.settings, m.evidence):
        with pytest.raises(TypeError, match="does not support item assignment"):
            mapping["a"] = 1
    with pytest.raises(AttributeError):
        m.status = "converged"


def test_equal_maps_are_equal_and_others_are_not():
    same = {"model": "CODE", "status": "converged", "evidence": {"a": 1.5}, "settings": {"q": 2}}
    assert drinks(**same) == drinks(**same)
    for other in ("model", "status", "evidence", "settings"):
        assert drinks(**same) != drinks(**{k: v for k, v in same.items() if k != other})
    assert scattered(seed=1) != scattered(seed=2)
    assert drinks() != "map"
    assert drinks(unplaced={"drink": ["rum"]}) != drinks()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])  # noqa: S301
def test_copies_are_equal_and_as_frozen(way):
    m = drinks(unplaced={"drink": ["rum"]}, evidence={"nested": {"a": [1, 2.5, None]}})
    again = way(m)
    assert again == m
    assert again.names["drink"].what == "drink"
    with pytest.raises(ValueError, match="read-only"):
        again.points["person"][0, 0] = 1


def test_what_is_noted_is_plain():
    m = drinks(evidence={"a": np.float64(2), "b": np.arange(2), "c": float("nan"), 4: (1, 2)})
    assert m.evidence == {"a": 2.0, "b": [0, 1], "c": None, "4": [1, 2]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": {}, "names": {}, "masses": {}}, "at least one kind"),
        ({"names": {"a": ["x"], "b": ["y"]}}, "must be of the same kinds"),
        ({"names": {"a": ["x", "y"]}}, "2 names, points of shape"),
        ({"masses": {"a": [1, 2]}}, "masses of shape"),
        ({"points": {"a": [[np.nan, 0]]}}, "must be finite"),
        ({"masses": {"a": [np.inf]}}, "must be finite"),
        ({"points": {"a": [1.0]}}, "they must agree"),
    ],
)
def test_what_is_no_map_is_refused(change, words):
    fields = {"points": {"a": [[0.0, 0]]}, "names": {"a": ["x"]}, "masses": {"a": [1]}} | change
    with pytest.raises(InputError, match=words):
        Map(**fields)


# Alignment -----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_alignment_undoes_any_rigid_motion(seed, q, mirrored):
    rng = np.random.default_rng(seed)
    m = scattered(10, q, seed)
    turn = ortho_group.rvs(q, random_state=seed % 2**32) if q > 1 else np.eye(1)
    turn = turn * np.where(np.arange(q) == 0, -1 if mirrored else 1, 1)
    order = rng.permutation(10)[:7]  # some are missing, the others in another order
    points = (m.points["p"] @ turn + 5 * rng.normal(size=q))[order]
    moved = Map(
        points={"p": points}, names={"p": m.names["p"].take(order)}, masses={"p": np.ones(7)}
    )
    back = moved.align(m)
    np.testing.assert_allclose(back.points["p"], m.points["p"][order], atol=1e-9)
    assert back.evidence["alignment"]["common"] == 7
    assert back.evidence["alignment"]["root_mean_square"] < 1e-9


def test_alignment_never_stretches_and_is_the_best_there_is():
    one, other = scattered(12, 2, 1), scattered(12, 2, 2)
    laid = one.align(other)
    before, after = (m.points["p"] @ m.points["p"].T for m in (one, laid))
    centred = [g - g.mean(0) - g.mean(1)[:, None] + g.mean() for g in (before, after)]
    np.testing.assert_allclose(*centred, atol=1e-12)
    found = laid.evidence["alignment"]["root_mean_square"]
    rng = np.random.default_rng(0)
    for _ in range(200):
        turn = ortho_group.rvs(2, random_state=rng)
        points = one.points["p"] @ turn
        points = points - points.mean(axis=0) + other.points["p"].mean(axis=0)
        rest = np.sqrt(((points - other.points["p"]) ** 2).sum(axis=1).mean())
        assert found <= rest + 1e-12


def test_what_cannot_be_aligned():
    with pytest.raises(InputError, match="maps in 3-D and 2-D cannot be laid"):
        scattered(q=3).align(scattered(q=2))
    with pytest.raises(InputError, match="nothing in common"):
        drinks().align(scattered(q=2))


# Frames --------------------------------------------------------------------------------------

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize("library", FRAMES)
def test_maps_as_frames(library):
    frame = drinks().frame(library=library)
    assert isinstance(frame, FRAMES[library])
    wanted = {
        "kind": ["person"] * 2 + ["drink"] * 3,
        "name": ["ann", "sam", "tea", "milk", "sam"],
        "x": [0.0, 4, 1, 3, 10], "y": [0.0] * 5,
        "mass": [0.5, 0.5, 0.6, 0.3, 0.1],
    }  # fmt: skip
    found = frame.to_pydict() if library == "pyarrow" else {k: list(frame[k]) for k in wanted}
    assert found == wanted
    assert list(drinks(library=library).frame("person")["name"]) == list(
        drinks().frame("person", library)["name"]
    )


def test_frames_keep_numbers_as_names_and_number_many_coordinates():
    m = Map(points={"a": np.zeros((2, 4))}, names={"a": [7, 3]}, masses={"a": [1, 1]})
    assert m.columns()["name"] == [7, 3]
    assert list(m.columns()) == ["kind", "name", "x1", "x2", "x3", "x4", "mass"]
    with pytest.raises(InputError, match="library must be one of pandas, polars, pyarrow; got 'r'"):
        m.frame(library="r")


def test_the_picture_of_a_map_in_words():
    assert repr(drinks(unplaced={"drink": ["rum"]}, model="CODE", status="converged")) == (
        "Map of person (2) and drink (3) in 2-D by CODE (converged; 1 not placed)"
    )
