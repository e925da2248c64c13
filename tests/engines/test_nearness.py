"""Near pairs against their definition, spelled out cell by cell."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial.distance import cdist

from relmap.engines import nearness
from relmap.engines.nearness import Cells, NearPairs


def near_in_rows(relation, k):
    """Which positive cells have fewer than k others before them in their row."""
    n, m = relation.shape
    exact = [[Fraction(value) for value in column] for column in relation.T]
    keys = [(sum(c), -sum(v * v for v in c)) for c in exact]
    before = np.zeros((n, m))
    for i in range(n):
        line = [(-relation[i, j], *keys[j]) for j in range(m)]
        before[i] = [sum(other < own for other in line) for own in line]
    return (before < k) & (relation > 0)


def near_pairs(relation, k_r, k_c):
    return near_in_rows(relation, k_c) & near_in_rows(relation.T, k_r).T


def room(relation, k_r, k_c):
    """How many columns are near each row, and rows near each column: k, or more that share."""
    sides = (relation, k_c), (relation.T, k_r)
    return [np.maximum(near_in_rows(side, k).sum(axis=1), k) for side, k in sides]


def near_on_map(distances, row_room, column_room):
    """Which pairs have no more things as close to either as there is room for."""
    limits = distances * (1 + 1e-9)
    in_rows = (distances[:, None, :] <= limits[:, :, None]).sum(axis=2)
    in_columns = (distances[:, None, :] <= limits[None, :, :]).sum(axis=0)
    return (in_rows <= row_room[:, None]) & (in_columns <= column_room)


def found(relation, k, **options):
    pairs = NearPairs.of(sparse.csr_array(relation), k, **options)
    assert len(pairs) == len(pairs.rows) == len(pairs.columns)
    return set(zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True))


def cells(mask):
    return set(zip(*(axis.tolist() for axis in np.nonzero(mask)), strict=True))


COUNTS = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.1]))
)


@given(COUNTS, st.integers(1, 4), st.integers(1, 11))
def test_near_pairs_are_those_of_the_definition(relation, k_r, k_c):
    relation = np.where(relation == 0.1, 0.5, relation)  # sums that are exact in any order
    assert found(relation, (k_r, k_c)) == cells(near_pairs(relation, k_r, k_c))


def test_near_pairs_of_many_counts_are_those_of_the_definition():
    relation = np.random.default_rng(3).geometric(0.4, (60, 45)) - 1.0
    assert found(relation, 5) == cells(near_pairs(relation, 5, 5))


@given(COUNTS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_of_storage_changes_nothing(relation, k, random):
    n, m = relation.shape
    rows, columns = random.sample(range(n), n), random.sample(range(m), m)
    moved = found(relation[np.ix_(rows, columns)], k)
    assert {(rows[i], columns[j]) for i, j in moved} == found(relation, k)
    assert {(j, i) for i, j in found(relation.T, k)} == found(relation, k)


@given(COUNTS, st.integers(1, 5))
def test_places_that_are_shared_add_up(relation, k):
    """k cells are first in every row, or all there are."""
    first = Cells.of(sparse.csr_array(relation)).first(k)
    rows = Cells.of(sparse.csr_array(relation)).rows[first.cells]
    shares = np.bincount(rows, first.shares, minlength=len(relation))
    np.testing.assert_allclose(shares, np.minimum((relation > 0).sum(axis=1), k), atol=1e-12)


def test_larger_then_more_specific_then_more_concentrated():
    relation = [[3, 2, 2, 1, 1],
                [0, 0, 5, 4, 2],
                [0, 0, 0, 0, 2]]  # fmt: skip
    assert {j for i, j in found(relation, (3, 1)) if i == 0} == {0}
    assert {j for i, j in found(relation, (3, 2)) if i == 0} == {0, 1}  # seen nowhere else
    assert {j for i, j in found(relation, (3, 4)) if i == 0} == {0, 1, 2, 3}  # 1, 4 before 1, 2, 2


def test_what_cannot_be_told_apart_is_near_together():
    assert found([[2, 2, 2, 1]], (1, 1)) == {(0, 0), (0, 1), (0, 2)}
    assert found([[2, 2, 2, 1]], (1, 3)) == {(0, 0), (0, 1), (0, 2)}
    assert found([[2, 2, 2, 1]], (1, 4)) == {(0, 0), (0, 1), (0, 2), (0, 3)}


def test_values_of_any_size_keep_their_order():
    values = [1e-320, 1e-60, 1e-59, 1.0, 1.0 + 1e-15, 1e60, 1e61, 1e200]
    for k in range(1, 9):
        assert found([values], (1, k)) == {(0, j) for j in range(8 - k, 8)}


def test_nothing_is_near_in_an_empty_relation():
    assert found(np.zeros((3, 4)), 2) == set()
    nothing = NearPairs.of(sparse.csr_array((3, 4)), 2)
    assert nothing.lost(np.zeros((3, 2)), np.zeros((4, 2))) == 0
    stored_zeros = sparse.csr_array((np.zeros(2), ([0, 1], [1, 0])), shape=(2, 2))
    assert len(NearPairs.of(stored_zeros, 2)) == 0


@pytest.mark.parametrize("k", [1, 5, (2, 4), 100])
@pytest.mark.parametrize("q", [1, 2, nearness.TREE, nearness.TREE + 1, 20])
def test_lost_is_that_of_the_definition(q, k, monkeypatch):
    monkeypatch.setattr(nearness, "BLOCK", 150)  # several blocks, the last one smaller
    rng = np.random.default_rng(q)
    relation = rng.geometric(0.4, (40, 30)) - 1.0
    rows, columns = rng.normal(size=(40, q)), rng.normal(size=(30, q))
    columns[5:9] = columns[4]
    pairs = k if isinstance(k, tuple) else (k, k)
    kept = near_pairs(relation, *pairs) & near_on_map(cdist(rows, columns), *room(relation, *pairs))
    assert NearPairs.of(sparse.csr_array(relation), k).lost(rows, columns) == (
        near_pairs(relation, *pairs).sum() - kept.sum()
    )


@pytest.mark.parametrize("q", [2, 12])
def test_a_map_that_keeps_the_order_loses_nothing_however_it_lies(q):
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(60, q)), rng.normal(size=(50, q))
    columns[10:14] = columns[9]  # the same column several times: one place, one distance
    pairs = NearPairs.of(sparse.csr_array(np.exp(-cdist(rows, columns))), 5)
    turn = np.linalg.qr(rng.normal(size=(q, q)))[0]
    for scale, shift in ((1, 0), (1e-6, 3), (1e6, 1)):
        assert pairs.lost(scale * rows @ turn + shift, scale * columns @ turn + shift) == 0
    assert pairs.lost(rng.normal(size=(60, q)), columns) > len(pairs) / 2


def test_distances_that_rounding_alone_sets_apart_are_one():
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    middle = np.zeros((1, 2))
    assert NearPairs.of(sparse.csr_array(np.ones((1, 12))), 1).lost(middle, circle) == 0
    one = NearPairs.of(sparse.csr_array(np.eye(1, 12, 3)), 1)
    assert one.lost(middle, circle) == 1  # all are as close: a crowd tells nothing
    circle[3] /= 1 + 1e-12
    assert one.lost(middle, circle) == 1
    circle[3] /= 1 + 1e-6
    assert one.lost(middle, circle) == 0


@pytest.mark.parametrize("q", [2, 12])
def test_a_map_with_all_in_one_place_keeps_nothing(q):
    relation = np.random.default_rng(3).random((30, 20))
    pairs = NearPairs.of(sparse.csr_array(relation), 5)
    for place in (0.0, 0.3):
        lost, strain = pairs.strain(np.full((30, q), place), np.full((20, q), place))
        assert lost == len(pairs)
        assert np.isfinite(strain)
    noise = np.random.default_rng(4).normal(size=(30, q))
    far = np.vstack([np.ones((1, q)), np.zeros((19, q))])
    assert pairs.lost(1e-14 * noise, far) >= len(pairs) - 5  # as good as one place
    assert (
        NearPairs.of(sparse.csr_array(np.ones((4, 6))), 2).lost(np.ones((4, q)), np.ones((6, q)))
        == 0
    )


@pytest.mark.parametrize("q", [2, 12])
def test_things_are_not_near_themselves(q):
    points = np.random.default_rng(1).normal(size=(30, q))
    distances = cdist(points, points)
    relation = sparse.csr_array(np.exp(-distances))
    pairs = NearPairs.of(relation, 3, same=True)
    assert not (pairs.rows == pairs.columns).any()
    assert pairs.lost(points, points) == 0
    others = np.random.default_rng(2).normal(size=(30, q))
    there = cdist(others, others)
    for d in (distances, there):
        np.fill_diagonal(d, np.inf)
    three = np.full(30, 3), np.full(30, 3)
    lost = near_on_map(distances, *three) & ~near_on_map(there, *three)
    assert pairs.lost(others, others) == lost.sum()


@pytest.mark.parametrize("q", [2, 20])
def test_threads_change_nothing(q, monkeypatch):
    rng = np.random.default_rng(q)
    rows, columns = rng.normal(size=(300, q)), rng.normal(size=(200, q))
    monkeypatch.setattr(nearness, "BLOCK", 2000)
    answers = set()
    for threads in ("1", "3"):
        monkeypatch.setenv("RELMAP_THREADS", threads)
        answers.add(nearness.reaches(rows, columns, np.full(300, 5)).tobytes())
    assert len(answers) == 1


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_a_relation_of_any_order_of_magnitude_gives_the_same_pairs(seed):
    relation = np.random.default_rng(seed).poisson(1, (12, 15)).astype(float)
    assert found(relation * 2.0**-140, 3) == found(relation, 3) == found(relation * 2.0**300, 3)
