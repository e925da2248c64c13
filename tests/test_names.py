"""Names are distinct, keep what they are, and find each other."""

from __future__ import annotations

import datetime as dt
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relmap._names import Names
from relmap.errors import InputError, UnknownNameError

names = st.lists(st.one_of(st.text(), st.integers()), unique=True)


@given(names)
def test_positions_and_names_are_inverse(given_names):
    found = Names(given_names)
    assert list(found) == given_names
    assert [found.position(name) for name in given_names] == list(range(len(given_names)))
    assert found.find(given_names).tolist() == list(range(len(given_names)))
    assert found.take(range(len(given_names))) == found


@given(names, st.randoms(use_true_random=False))
def test_taking_and_knowing_follow_the_given_order(given_names, random):
    found = Names(given_names, "word")
    chosen = random.sample(range(len(given_names)), len(given_names) // 2)
    assert found.take(chosen) == [given_names[i] for i in chosen]
    assert found.take(chosen).what == "word"
    shuffled = random.sample(given_names, len(given_names))
    assert found.known([*shuffled, object()]) == given_names


@given(names)
def test_equal_names_are_equal_however_they_came(given_names):
    found = Names(given_names, "a")
    assert found == Names(tuple(given_names), "b") == given_names
    assert hash(found) == hash(Names(given_names))
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
    assert found != [*given_names, "one more"]


def test_numbers_and_texts_are_kept_apart_and_anything_else_is_written_out():
    day = dt.date(2020, 1, 2)
    found = Names([7, "7", np.int32(3), np.str_("a"), 1.5, day, (1, 2), True])
    assert found[:] == (7, "7", 3, "a", "1.5", "2020-01-02", "(1, 2)", "True")
    assert {type(name) for name in found} == {int, str}
    assert not found.all_text
    assert Names(["a", "b"]).all_text


@pytest.mark.parametrize("nothing", [None, float("nan"), np.datetime64("NaT")])
def test_nothing_is_no_name(nothing):
    with pytest.raises(InputError, match="word number 2 has no name"):
        Names(["a", nothing], "word")


@pytest.mark.parametrize("twice", [["a", "b", "a"], [1, 1.0, "1.0"], [2, np.int64(2)]])
def test_repeated_names_are_refused_with_the_first(twice):
    with pytest.raises(
        InputError, match=r"row names must be distinct, but .* occurs more than once"
    ):
        Names(twice)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("banana", "no fruit is called 'banana'; did you mean 'Banana'"),
        ("aple", "no fruit is called 'aple'; did you mean 'apple'"),
        (7, "no fruit is called 7; the text '7' is there"),
        ("12", "no fruit is called '12'; the number 12 is there"),
        ("zzz", "no fruit is called 'zzz' \\(4 names are known\\)"),
        (["apple"], "no fruit is called .'apple'."),
        (None, "no fruit is called None"),
    ],
)
def test_an_unknown_name_is_answered_with_close_ones(asked, words):
    with pytest.raises(UnknownNameError, match=words):
        Names(["apple", "Banana", "7", 12], "fruit").position(asked)


def test_what_can_be_asked_without_raising():
    found = Names(["a"])
    assert "a" in found
    assert "b" not in found
    assert ["a"] not in found
    assert Names.numbered(3) == [0, 1, 2]
    assert Names.of(found, "row") is found
    assert Names.of(found, "word").what == "word"
    assert repr(Names("abcde", "x")) == "Names(['a', 'b', 'c', 'd', …], 5 x names)"
