from __future__ import annotations

import numpy as np
import pytest

from relmap.views.scene import LONGEST, scene, shown


def test_layers_follow_the_kinds_and_the_colours_follow_the_map(survey):
    whole = scene(survey)
    assert [layer.kind for layer in whole.layers] == ["task", "who"]
    turned = scene(survey, kinds=["who", "task"])
    assert [layer.kind for layer in turned.layers] == ["who", "task"]
    assert {k.kind: k.look for k in whole.layers} == {k.kind: k.look for k in turned.layers}


def test_every_label_is_ranked_once(survey):
    ranking = scene(survey).ranking()
    assert len(ranking) == len(set(ranking)) == 17


def test_sizes_grow_with_the_fourth_root_of_the_mass(make):
    masses = np.array([1.0, 1.0, 1.0, 1.0, 2.0, 4.0])
    sizes = scene(make({"a": np.eye(6, 2)}, masses={"a": masses})).layers[0].sizes
    assert np.allclose(sizes, masses**0.25)


def test_six_powers_of_ten_stay_within_bounds(make):
    masses = 10.0 ** -np.arange(7.0)
    layer = scene(make({"a": np.eye(7, 2)}, masses={"a": masses})).layers[0]
    assert layer.sizes.max() / layer.sizes.min() < 3
    assert layer.stress[0] == 1
    assert layer.stress[-1] == 0


def test_equal_masses_are_drawn_alike(make):
    layer = scene(make({"a": np.eye(9, 2)})).layers[0]
    assert set(layer.sizes) == {1.0}
    assert set(layer.stress) == {0.0}


def test_small_differences_of_mass_are_not_stressed(make):
    layer = scene(make({"a": np.eye(2)}, masses={"a": [1.0, 1.1]})).layers[0]
    assert layer.stress.max() < 0.05


def test_the_heaviest_comes_first_and_the_lonely_come_early(make):
    rng = np.random.default_rng(0)
    points = np.concatenate([0.02 * rng.normal(size=(200, 2)), [[1.0, 1.0]]])
    masses = np.concatenate([np.linspace(2, 1, 200), [0.01]])
    order = scene(make({"a": points}, masses={"a": masses})).layers[0].order
    assert order[0] == 0
    assert order.tolist().index(200) < 40
    assert sorted(order) == list(range(201))


def test_kinds_take_turns_by_the_square_root_of_their_numbers(make):
    rng = np.random.default_rng(0)
    m = make({"rare": rng.normal(size=(100, 2)), "common": rng.normal(size=(1600, 2))})
    first = [number for number, _ in scene(m).ranking()[:100]]
    assert first.count(0) == pytest.approx(20, abs=2)


def test_a_list_is_taken_in_its_order(survey):
    layer = scene(survey, labels=["task 7", "task 2", "who 0"]).layers[0]
    assert layer.order.tolist() == [7, 2]


def test_names_of_two_kinds_are_both_labelled(make):
    m = make({"a": np.eye(2), "b": np.eye(2)}, names={"a": ["x", "y"], "b": ["y", "z"]})
    both = scene(m, labels=["y"])
    assert [layer.order.tolist() for layer in both.layers] == [[1], [0]]
    one = scene(m, labels={"b": ["y"]})
    assert [layer.order.tolist() for layer in one.layers] == [[], [0]]


@pytest.mark.parametrize(
    ("labels", "asked", "most"),
    [
        ("auto", 17, None),
        (5, 17, 5),
        (50, 17, 17),
        (False, 0, 0),
        (["who 1"], 1, 1),
        ({"task": 3}, 3, 3),
        ({"task": 3, "who": "auto"}, 7, None),
        ({"task": 99, "who": ["who 0"]}, 14, 14),
        ({"task": False, "who": 2}, 2, 2),
        ({"task": np.int64(2)}, 2, 2),
    ],
)
def test_how_many_labels_are_asked_for(survey, labels, asked, most):
    found = scene(survey, labels=labels)
    assert (found.labelled, found.most) == (asked, most)


def test_a_map_on_one_axis_has_a_row_per_kind(make):
    m = make({k: np.random.default_rng(0).normal(size=(5, 1)) for k in "abc"})
    rows = [set(layer.points[:, 1]) for layer in scene(m).layers]
    assert all(len(row) == 1 for row in rows)
    heights = [row.pop() for row in rows]
    assert heights == sorted(heights, reverse=True)
    assert np.ptp(np.diff(heights)) == pytest.approx(0)


def test_nothing_of_the_map_is_changed(survey):
    before = {k: p.copy() for k, p in survey.points.items()}
    scene(survey, labels={"task": 3}, axes=(1, 0))
    assert all(np.array_equal(before[k], survey.points[k]) for k in before)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("plain", "plain"),
        (7, "7"),
        (" a \r\n\t b ", "a b"),
        ("", '""'),
        ("\x00\x1b", '""'),
        ("日本語", "日本語"),
        ("y" * LONGEST, "y" * LONGEST),
        ("y" * (LONGEST + 1), "y" * (LONGEST - 1) + "…"),
        ("a word and more words and then more", "a word and more words and the…"),
    ],
)
def test_names_are_shown_on_one_line_and_not_too_long(name, seen):
    assert shown(name) == seen
