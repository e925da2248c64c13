"""A setting is what its rule says, and what it is not is said in one shape of sentence."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from relmap import _check
from relmap._types import generator
from relmap.errors import InputError

nothing_like_it = [None, "1", [1], object(), np.nan, True, np.True_]


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        (_check.whole(1), [1, 2, np.int8(3), 10**30], [0, -1, 1.0, np.float64(2)]),
        (_check.number(0), [0, 0.0, 1e300, np.float32(2), Fraction(1, 3)], [-1e-300, np.inf, 1j]),
        (_check.one_of("a", "b"), ["a", "b", np.str_("a")], ["c", "", "A", b"a"]),
        (_check.pair_of_arrays(), [([1], [2]), [[1], [2]]], [(), (1,), (1, 2, 3), np.eye(2)]),
        (
            _check.SEED,
            [None, 0, np.int64(3), np.random.default_rng(0), np.random.RandomState(0)],
            [-1, 1.0, np.random],
        ),
        (_check.CALLBACKS, [None, print, [], (print, len)], [3, [3], [print, 3], {print}]),
    ],
)
def test_rules_allow_what_they_say_and_nothing_else(rule, right, wrong):
    assert all(rule.allows(value) for value in right)
    unlike = [v for v in nothing_like_it if not (v is None and rule.allows(None))]
    assert not any(rule.allows(value) for value in [*wrong, *unlike])


def test_two_rules_allow_what_either_does():
    rule = _check.one_of("auto") | _check.whole(2)
    assert rule.allows("auto")
    assert rule.allows(2)
    assert not rule.allows(1)
    assert rule.words == "'auto' or a whole number of at least 2"


def test_the_first_broken_rule_is_named_with_owner_and_value():
    rules = {"k": _check.whole(1), "tol": _check.number(0.5)}
    _check.check("SNE", {"k": 1, "tol": 0.5, "free": object()}, rules)
    with pytest.raises(
        InputError, match=r"^k of SNE must be a whole number of at least 1; got 0\.$"
    ):
        _check.check("SNE", {"k": 0, "tol": 0}, rules)
    with pytest.raises(
        InputError, match=r"^tol of SNE must be a number of at least 0\.5; got 0\.$"
    ):
        _check.check("SNE", {"k": 1, "tol": 0}, rules)


def test_decimals_are_no_numbers_of_ours():
    assert not _check.number(0).allows(Decimal(1))


def test_the_same_seed_is_the_same_generator_in_each_form():
    assert generator(3).random() == generator(np.int64(3)).random()
    assert (
        generator(np.random.RandomState(3)).random() == generator(np.random.RandomState(3)).random()
    )
    own = np.random.default_rng(0)
    assert generator(own) is own
