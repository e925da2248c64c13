from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relmap.views.labels import Ground, place

EDGE = 300.0


def ground(count, seed, kinds=1, spread=1.0):
    rng = np.random.default_rng(seed)
    centres = EDGE / 2 + spread * (rng.random((count, 2)) - 0.5) * (EDGE - 12)
    return Ground(EDGE, EDGE, centres, rng.uniform(0.8, 5.0, count), rng.integers(0, kinds, count))


def sizes(seed, count):
    rng = np.random.default_rng(seed)
    drawn = np.stack([rng.uniform(4, 110, count), rng.uniform(7, 14, count)], axis=1)
    return lambda point: tuple(drawn[point])


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def crosses(line, box):
    """Whether a segment meets the inside of a box (Liang and Barsky)."""
    start, way, first, last = line[:2], line[2:] - line[:2], 0.0, 1.0
    for i in range(2):
        if way[i] == 0:
            if not box[i] < start[i] < box[i + 2]:
                return False
            continue
        near, far = sorted(((box[i] - start[i]) / way[i], (box[i + 2] - start[i]) / way[i]))
        first, last = max(first, near), min(last, far)
    return first < last


crowds = st.tuples(st.integers(0, 70), st.integers(0, 10**6), st.sampled_from([1.0, 0.5, 0.1, 0.0]))


def cross(one, other):
    """Whether two segments cross."""
    way, back = one[2:] - one[:2], other[2:] - other[:2]
    across = way[0] * back[1] - way[1] * back[0]
    if abs(across) < 1e-9:
        return False
    gap = other[:2] - one[:2]
    here = (gap[0] * back[1] - gap[1] * back[0]) / across
    there = (gap[0] * way[1] - gap[1] * way[0]) / across
    return 0 < here < 1 and 0 < there < 1


def laid(case):
    count, seed, spread = case
    under, size = ground(count, seed, spread=spread), sizes(seed, count)
    return under, size, place(under, range(count), size, [count, count])


def inside(points, box):
    left, bottom, right, top = box
    x, y = points.T
    return (left < x) & (x < right) & (bottom < y) & (y < top)


@settings(max_examples=40, deadline=None)
@given(crowds)
def test_labels_keep_clear_of_each_other_of_the_frame_of_lines_and_of_labelled_points(case):
    under, _, placed = laid(case)
    boxes, lines = placed.boxes, placed.leaders
    assert len(set(placed.points.tolist())) == len(boxes) == len(lines)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= EDGE).all()
    for i, box in enumerate(boxes):
        assert not any(overlap(box, other) for other in boxes[:i])
        others = (line for j, line in enumerate(lines) if j != i and not np.isnan(line[0]))
        assert not any(crosses(line, box) for line in others)
        assert not inside(under.centres[placed.points], box).any()


@settings(max_examples=30, deadline=None)
@given(crowds)
def test_lines_do_not_cross(case):
    lines = [line for line in laid(case)[2].leaders if not np.isnan(line[0])]
    assert not any(cross(line, other) for i, line in enumerate(lines) for other in lines[:i])


@settings(max_examples=30, deadline=None)
@given(crowds)
def test_a_label_has_the_size_asked_for_and_belongs_to_its_point(case):
    under, size, placed = laid(case)
    for point, box, line in zip(placed.points, placed.boxes, placed.leaders, strict=True):
        centre, radius = under.centres[point], under.radii[point]
        assert np.allclose(box[2:] - box[:2], size(point))
        away = np.hypot(*(np.clip(centre, box[:2], box[2:]) - centre))
        assert away > 0.6 * radius
        if np.isnan(line).all():
            assert away < radius + 5
        else:
            assert np.hypot(*(line[:2] - centre)) == pytest.approx(radius + 0.5)
            assert np.allclose(line[2:], np.clip(centre, box[:2], box[2:]))


def test_points_far_apart_all_get_their_label_at_the_right_without_a_line():
    grid = np.stack(np.meshgrid(np.arange(40, 240, 80.0), np.arange(20, 290, 30.0)), -1)
    centres = grid.reshape(-1, 2)
    count = len(centres)
    under = Ground(EDGE, EDGE, centres, np.full(count, 3.0), np.zeros(count, dtype=int))
    placed = place(under, range(count), lambda _: (40.0, 10.0), [count, count])
    assert placed.points.tolist() == list(range(count))
    assert np.isnan(placed.leaders).all()
    assert (placed.boxes[:, 0] > centres[:, 0]).all()


def test_few_points_are_never_covered_while_there_is_room():
    under = ground(30, 5)
    placed = place(under, range(30), lambda _: (35.0, 10.0), [30, 30])
    assert len(placed.points) == 30
    assert not any(inside(under.centres, box).any() for box in placed.boxes)


def test_coinciding_points_get_labels_around_them():
    under = Ground(EDGE, EDGE, np.full((9, 2), 150.0), np.full(9, 3.0), np.zeros(9, dtype=int))
    placed = place(under, range(9), lambda _: (30.0, 10.0), [9, 9])
    assert len(placed.points) >= 6


def test_the_more_important_label_wins_the_only_place():
    under = Ground(40.0, 14.0, np.full((2, 2), 6.0), np.full(2, 2.0), np.zeros(2, dtype=int))
    for first, second in ((0, 1), (1, 0)):
        assert place(under, [first, second], lambda _: (20.0, 9.0), [2, 2]).points == [first]


def test_numbers_are_kept_per_kind_and_in_all():
    under = ground(100, 1, kinds=3)
    for most in ([5, 0, 100, 9], [3, 3, 3, 4], [2, 3, 0, 100], [0, 0, 9, 100], [9, 9, 9, 0]):
        placed = place(under, range(100), lambda _: (12.0, 8.0), most)
        shown = np.bincount(under.kinds[placed.points], minlength=3)
        assert (shown <= most[:3]).all()
        assert shown.sum() == min(most[3], sum(most[:3]))


def test_the_same_labels_every_time():
    under = ground(90, 4)
    first, again = (place(under, range(90), sizes(4, 90), [90, 90]) for _ in range(2))
    assert np.array_equal(first.boxes, again.boxes)


def test_time_grows_no_faster_than_the_number_of_points():
    def seconds(count):
        under = ground(count, 2)
        start = time.perf_counter()
        place(under, range(count), lambda _: (30.0, 9.0), [100, 100])
        return time.perf_counter() - start

    seconds(100)
    assert seconds(200_000) < 3.0
