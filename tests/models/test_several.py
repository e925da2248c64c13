"""CODE of several tables, within kinds, of three-way counts, and on earlier maps."""

from __future__ import annotations

import pickle
import threading
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import logsumexp

from registry import friends, smoke, words
from relmap import (
    ACAS,
    CODE,
    MKPE,
    BipartiteSpectral,
    CoEmbedding,
    CorrespondenceAnalysis,
    LatentSemanticIndexing,
    Map,
    Relations,
    Table,
    Triples,
    load,
)
from relmap._progress import Bar, Step
from relmap.engines import descent
from relmap.errors import ConvergenceWarning, InputError, RelmapWarning, UnknownNameError
from relmap.maps.align import procrustes
from relmap.models.cooccurrence.layout import Layout
from relmap.models.cooccurrence.likelihood import VARIANTS
from relmap.models.cooccurrence.problem import Problem

FINE = {"tol": 0, "max_iter": 5000, "penalty": 1e-3}
every_variant = pytest.mark.parametrize("variant", VARIANTS)
quick = pytest.mark.filterwarnings("ignore::relmap.errors.ConvergenceWarning")

# Tables --------------------------------------------------------------------------------------

SIZES = {"doc": 14, "word": 12, "author": 7}
_rng = np.random.default_rng(4)
TRUTH = {kind: _rng.normal(0, 0.7, (n, 2)) for kind, n in SIZES.items()}


def counted(rows, columns, seed=0, rate=9.0):
    """Poisson counts around the truth; rows and columns are a kind and the numbers of things."""
    rng = np.random.default_rng(seed)
    (a, i), (b, j) = rows, columns
    squares = ((TRUTH[a][i][:, None] - TRUTH[b][j]) ** 2).sum(axis=2)
    names = [f"{a} {k}" for k in i], [f"{b} {k}" for k in j]
    return Table(rng.poisson(rate * np.exp(-squares)), *names, a, b)


def doc_word():
    """Ten of the words, the last two of them never seen here."""
    table = counted(("doc", np.arange(14)), ("word", np.arange(12)))
    counts = table.counts.toarray()
    counts[:, 8:10] = 0
    return Table(counts[:, :10], table.rows, table.columns[:10], "doc", "word")


def author_word():
    """Other words, in another order; among them those that no document has."""
    return counted(("author", np.arange(7)), ("word", np.array([11, 3, 9, 0, 8, 5, 10, 2])), 1)


def author_doc():
    return counted(("author", np.arange(7)[::-1]), ("doc", np.arange(14)), 2)


def word_word(loops=False):
    table = counted(("word", np.arange(12)), ("word", np.arange(12)), 3)
    counts = table.counts.toarray()
    if not loops:
        np.fill_diagonal(counts, 0)
    return Table(counts, table.rows, table.columns, "word", "word")


def triples(events=1500, seed=0):
    """Who wrote what in which document: authors and documents explain the word."""
    rng = np.random.default_rng(seed)
    author, doc = rng.integers(7, size=events), rng.integers(14, size=events)
    middles = (TRUTH["author"][author] + TRUTH["doc"][doc]) / 2
    chances = np.exp(-((middles[:, None] - TRUTH["word"]) ** 2).sum(axis=2))
    chances /= chances.sum(axis=1, keepdims=True)
    word = [rng.choice(12, p=row) for row in chances]
    named = [
        [f"{kind} {k}" for k in numbers]
        for kind, numbers in (("author", author), ("doc", doc), ("word", word))
    ]
    return Triples(*named, kinds=("author", "doc", "word"))


def two():
    return Relations([doc_word(), author_word()])


def three():
    return Relations([doc_word(), author_word(), author_doc()])


SETS = {
    "two": two,
    "three": three,
    "within": lambda: Relations([doc_word(), word_word()]),
    "loops": lambda: Relations([word_word(loops=True), doc_word()]),
    "triples": lambda: Relations([triples()]),
    "triples beside": lambda: Relations([author_word(), triples()]),
}
every_set = pytest.mark.parametrize("relations", SETS.values(), ids=SETS)


def fitted(relations, **settings):
    """Fit without minding whether the run converged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return CODE(**settings).fit(relations)


def problem_of(relations, **settings):
    relations = relations if isinstance(relations, Relations) else Relations([relations])
    known = {**CODE().get_params(), **settings}
    return Problem.of(Layout(relations, loops=bool(known["self_pairs"])), known)


def somewhere(problem, size=0.6, seed=0):
    return size * np.random.default_rng(seed).normal(size=(problem.size, problem.n_components))


# By hand, with names and nothing clever ------------------------------------------------------


def cells(table):
    """Every line with counts, as names of the things it lies in the middle of, and the counts."""
    counts = table.counts.toarray()
    if isinstance(table, Triples):
        first, second, third = (list(names) for names in table.names)
        i, j = table.pairs
        kinds = table.kinds
        rows = [((kinds[0], first[a]), (kinds[1], second[b])) for a, b in zip(i, j, strict=True)]
        columns = [((kinds[2], name),) for name in third]
    else:
        rows = [((table.row_kind, name),) for name in table.rows]
        columns = [((table.column_kind, name),) for name in table.columns]
    if table.kinds[0] == table.kinds[-1]:
        seen = [k for k in range(len(rows)) if counts[k].any() or counts[:, k].any()]
        keep = seen, seen
    else:
        keep = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
    return [rows[k] for k in keep[0]], [columns[k] for k in keep[1]], counts[np.ix_(*keep)]


def by_hand(table, variant, position, *, loops=True):
    """The mean log-likelihood of an observed pair; `position` gives the place of (kind, name)."""
    rows, columns, counts = cells(table)
    rows, columns = (
        np.array([np.mean([position(*thing) for thing in line], axis=0) for line in side])
        for side in (rows, columns)
    )
    p = counts / counts.sum()
    r, c = p.sum(axis=1, keepdims=True), p.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = -((rows[:, None] - columns) ** 2).sum(axis=2)
        logs = logs + (np.log(r) if variant[0] == "M" else 0)
        logs = logs + (np.log(c) if variant[1] == "M" else 0)
        if not loops:
            np.fill_diagonal(logs, -np.inf)
        if variant[0] == "C":
            log_m = logs - logsumexp(logs, axis=1, keepdims=True) + np.log(r)
        elif variant[1] == "C":
            log_m = logs - logsumexp(logs, axis=0, keepdims=True) + np.log(c)
        else:
            log_m = logs - logsumexp(logs)
    return float(p[p > 0] @ log_m[p > 0])


def on(shown):
    return lambda kind, name: shown.position(name, kind)


def apart(one, other):
    """How far two maps are from each other after the best rigid motion."""
    return one.align(other).evidence["alignment"]["root_mean_square"]


def same(one, other, tolerance=1e-6):
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, abs=1e-9)
    assert apart(one.map_, other.map_) < tolerance


# What is maximised ---------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("weights", ["equal", "size", [3, 1, 4]], ids=str)
def test_the_likelihood_is_the_weighted_sum_of_those_of_the_tables(variant, weights):
    """Names in other orders, things that one table does not know, lines empty in one only."""
    relations = three()
    model = fitted(relations, variant=variant, weights=weights, max_iter=4)
    shapes = [cells(table)[2].shape for table in relations.tables]
    wanted = {"equal": [1, 1, 1], "size": [1 / (n * m) for n, m in shapes]}
    shares = np.array(wanted[weights] if isinstance(weights, str) else weights, dtype=float)
    shares /= shares.sum()
    values = [by_hand(table, variant, on(model.map_)) for table in relations.tables]
    assert model.log_likelihood_ == pytest.approx(shares @ values, rel=1e-9)
    for fit, table, weight, value in zip(
        model.tables_, relations.tables, shares, values, strict=True
    ):
        assert fit.kinds == table.kinds
        assert fit.variant == variant
        assert fit.weight == pytest.approx(weight)
        assert fit.log_likelihood == pytest.approx(value, rel=1e-9)
    assert model.map_.evidence["tables"][1]["kinds"] == "author × word"
    assert model.map_.evidence["tables"][1]["weight"] == pytest.approx(shares[1])


@every_set
@pytest.mark.parametrize("variant", ["CM", "CU"])
def test_the_likelihood_by_hand_whatever_the_tables(relations, variant):
    model = fitted(relations(), variant=variant, max_iter=4)
    for table, fit in zip(relations().tables, model.tables_, strict=True):
        square = table.kinds[0] == table.kinds[-1]
        loops = not square or bool(table.counts.diagonal().any())
        value = by_hand(table, variant, on(model.map_), loops=loops)
        assert fit.log_likelihood == pytest.approx(value, rel=1e-9)


def test_every_table_may_have_its_own_variant():
    relations, variants = three(), ("MM", "UC", "CU")
    model = fitted(relations, variant=variants, max_iter=4)
    assert tuple(fit.variant for fit in model.tables_) == variants
    for table, fit in zip(relations.tables, model.tables_, strict=True):
        value = by_hand(table, fit.variant, on(model.map_))
        assert fit.log_likelihood == pytest.approx(value, rel=1e-9)
    alike = fitted(relations, variant=["CM"] * 3, max_iter=4)
    assert dict(alike.map_.points.items()).keys() == set(SIZES)
    same(alike, fitted(relations, max_iter=4), 1e-12)


@every_set
@pytest.mark.parametrize("variant", ["CM", "CU"])
@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"penalty": 0.3, "weights": "size"}, {"weighting": "rows"}], ids=str
)
def test_gradients_are_the_differences_of_losses(relations, variant, q, options):
    problem = problem_of(relations(), variant=variant, n_components=q, **options)
    start = somewhere(problem).ravel()
    assert descent.gradient_error(problem.descent(start), directions=4) < 1e-6


@pytest.mark.parametrize("variant", ["MM", "MC", "UU", ["UC", "MU", "CM"]], ids=str)
def test_gradients_of_other_variants(variant):
    problem = problem_of(three(), variant=variant)
    assert descent.gradient_error(problem.descent(somewhere(problem).ravel())) < 1e-6


@every_set
def test_gradients_with_pins_and_springs(relations):
    """What is pinned has no slope; along directions that leave it where it is, all is as stated."""
    problem = problem_of(relations(), penalty=0.1)
    rng = np.random.default_rng(1)
    problem = problem.tied(rng.uniform(0, 0.5, problem.size), somewhere(problem, seed=2))
    assert descent.gradient_error(problem.descent(somewhere(problem).ravel())) < 1e-6
    pinned = rng.uniform(size=problem.size) < 0.3
    x = somewhere(problem)
    problem = problem.pinning(pinned, x)
    start = problem.joined(x)
    slopes = problem.loss(start)[1].reshape(x.shape)
    assert not slopes[pinned].any()
    direction = np.where(pinned[:, None], 0, rng.normal(size=x.shape)).ravel()
    ahead, behind = (problem.loss(start + h * direction)[0] for h in (1e-5, -1e-5))
    assert (ahead - behind) / 2e-5 == pytest.approx(slopes.ravel() @ direction, rel=1e-6)


# What does not matter ------------------------------------------------------------------------


@pytest.mark.parametrize("relations", [two, three, SETS["within"], SETS["triples beside"]])
def test_the_order_of_tables_does_not_matter(relations):
    one = fitted(relations(), **FINE)
    same(one, fitted(Relations(relations().tables[::-1]), **FINE))


def test_the_order_of_names_does_not_matter():
    rng = np.random.default_rng(0)

    def shuffled(table):
        return table.select(
            rng.permutation(np.array(table.rows)).tolist(),
            rng.permutation(np.array(table.columns)).tolist(),
        )

    one, other = (
        fitted(three(), **FINE),
        fitted(Relations([shuffled(table) for table in three().tables]), **FINE),
    )
    same(one, other)


def test_the_order_of_events_does_not_matter():
    table = triples()
    cell = table.counts.tocoo()
    order = np.random.default_rng(0).permutation(cell.nnz)
    first, second = (table.pairs[k][cell.row[order]] for k in (0, 1))
    listed = [
        [names[i] for i in part]
        for names, part in zip(table.names, (first, second, cell.col[order]), strict=True)
    ]
    other = Triples(*listed, cell.data[order], kinds=table.kinds)
    assert other.total == table.total == 1500
    same(fitted(table, **FINE), fitted(other, **FINE))


@pytest.mark.parametrize("table", [smoke, words, friends])
@pytest.mark.parametrize("settings", [{}, {"n_init": 2, "variant": "MM"}])
def test_one_table_is_one_table(table, settings):
    settings = {"random_state": 0, **settings}
    one, other = fitted(table(), **settings), fitted(Relations([table()]), **settings)
    assert one.map_ == other.map_
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
    assert one.map_.evidence.get("tables") is None


@pytest.mark.parametrize("weights", ["equal", [0.1, 5]], ids=str)
def test_a_table_given_twice_is_one_table(weights):
    same(fitted(Relations([words(), words()]), weights=weights, **FINE), fitted(words(), **FINE))


def test_weights_count_by_their_shares():
    one = fitted(three(), weights=[3, 1, 2], max_iter=30)
    same(one, fitted(three(), weights=np.array([1.5, 0.5, 1.0]), max_iter=30), 1e-12)
    assert sum(fit.weight for fit in one.tables_) == pytest.approx(1)
    shapes = [cells(table)[2].shape for table in three().tables]
    sizes = [1 / (n * m) for n, m in shapes]
    one, other = (fitted(three(), weights=w, max_iter=30) for w in ("size", sizes))
    same(one, other, 1e-12)


@pytest.mark.filterwarnings("ignore::relmap.errors.ConvergenceWarning")
def test_weights_may_be_given_with_the_tables():
    """For one fit; the setting stays what it was."""
    model = CODE(penalty=1e-3, max_iter=30, random_state=0)
    given = model.fit(three(), weights=[3, 1, 4]).map_
    assert model.weights == "equal"
    set_ = CODE(penalty=1e-3, max_iter=30, random_state=0, weights=[3, 1, 4]).fit(three()).map_
    for kind in given.kinds:
        np.testing.assert_array_equal(given.points[kind], set_.points[kind])
    assert given.settings["weights"] == [3, 1, 4]
    with pytest.raises(InputError, match="weights of CODE must be"):
        model.fit(three(), weights="rows")


def test_a_heavier_table_is_explained_better():
    light, heavy = (fitted(three(), weights=[w, 1, 1], **FINE).tables_[0] for w in (1, 9))
    assert heavy.log_likelihood > light.log_likelihood


def test_a_map_of_all_tables_explains_each_less_than_its_own():
    model = fitted(three(), **FINE)
    assert model.evidence_.holds()
    for table, fit in zip(three().tables, model.tables_, strict=True):
        alone = fitted(table, n_init=3, random_state=0, max_iter=3000)
        assert 0 < fit.explained_information < alone.explained_information_ < 1
    weights = [fit.weight * fit.explained_information for fit in model.tables_]
    assert min(weights) < model.explained_information_ / 2 < max(weights) * 3


# Within one kind -----------------------------------------------------------------------------


def without_loops(table):
    counts = table.counts.toarray()
    np.fill_diagonal(counts, 0)
    return Table(counts, table.rows, table.columns, *table.kinds)


def test_loops_may_be_left_out():
    beside = doc_word()
    one = fitted(Relations([word_word(loops=True), beside]), self_pairs=False, max_iter=30)
    other = fitted(Relations([word_word(), beside]), max_iter=30)
    np.testing.assert_array_equal(one.map_.points["word"], other.map_.points["word"])
    assert one.log_likelihood_ == other.log_likelihood_


@pytest.mark.parametrize("loops", [True, False])
def test_loops_may_be_expected_or_not(loops):
    """ "auto" is what the table has; True expects them even of a table without."""
    table = word_word(loops=loops)
    for self_pairs in ("auto", True, np.True_, False, np.False_):
        model = fitted(table, self_pairs=self_pairs, max_iter=4)
        expected = loops if isinstance(self_pairs, str) else bool(self_pairs)
        seen = table if expected else without_loops(table)
        value = by_hand(seen, "CM", on(model.map_), loops=expected)
        assert model.log_likelihood_ == pytest.approx(value, rel=1e-9)


def test_what_goes_with_itself_only_has_no_place_without_loops():
    names = ["a", "b", "c", "hermit"]
    table = Table([[1, 5, 2, 0], [5, 0, 3, 0], [2, 3, 0, 0], [0, 0, 0, 7]], names, names, "n", "n")
    settings = {"penalty": 1e-3, "random_state": 0}
    model = fitted(table, self_pairs=False, **settings)
    assert model.map_.unplaced["n"] == ("hermit",)
    assert model.evidence_.pieces == 1
    assert np.isnan(model.embedding_[3]).all()
    rest = fitted(without_loops(table.select(names[:3], names[:3])), **settings)
    np.testing.assert_array_equal(model.map_.points["n"], rest.map_.points["n"])
    with pytest.raises(InputError, match=r"self_pairs=False leaves nothing of the table of n × n"):
        fitted(Table(np.eye(3), names[:3], names[:3], "n", "n"), self_pairs=False)


def test_loops_are_told_by_name_not_by_position():
    table = Table([[9, 2, 1], [3, 8, 1]], ["b", "a"], ["b", "a", "c"], "n", "n")
    turned = table.select(["a", "b"], ["c", "a", "b"])
    bare = Table([[0, 2, 1], [3, 0, 1]], ["b", "a"], ["b", "a", "c"], "n", "n")
    values = [
        fitted(t, self_pairs=p, **FINE).log_likelihood_
        for t, p in ((table, False), (turned, False), (bare, "auto"))
    ]
    assert values == pytest.approx([values[0]] * 3, abs=1e-10)


# Three-way counts ----------------------------------------------------------------------------


def test_chances_of_triples_sum_to_one_over_every_observed_pair():
    table = triples(200)
    model = fitted(table, max_iter=20)
    shares = table.counts.sum(axis=0) / table.total
    pairs = list(zip(*table.pairs, table.counts.sum(axis=1), strict=True))
    for i, j, count in pairs[::10]:
        author, doc = table.names[0][i], table.names[1][j]
        middle = (model.map_.position(author) + model.map_.position(doc)) / 2
        weighed = [
            shares[k] * np.exp(-((middle - model.map_.position(word)) ** 2).sum())
            for k, word in enumerate(table.names[2])
        ]
        chances = np.array(weighed) / sum(weighed)
        assert chances.sum() == pytest.approx(1)
        for k, word in enumerate(table.names[2]):
            event = Triples([author], [doc], [word], kinds=table.kinds)
            wanted = np.log(chances[k]) + np.log(count / table.total)
            assert model.score(event) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("variant", ["CM", "CU"])
def test_triples_that_share_one_second_thing_are_a_table(variant):
    """Then every first thing has a middle of its own, which is free to go anywhere."""
    table = words()
    cell = table.counts.tocoo()
    three_way = Triples(
        [table.rows[i] for i in cell.row],
        ["here"] * cell.nnz,
        [table.columns[j] for j in cell.col],
        cell.data,
        kinds=("document", "place", "word"),
    )
    fine = {"tol": 0, "max_iter": 3000, "variant": variant}
    one, other = fitted(table, **fine), fitted(three_way, **fine)
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, abs=1e-8)
    rows = [one.map_.position(name) for name in table.rows]
    rows += [one.map_.position(name) for name in table.columns]
    here = other.map_.position("here")
    middles = [(other.map_.position(name) + here) / 2 for name in table.rows]
    middles += [other.map_.position(name) for name in table.columns]
    assert procrustes(np.array(middles), np.array(rows)).distance < 1e-3


def test_triples_whose_first_things_are_all_different_are_a_table_of_their_pairs():
    """Wherever the second thing is, the first can bring the middle to any place."""
    table = words()
    cell = table.counts.tocoo()
    parts = (
        [table.rows[i] for i in cell.row],
        [f"place {i % 3}" for i in cell.row],
        [table.columns[j] for j in cell.col],
    )
    three_way = Triples(*parts, cell.data, kinds=("document", "place", "word"))
    one, other = fitted(table, tol=0, max_iter=3000), fitted(three_way, tol=0, max_iter=3000)
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, abs=1e-8)
    for k in range(3):  # each place and its documents swing by themselves
        members = sorted({d for d, place in zip(*parts[:2], strict=True) if place == f"place {k}"})
        found = other.map_.names["document"].find(members)
        masses = other.map_.masses["document"][found]
        centre = masses @ other.map_.points["document"][found] / masses.sum()
        np.testing.assert_allclose(centre, other.map_.position(f"place {k}"), atol=1e-9)


def test_first_and_second_may_be_exchanged():
    table = triples()
    cell = table.counts.tocoo()
    author, doc, word = (
        [names[i] for i in part]
        for names, part in zip(
            table.names,
            (table.pairs[0][cell.row], table.pairs[1][cell.row], cell.col),
            strict=True,
        )
    )
    other = Triples(doc, author, word, cell.data, kinds=("doc", "author", "word"))
    same(fitted(table, **FINE), fitted(other, **FINE))


def test_only_a_table_tells_how_first_things_lie_to_second_ones():
    """φ + t and χ − t explain three-way counts as well; then both have one centre."""
    table = triples()
    problem, layout = problem_of(table), Layout(Relations([table]))
    points = somewhere(problem)
    moved = points.copy()
    moved[layout.spans["author"]] += [3, -1]
    moved[layout.spans["doc"]] -= [3, -1]
    assert problem.log_likelihood(points) == pytest.approx(problem.log_likelihood(moved), rel=1e-12)
    model = fitted(table, tol=1e-12, max_iter=3000)
    centres = [model.map_.masses[k] @ model.map_.points[k] for k in ("author", "doc")]
    np.testing.assert_allclose(*centres, atol=1e-9)
    assert not model.evidence_.determined
    starts = [fitted(table, init="random", random_state=k, tol=0, max_iter=3000) for k in (1, 2)]
    assert apart(starts[0].map_, starts[1].map_) < 1e-5
    assert fitted(table, penalty=1e-3).evidence_.determined
    assert fitted(Relations([table, author_word()]), max_iter=4).evidence_.determined
    pinned = {"author": {"author 0": (0, 0)}}
    assert fitted(table, pins=pinned, max_iter=4).evidence_.determined


def test_three_pairs_of_three_kinds_leave_nothing_open():
    """a + b, b + c and a + c tell of a, b and c."""
    rng = np.random.default_rng(0)
    names = {kind: [f"{kind}{i}" for i in rng.integers(7, size=80)] for kind in "abcz"}
    parts = [
        Triples(names[x], names[y], names["z"], kinds=(x, y, "z")) for x, y in ("ab", "bc", "ac")
    ]
    assert fitted(Relations(parts), max_iter=3).evidence_.determined
    assert not fitted(Relations(parts[:2]), max_iter=3).evidence_.determined


def test_few_columns_do_not_settle_several_tables_either():
    rng = np.random.default_rng(0)
    names = ["x", "y", "z"]
    tables = [Table(rng.poisson(9, (6, 3)) + 1, row_kind=k, columns=names) for k in "ab"]
    assert not fitted(Relations(tables), max_iter=3).evidence_.determined
    more = Table(rng.poisson(9, (3, 5)) + 1, names, row_kind="column", column_kind="c")
    assert fitted(Relations([*tables, more]), max_iter=3).evidence_.determined


EVENTS = {"who": ["ann", "bo", "ann"], "where": ["home", "work", "home"],
          "what": ["tea", "tea", "tea"], "times": [2, 1, 3]}  # fmt: skip


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(EVENTS), pl.DataFrame(EVENTS), pl.LazyFrame(EVENTS)],
    ids=["pandas", "polars", "lazy"],
)
def test_triples_from_frames(frame):
    table = Triples.from_events(frame, "who", "where", "what", "times")
    assert table == Triples(*list(EVENTS.values())[:3], [2, 1, 3], kinds=("who", "where", "what"))
    assert repr(table) == "Triples of who (2), where (2) → what (1): 6 counts of 2 pairs"
    assert table.origin.library == type(frame).__module__.partition(".")[0]
    assert Triples.from_events(frame, "who", "where", "what").total == 3
    kinds = ("person", "place", "drink")
    assert Triples.from_events(frame, "who", "where", "what", kinds=kinds).kinds == kinds
    with pytest.raises(InputError, match="wher"):
        Triples.from_events(frame, "who", "wher", "what")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["b", "b"], ["c"]), "as many first, second and third names; got 1, 2, 1"),
        (([], [], []), "at least one event"),
        ((["a"], ["b"], ["c"], [1, 2]), "1 events, but 2 weights"),
        ((["a"], ["b"], ["c"], [-1]), "weights of Triples must be .* event 1 has -1"),
        ((["a", "a"], ["b"] * 2, ["c"] * 2, [1, np.nan]), "event 2 has nan"),
        ((["a"], ["b"], ["c"], ["1"]), "event 1 has '1'"),
        ((["a"], [None], ["c"]), "second number 1 has no name"),
    ],
)
def test_what_is_no_triples(arguments, message):
    with pytest.raises(InputError, match=message):
        Triples(*arguments)


@pytest.mark.parametrize(
    "kinds", [("a", "b"), ("a", "b", "a"), ("a", "b", ""), "abc", None, (1, 2, 3)]
)
def test_kinds_of_triples_are_three_words(kinds):
    with pytest.raises(InputError, match="kinds of Triples must be three different words"):
        Triples(["a"], ["b"], ["c"], kinds=kinds)


def test_triples_add_up_and_thin_and_travel():
    table = triples()
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301
    assert hash(pickle.loads(pickle.dumps(table))) == hash(table)  # noqa: S301
    rest, held = table.thin(0.3, random_state=0)
    np.testing.assert_array_equal((rest.counts + held.counts).toarray(), table.counts.toarray())
    assert 0.25 < held.total / table.total < 0.35
    assert held.names == table.names
    assert len({table.fingerprint, rest.fingerprint, held.fingerprint}) == 3
    named = Triples(["a"], ["b"], ["c"])
    assert named != Triples(["a"], ["b"], ["c"], kinds=("x", "y", "z"))
    assert named != Triples(["a"], ["b"], ["d"])
    by_author, by_doc = table.views
    assert by_author.total == by_doc.total == table.total
    assert by_author.kinds == ("author", "word")
    model = fitted(rest)
    assert model.score(held) < model.log_likelihood_


def test_relations_with_triples():
    table = Triples(["ann", "bo"], ["home", "work"], ["tea", "milk"], [1, 0],
                    kinds=("person", "place", "drink"))  # fmt: skip
    sold = Table([[5, 1]], ["inn"], ["milk", "rum"], "shop", "drink")
    both = Relations([table, sold])
    assert both.sizes == {"person": 2, "place": 2, "drink": 3, "shop": 1}
    assert both.links == [("person", "place", "drink"), ("shop", "drink")]
    assert both.empty == {"person": ("bo",), "place": ("work",), "drink": (), "shop": ()}
    pieces = [{"drink": {"milk", "rum"}, "shop": {"inn"}},
              {"person": {"ann"}, "place": {"home"}, "drink": {"tea"}}]  # fmt: skip
    assert all(piece in pieces for piece in both.pieces())
    assert repr(both) == (
        "Relations of person (2), place (2), drink (3), shop (1)\n"
        "  person (2), place (2) → drink (2): 1 counts of 1 pairs\n"
        "  shop × drink: 6 counts in 2 of 2 cells\n"
        "  in 2 pieces that nothing connects"
    )
    assert pickle.loads(pickle.dumps(both)).fingerprint == both.fingerprint  # noqa: S301
    model = fitted(both, penalty=1e-3)
    assert model.map_.unplaced["person"] == ("bo",)
    assert model.evidence_.pieces == 2


def test_triples_take_conditional_variants_only():
    with pytest.raises(InputError, match="variant 'CM' or 'CU', not 'MM'"):
        CODE(variant="MM").fit(triples())
    fitted(Relations([author_word(), triples()]), variant=["MM", "CU"], max_iter=3)


# New things and other counts -----------------------------------------------------------------


def test_new_things_are_placed_by_the_table_with_their_kinds():
    model = fitted(two(), **FINE)
    new = counted(("author", np.arange(7)), ("word", np.arange(12)), 9)
    known = new.select(columns=author_word().columns)
    places = model.transform(known)
    pull = 1e-3
    words_ = np.array([model.map_.position(name) for name in known.columns])
    shares = author_word().column_totals / author_word().total
    counts = known.counts.toarray()
    logs = np.log(shares) - ((places[:, None] - words_) ** 2).sum(axis=2)
    expected = np.exp(logs - logsumexp(logs, axis=1, keepdims=True)) @ words_
    seen = counts / counts.sum(axis=1, keepdims=True) @ words_
    weight = 0.5 * counts.sum(axis=1, keepdims=True) / author_word().total
    np.testing.assert_allclose(expected + pull / weight * places, seen, atol=1e-8)
    np.testing.assert_allclose(
        model.transform(author_word()),
        [model.map_.position(name) for name in author_word().rows],
        atol=1e-8,
    )
    first = model.transform(doc_word())
    np.testing.assert_allclose(first, model.embedding_, atol=1e-8)
    np.testing.assert_array_equal(model.transform(doc_word().counts), first)
    assert model.transform_columns(author_word()).shape == (8, 2)
    with pytest.raises(InputError, match="no fitted table is about author × doc; there are"):
        model.transform(author_doc())
    with pytest.raises(InputError, match="takes one table here; got 2"):
        model.transform(two())


def test_triples_place_no_new_things():
    model = fitted(Relations([triples(), author_word()]), max_iter=5)
    assert model.embedding_.shape == (7, 2)
    assert model.column_embedding_.shape == (12, 2)
    np.testing.assert_array_equal(model.transform(author_word()).shape, (7, 2))
    with pytest.raises(InputError, match="three-way counts place none"):
        model.transform(np.ones((2, 12)))
    with pytest.raises(InputError, match="takes a table of two kinds here; got Triples"):
        model.transform(triples())


@every_set
@pytest.mark.parametrize("weighting", ["events", "rows"])
def test_the_score_of_what_was_fitted_is_its_likelihood(relations, weighting):
    model = fitted(relations(), weighting=weighting, max_iter=20, weights="size")
    assert model.score(relations()) == pytest.approx(model.log_likelihood_, abs=1e-9)
    for table, fit in zip(relations().tables, model.tables_, strict=True):
        assert model.score(table) == pytest.approx(fit.log_likelihood, abs=1e-9)


def test_tables_of_the_same_kinds_are_scored_in_their_order():
    tables = [counted(("doc", np.arange(14)), ("word", np.arange(12)), seed) for seed in (5, 6)]
    model = fitted(Relations(tables), weights=[1, 3], max_iter=20)
    assert model.score(Relations(tables)) == pytest.approx(model.log_likelihood_, abs=1e-9)


def test_scores_are_of_things_and_kinds_that_were_fitted():
    model = fitted(triples(), max_iter=5)
    with pytest.raises(InputError, match="no fitted table is about row × column"):
        model.score(Table([[1]]))
    with pytest.raises(InputError, match="no fitted table is about first × second × third"):
        fitted(smoke()).score(Triples(["a"], ["b"], ["c"]))
    new = Triples(["author 0", "author 0"], ["doc 0", "doc x"], ["word 1"] * 2,
                  kinds=("author", "doc", "word"))  # fmt: skip
    with (
        pytest.warns(RelmapWarning, match="1 of 2 doc names were not fitted"),
        pytest.warns(RelmapWarning, match="1 of 2 events are of rows or columns that were not"),
    ):
        model.score(new)


# Pins ----------------------------------------------------------------------------------------


def slopes_by_hand(model, relations, kind, name):
    """Differences of what is maximised in the coordinates of one thing."""
    found = []
    for axis in range(2):
        values = []
        for h in (1e-4, -1e-4):

            def position(k, n, h=h, axis=axis):
                here = np.array(model.map_.position(n, k))
                here[axis] += h * ((k, n) == (kind, name))
                return here

            values.append(
                sum(
                    fit.weight * by_hand(table, fit.variant, position)
                    for table, fit in zip(relations.tables, model.tables_, strict=True)
                )
            )
        found.append((values[0] - values[1]) / 2e-4)
    return np.array(found) - 2 * model.penalty * model.map_.position(name, kind)


def test_what_is_pinned_stays_and_the_rest_finds_its_best():
    pins = {"word": {"word 0": (0.5, 1.0), "word 3": (-1.0, 0.25)}, "doc": {"doc 2": (0.1, -0.7)}}
    model = fitted(two(), pins=pins, **FINE)
    for kind, places in pins.items():
        for name, place in places.items():
            np.testing.assert_array_equal(model.map_.position(name), place)
            assert np.abs(slopes_by_hand(model, two(), kind, name)).max() > 1e-4
    np.testing.assert_array_equal(model.embedding_[2], (0.1, -0.7))
    for name in ("word 1", "word 9", "doc 5", "author 6"):
        slopes = slopes_by_hand(model, two(), name.split()[0], name)
        np.testing.assert_allclose(slopes, 0, atol=1e-5)
    assert model.evidence_.holds()
    assert model.log_likelihood_ < fitted(two(), **FINE).log_likelihood_
    assert model.map_.settings["pins"] == {"word": ["word 0", "word 3"], "doc": ["doc 2"]}


def test_pins_at_the_best_map_give_it_back():
    free = fitted(two(), **FINE)
    pins = {"word": {name: free.map_.position(name) for name in ("word 0", "word 3", "word 7")}}
    model = fitted(two(), pins=pins, **FINE)
    assert model.log_likelihood_ == pytest.approx(free.log_likelihood_, abs=1e-8)
    for kind in SIZES.keys() & free.map_.points.keys():
        np.testing.assert_allclose(model.map_.points[kind], free.map_.points[kind], atol=1e-4)


@pytest.mark.parametrize("init", ["spectral", "random"])
def test_pins_hold_for_every_start(init):
    pins = {"word": {"word 0": (2.0, 2.0)}}
    model = fitted(two(), pins=pins, init=init, n_init=3, random_state=0, max_iter=30)
    place = Layout(two()).places("word", ["word 0"])[0]
    for optimum in model.optima_:
        np.testing.assert_array_equal(optimum.points[place], (2, 2))


@pytest.mark.parametrize(
    ("pins", "error", "message"),
    [
        (
            {"words": {"word 0": (0, 0)}},
            InputError,
            "pins of CODE are for 'doc', 'word' and 'author'",
        ),
        (
            {"word": {"word00": (0, 0)}},
            UnknownNameError,
            "no word is called 'word00'; did you mean",
        ),
        ({"word": {"word 0": (0, 0, 0)}}, InputError, "word 'word 0' must be pinned to 2 numbers"),
        (
            {"word": {"word 0": "ab"}},
            InputError,
            "2 numbers of at most 10000; got 'ab'",
        ),
        ({"word": {"word 0": (0, np.nan)}}, InputError, "must be pinned to 2 numbers"),
    ],
)
def test_pins_that_cannot_be(pins, error, message):
    with pytest.raises(error, match=message):
        CODE(pins=pins).fit(two())


def test_what_has_no_counts_cannot_be_pinned():
    table = Table([[1, 2], [0, 0]], ["ann", "nobody"], ["tea", "milk"], "who", "what")
    with pytest.raises(InputError, match="who 'nobody' cannot be pinned: it has no counts"):
        CODE(pins={"who": {"nobody": (0, 0)}}).fit(table)


# Earlier maps --------------------------------------------------------------------------------


def older():
    """The first ten documents, without authors."""
    return doc_word().select(doc_word().rows[:10])


def moves(model, earlier):
    """How far things are from where an earlier map had them, without moving either."""
    return np.concatenate(
        [
            [model.map_.position(n, k) - earlier.position(n, k) for n in earlier.names[k]]
            for k in earlier.kinds
        ]
    )


def test_a_map_that_continues_another_lies_over_it():
    earlier = fitted(two(), **FINE).map_
    turned = Map(
        {k: p @ [[0.6, -0.8], [0.8, 0.6]] for k, p in earlier.points.items()},
        earlier.names,
        earlier.masses,
    )
    counts = doc_word().counts.toarray()
    counts[0, 0] += 2
    more = Relations(
        [Table(counts, doc_word().rows, doc_word().columns, "doc", "word"), author_word()]
    )
    model = fitted(more, init=turned, **FINE)
    assert np.sqrt((moves(model, turned) ** 2).sum(axis=1).mean()) < 0.05
    assert model.log_likelihood_ == pytest.approx(fitted(more, **FINE).log_likelihood_, abs=1e-7)
    unchanged = fitted(two(), init=turned, **FINE)
    np.testing.assert_allclose(moves(unchanged, turned), 0, atol=1e-5)
    assert unchanged.n_iter_ < 10
    assert model.map_.settings["init"] == "Map"


def test_relaxed_things_move_less_than_free_ones_and_frozen_not_at_all():
    earlier = fitted(older(), penalty=1e-3).map_
    sizes = {}
    for update in ("free", "relaxed", "frozen"):
        model = fitted(three(), init=earlier, update=update, **FINE)
        sizes[update] = np.sqrt((moves(model, earlier) ** 2).mean())
        assert model.evidence_.holds()
        assert set(model.map_.kinds) == set(SIZES)
    assert 0 == sizes["frozen"] < sizes["relaxed"] < sizes["free"]
    for kind in earlier.kinds:
        names = model.map_.names[kind]
        np.testing.assert_array_equal(
            model.map_.points[kind][names.find(earlier.names[kind])], earlier.points[kind]
        )
    for name in ("doc 12", "word 10", "author 3"):
        slopes = slopes_by_hand(model, three(), name.split()[0], name)
        np.testing.assert_allclose(slopes, 0, atol=1e-5)


def test_new_rows_on_a_frozen_map_are_where_transform_places_them():
    """In CU the chances of a row depend on the places of the columns only."""
    first = fitted(older(), variant="CU", tol=1e-12)
    wanted = first.transform(doc_word())
    model = fitted(doc_word(), variant="CU", init=first.map_, update="frozen")
    np.testing.assert_allclose(model.embedding_[10:], wanted[10:], atol=1e-7)


@pytest.mark.parametrize("update", ["free", "relaxed", "frozen"])
def test_new_things_that_go_with_nothing_old_do_not_stay_in_one_place(update):
    earlier = fitted(two(), penalty=1e-3).map_
    new = Table([[3, 1], [1, 4]], ["x", "y"], ["v", "w"], "author", "word")
    relations = Relations([*two().tables, new])
    model = fitted(relations, init=earlier, update=update, penalty=1e-5, random_state=0)
    assert model.tables_[2].explained_information > 0.9
    assert model.evidence_.pieces == 2


def test_a_frozen_map_of_the_same_things_is_as_it_was():
    earlier = fitted(two(), **FINE).map_
    model = CODE(init=earlier, update="frozen", n_init=2, random_state=0).fit(two())
    assert model.map_.status == "converged"
    assert model.n_iter_ == 0
    assert not moves(model, earlier).any()


def test_pins_and_an_earlier_map_go_together():
    earlier = fitted(two(), penalty=1e-3).map_
    for update in ("free", "relaxed", "frozen"):
        model = fitted(
            two(), init=earlier, update=update, pins={"word": {"word 0": (3, 3)}}, max_iter=40
        )
        np.testing.assert_array_equal(model.map_.position("word 0"), (3, 3))


@quick
def test_earlier_maps_that_cannot_be_continued():
    flat = fitted(smoke(), max_iter=3).map_
    with pytest.raises(InputError, match="a map in 2-D, but n_components is 3"):
        CODE(3, init=flat).fit(smoke())
    with pytest.raises(InputError, match="init of CODE has nothing in common with the tables"):
        CODE(init=flat).fit(two())
    for init, words_ in (
        ("spectral", "'spectral'"),
        ((np.zeros((5, 2)), np.zeros((4, 2))), "arrays"),
    ):
        with pytest.raises(InputError, match=f"needs an earlier map as init; got {words_}"):
            CODE(init=init, update="frozen").fit(smoke())
    with pytest.raises(InputError, match="init of CODE may be two arrays for one table of two"):
        CODE(init=(np.zeros((14, 2)), np.zeros((10, 2)))).fit(two())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weights": [1, 2]}, r"one number for each table \(3\); got 2"),
        ({"variant": ["CM", "MM"]}, r"one for each table \(3\); got 2"),
    ],
)
def test_as_many_settings_as_tables(settings, message):
    with pytest.raises(InputError, match=message):
        CODE(**settings).fit(three())


# Starts side by side -------------------------------------------------------------------------


@quick
@pytest.mark.parametrize("settings", [{}, {"pins": {"word": {"word 0": (1.0, 0.0)}}}])
def test_the_same_bits_with_any_number_of_threads(settings, monkeypatch):
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RELMAP_THREADS", threads)
        found.append(fitted(three(), n_init=4, random_state=5, max_iter=25, **settings))
    for model in found[1:]:
        assert model.map_ == found[0].map_
        assert [o.values for o in model.optima_] == [o.values for o in found[0].optima_]
        for one, other in zip(model.optima_, found[0].optima_, strict=True):
            np.testing.assert_array_equal(one.points, other.points)


def test_the_points_of_all_optima():
    model = fitted(words(), n_components=1, variant="UU", n_init=8, random_state=0)
    assert len(model.optima_) > 1
    problem = model._fitted.problem
    for optimum in model.optima_:
        assert problem.log_likelihood(optimum.points) == pytest.approx(
            optimum.log_likelihood, abs=1e-9
        )
        distance = np.sqrt(((optimum.points - model.optima_[0].points) ** 2).sum(axis=1).mean())
        assert optimum.distance == pytest.approx(distance, abs=1e-12)


@quick
def test_callbacks_are_never_called_at_the_same_time(monkeypatch):
    monkeypatch.setenv("RELMAP_THREADS", "3")
    inside, seen, threads = [], [], set()

    def watch(step):
        inside.append(step)
        time.sleep(0.002)
        assert inside == [step]
        inside.pop()
        seen.append((step.run, step.iteration))
        threads.add(threading.get_ident())

    CODE(n_init=3, random_state=0, max_iter=8, callbacks=watch).fit(three())
    assert len(threads) > 1
    for run in (1, 2, 3):
        assert [i for r, i in seen if r == run] == list(range(1, 9))


def test_a_callback_may_stop_some_of_the_runs():
    with pytest.warns(ConvergenceWarning):
        model = CODE(
            n_init=3, random_state=0, max_iter=30, callbacks=lambda step: step.run > 1
        ).fit(three())
    assert model.n_iter_ > 1
    assert sum(optimum.found for optimum in model.optima_) == 3
    with pytest.warns(ConvergenceWarning, match="stopped by a callback"):
        CODE(n_init=3, random_state=0, callbacks=lambda step: True).fit(three())


def test_after_an_error_in_a_callback_none_is_called_any_more(monkeypatch):
    monkeypatch.setenv("RELMAP_THREADS", "3")
    calls = []

    def fail(step):
        calls.append(step)
        if step.iteration == 3:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        CODE(n_init=3, random_state=0, callbacks=fail).fit(three())
    number = len(calls)
    time.sleep(0.05)
    assert len(calls) == number


@quick
def test_a_bar_for_runs_side_by_side(capsys):
    CODE(n_init=3, random_state=0, max_iter=5, verbose=1).fit(three())
    out, err = capsys.readouterr()
    assert out == ""
    assert "CODE" in err


def test_the_bar_tells_of_all_runs_together(capsys):
    bar = Bar("mapping")
    for run, iteration, value in ((1, 1, 5.0), (2, 1, 3.0), (1, 2, 4.0), (2, 2, 3.5)):
        bar(Step(iteration, iteration, value, 0.1, limit=10, run=run, runs=4))
    shown = bar._bar
    assert (shown.n, shown.total) == (4, 40)
    assert shown.desc.startswith("2 of 4 starts begun")
    assert shown.postfix == "loss 3"
    bar(Step(1, 1, 9.0, 0.1, limit=7))  # another fit
    assert (shown.n, shown.total, shown.postfix) == (1, 7, "loss 9")
    bar.close()


# The map -------------------------------------------------------------------------------------


@every_set
def test_maps_of_several_tables_are_saved_and_drawn(relations, tmp_path):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    found = fitted(relations(), max_iter=10).map_
    assert load(found.save(tmp_path / "a.relmap")) == found
    assert found.figure(tmp_path / "a.png") is not None
    plt.close("all")


def test_a_map_of_three_kinds_in_words():
    found = fitted(three(), max_iter=3).map_
    assert repr(found).startswith("Map of doc (14), word (12) and author (7) in 2-D by CODE (")
    with pytest.raises(UnknownNameError, match="it has 'doc', 'word' and 'author'"):
        found.nearest("doc 1", kind="wrd")
    assert found.masses["word"].sum() == pytest.approx(1)


def test_masses_are_shares_of_all_tables():
    found = fitted(three(), weights=[2, 1, 1], max_iter=3).map_
    tables = three().tables
    for name, mass in zip(found.names["doc"], found.masses["doc"], strict=True):
        shares = [
            table.counts.toarray()[table.rows.position(name)].sum() / table.total
            if table.row_kind == "doc"
            else table.counts.toarray()[:, table.columns.position(name)].sum() / table.total
            for table in (tables[0], tables[2])
        ]
        assert mass == pytest.approx((2 * shares[0] + shares[1]) / 3)


def test_a_fitted_model_survives_pickling():
    model = fitted(Relations([author_word(), triples()]), max_iter=5)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.map_ == model.map_
    np.testing.assert_array_equal(again.transform(author_word()), model.transform(author_word()))


@pytest.mark.parametrize(
    "model",
    [ACAS, BipartiteSpectral, CoEmbedding, CorrespondenceAnalysis, LatentSemanticIndexing, MKPE],
)
def test_other_models_take_one_table(model):
    with pytest.raises(InputError, match=f"{model.__name__} takes one table here; got 2"):
        model().fit(two())
    for given in (triples(), Relations([triples()])):
        with pytest.raises(InputError, match="takes a table of two kinds here; got Triples"):
            model().fit(given)
    with pytest.raises(InputError, match="a list of tables is no table"):
        model().fit([smoke(), smoke()])


def test_a_table_without_counts_among_others_is_named():
    empty = Table(np.zeros((2, 2)), row_kind="who", column_kind="word")
    with pytest.raises(InputError, match="the table of who × word is empty"):
        CODE().fit(Relations([doc_word(), empty]))


def test_names_that_are_numbers_here_and_texts_there_are_told_of():
    likes = Table([[5, 1], [1, 4]], ["ann", "bo"], [1, 2], "person", "item")
    sells = Table([[7, 2], [1, 9]], ["inn", "bar"], ["1", "2"], "shop", "item")
    with pytest.warns(RelmapWarning, match="2 of 4 item names are numbers in one table"):
        Relations([likes, sells])
    assert Relations(likes).tables == (likes,)


def test_weights_and_pins_beyond_all_measure_are_refused():
    with pytest.raises(InputError, match=r"differ by more than a factor of 1e\+12"):
        CODE(weights=[1e300, 1, 1]).fit(three())
    kind, names = next(iter(three().kinds.items()))
    with pytest.raises(InputError, match="2 numbers of at most 10000"):
        CODE(pins={kind: {names[0]: (1e200, 0)}}).fit(three())
