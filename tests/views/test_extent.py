from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relmap.views import extent

numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
clouds = st.integers(1, 60).flatmap(lambda n: arrays(float, (n, 2), elements=numbers))


@given(clouds)
def test_the_frame_is_laid_around_nearly_all_points(points):
    kept = extent.within(points)
    assert (~kept).sum() <= max(np.sqrt(len(points)) / 2, 0)


@given(clouds, st.floats(0.01, 100), arrays(float, 2, elements=numbers))
def test_what_is_far_does_not_depend_on_units(points, scale, shift):
    assert np.array_equal(extent.within(points), extent.within(1024.0 * points))
    if len(points) < 4:
        assert extent.within(scale * points + shift).all()


@pytest.mark.parametrize("count", [9, 50, 1000])
def test_a_far_point_is_left_outside_and_a_merely_distant_one_is_not(count):
    points = np.random.default_rng(0).uniform(-1, 1, (count, 2))
    points[0] = [3 if count < extent.CROWD else 1.8, 0]
    assert extent.within(points).all()
    points[0] = [60, 0]
    assert extent.within(points).tolist() == [False] + [True] * (count - 1)


def test_two_camps_are_both_shown():
    camps = np.random.default_rng(0).normal(size=(100, 2))
    camps[:50] += 500
    assert extent.within(camps).all()


def test_points_in_one_place_and_one_elsewhere_are_all_shown():
    points = np.zeros((50, 2))
    points[7] = [1, 1]
    assert extent.within(points).all()


@given(clouds)
def test_limits_hold_all_points_and_have_a_size(points):
    box = extent.limits(points)
    assert (points >= box[:2]).all()
    assert (points <= box[2:]).all()
    assert (box[2:] - box[:2]).max() > 0


@given(clouds, st.floats(100, 900), st.floats(100, 900), st.floats(0, 60))
def test_a_fitted_box_has_the_frame_s_shape_holds_the_box_and_leaves_a_margin(
    points, width, height, margin
):
    box = extent.limits(points)
    fitted = extent.fitted(box, width, height, margin)
    size = fitted[2:] - fitted[:2]
    assert size[0] / width == pytest.approx(size[1] / height, rel=1e-6)
    unit = size[0] / width
    clear = min(margin, width / 4, height / 4)
    assert (box[:2] - fitted[:2] >= (clear - 0.01) * unit).all()
    assert (fitted[2:] - box[2:] >= (clear - 0.01) * unit).all()


@given(clouds)
def test_points_outside_are_pulled_to_the_border_towards_the_middle(points):
    box = np.array([-3.0, -2.0, 5.0, 4.0])
    middle = np.array([1.0, 1.0])
    pulled = extent.onto_border(points, box)
    inside = ((points >= box[:2]) & (points <= box[2:])).all(axis=1)
    assert np.allclose(pulled[inside], points[inside])
    edge = np.abs((pulled[~inside] - middle) / [4.0, 3.0]).max(axis=1)
    assert np.allclose(edge, 1.0)
    way, shown = (points - middle)[~inside], (pulled - middle)[~inside]
    parallel = way[:, 0] * shown[:, 1] - way[:, 1] * shown[:, 0]
    assert np.allclose(parallel / np.maximum(np.hypot(*way.T), 1), 0, atol=1e-6)
    assert ((way * shown).sum(axis=1) > 0).all()


@given(st.floats(1e-12, 1e12))
def test_a_round_length_is_round_and_not_much_shorter(length):
    found = extent.round_length(length)
    assert length / 2.51 <= found <= length * 1.001
    mantissa = float(f"{found:.6e}".split("e")[0])
    assume(mantissa > 0)
    assert mantissa in {1.0, 2.0, 5.0}
