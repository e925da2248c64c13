"""Measures against their definitions, spelled out, and on maps as on arrays."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relmap import (
    CODE,
    CoEmbedding,
    CorrespondenceAnalysis,
    Map,
    Table,
    datasets,
    measures,
)
from relmap.errors import ConvergenceWarning, InputError, RelmapWarning, UnknownNameError
from relmap.measures import classes as classes_module


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.fixture
def cloud(rng):
    """A relation without ties, and a map that keeps some of it."""
    rows, columns = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    relation = np.exp(-cdist(rows, columns, "sqeuclidean"))
    return relation, rows + rng.normal(0, 0.3, rows.shape), columns


def near(closeness, k_r, k_c):
    """Which cells are among the k_c closest of their row and the k_r closest of their column."""
    in_rows = (-closeness).argsort(axis=1).argsort(axis=1) < k_c
    return in_rows & ((-closeness).argsort(axis=0).argsort(axis=0) < k_r)


@pytest.mark.parametrize("k", [1, 5, (3, 7), (40, 30)])
def test_conformity_is_its_definition(cloud, k):
    relation, rows, columns = cloud
    sides = k if isinstance(k, tuple) else (k, k)
    lost = near(relation, *sides) & ~near(-cdist(rows, columns), *sides)
    assert measures.conformity(relation, rows, columns, k) == lost.sum()
    assert measures.conformity(relation.T, columns, rows, sides[::-1]) == lost.sum()
    assert measures.conformity(sparse.csr_array(relation), rows, columns, k) == lost.sum()


@pytest.mark.parametrize("k", [1, 10, 99])
def test_mean_rank_is_its_definition(cloud, k):
    relation, rows, columns = cloud
    ranks = rankdata(cdist(rows, columns), axis=1)
    closest = np.argsort(-relation, axis=1)[:, :k]
    wanted = np.take_along_axis(ranks, closest, axis=1).mean()
    assert measures.mean_rank(relation, rows, columns, k) == pytest.approx(wanted, rel=1e-14)


def test_a_map_that_is_the_truth_is_as_good_as_can_be(rng):
    rows, columns = rng.normal(size=(25, 3)), rng.normal(size=(35, 3))
    relation = 1 / (1 + cdist(rows, columns))
    assert measures.conformity(relation, rows, columns) == 0
    assert measures.mean_rank(relation, rows, columns, k=10) == 5.5


def test_ties_share_their_places():
    relation = [[2, 1, 1, 0]]
    columns = np.array([[1.0], [2.0], [4.0], [3.0]])
    origin = np.zeros((1, 1))
    assert measures.mean_rank(relation, origin, columns, k=2) == (1 + (2 + 4) / 2) / 2
    assert measures.mean_rank(relation, origin, columns, k=3) == (1 + 2 + 4) / 3
    assert measures.mean_rank(relation, origin, np.ones((4, 1)), k=2) == 2.5  # all as near


def test_rows_without_entries_are_left_out_and_unplaced_columns_come_last(cloud):
    relation, rows, columns = cloud
    whole = measures.mean_rank(relation, rows, columns, k=4)
    more = np.vstack([relation, np.zeros(30)])
    assert measures.mean_rank(more, np.vstack([rows, [[0, 0]]]), columns, k=4) == whole
    assert measures.mean_rank(more, np.vstack([rows, [[np.nan] * 2]]), columns, k=4) == whole
    columns = np.vstack([[[0.0], [1.0]], [[np.nan]] * 3])
    assert measures.mean_rank([[0, 0, 0, 1, 0]], [[0.0]], columns, k=1) == 4
    assert measures.mean_rank([[0, 1, 0, 1, 0]], [[0.0]], columns, k=2) == 3


def test_pairs_that_are_not_placed_are_lost(cloud):
    relation, rows, columns = cloud
    before = near(relation, 5, 5)
    rows[3], columns[[0, 5]] = np.nan, np.nan
    placed = np.ix_(np.arange(40) != 3, ~np.isin(np.arange(30), [0, 5]))
    shown = np.zeros(relation.shape, dtype=bool)
    shown[placed] = near(-cdist(rows, columns)[placed], 5, 5)
    assert measures.conformity(relation, rows, columns) == (before & ~shown).sum()


@pytest.fixture(scope="module")
def housetasks():
    return datasets.load_housetasks()


def test_maps_and_arrays_give_the_same(housetasks):
    model = CorrespondenceAnalysis().fit(housetasks)
    found = model.embedding_, model.column_embedding_
    for measure in (measures.conformity, measures.mean_rank):
        assert measure(housetasks, model.map_, k=3) == measure(housetasks, *found, k=3)


def test_the_map_is_asked_by_name(housetasks):
    shown = CODE(penalty="auto").fit(housetasks).map_
    turned = housetasks.select(rows=housetasks.rows[::-1], columns=housetasks.columns[::-1])
    assert measures.mean_rank(turned, shown, k=2) == measures.mean_rank(housetasks, shown, k=2)
    with_more = Table(
        np.vstack([housetasks.counts.toarray(), np.zeros(4)]),
        [*housetasks.rows, "gardening"],
        housetasks.columns,
        "task",
        "who",
    )
    assert measures.conformity(with_more, shown) == measures.conformity(housetasks, shown)


def test_gamma_of_the_co_embedding_is_the_measure(housetasks):
    model = CoEmbedding(neighbours=(3, 2)).fit(housetasks)
    assert measures.conformity(housetasks, model.map_, k=(3, 2)) == model.lost_pairs_
    assert measures.conformity(housetasks, model.map_, k=(3, 2)) == min(
        t.lost for t in model.search_
    )


def test_things_of_one_kind_are_not_near_themselves():
    ring = np.roll(np.eye(12), 1, axis=1) + np.roll(np.eye(12), -1, axis=1)
    table = Table.from_graph(ring + 9 * np.eye(12))
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    shown = Map(
        {"node": np.column_stack([np.cos(turns), np.sin(turns)])},
        {"node": table.rows},
        {"node": np.ones(12)},
    )
    assert measures.conformity(table, shown, k=2) == 0
    assert measures.mean_rank(table, shown, k=2) == 1.5
    twice = CorrespondenceAnalysis().fit(table).map_  # here they stand in both roles
    assert measures.mean_rank(table, twice, k=1) == 1


def classes(rng, n=150):
    labels = rng.integers(0, 3, n)
    return rng.normal(size=(n, 2)) + 1.5 * np.eye(3)[labels][:, :2], labels


def test_nearest_neighbour_error_is_scikit_learns(rng):
    points, labels = classes(rng)
    right = cross_val_score(KNeighborsClassifier(1), points, labels, cv=LeaveOneOut())
    assert measures.nearest_neighbour_error(points, labels) == pytest.approx(1 - right.mean())
    folded = measures.nearest_neighbour_error(points, labels, folds=len(points))
    assert folded == pytest.approx(1 - right.mean())


def test_folds_hold_out_their_share_and_follow_the_seed(rng):
    points, labels = classes(rng, 400)
    errors = [
        measures.nearest_neighbour_error(points, labels, folds=5, random_state=s) for s in range(20)
    ]
    assert len(set(errors)) > 1
    again = measures.nearest_neighbour_error(points, labels, folds=5, random_state=3)
    assert again == errors[3]
    assert np.mean(errors) == pytest.approx(
        measures.nearest_neighbour_error(points, labels), abs=0.03
    )


def test_labels_come_in_order_or_by_name(rng, housetasks):
    model = CorrespondenceAnalysis().fit(housetasks)
    labels = list("aabbccaabbcca")
    error = measures.nearest_neighbour_error(model.embedding_, labels)
    by_name = dict(zip(housetasks.rows, labels, strict=True))
    assert measures.nearest_neighbour_error(model.map_, by_name) == error
    assert measures.nearest_neighbour_error(model.map_, labels, kind="task") == error
    pandas = pytest.importorskip("pandas")
    assert measures.nearest_neighbour_error(model.map_, pandas.Series(by_name)) == error
    without = [None, *labels[1:]], np.vstack([[[np.nan] * 2], model.embedding_[1:]])
    some = measures.nearest_neighbour_error(model.embedding_[1:], labels[1:])
    assert measures.nearest_neighbour_error(model.embedding_, without[0]) == some
    assert measures.nearest_neighbour_error(without[1], labels) == some
    assert measures.nearest_neighbour_error(model.embedding_, [np.nan, *labels[1:]]) == some


def texts(rng, n=240):
    """Documents of three classes, each with ten words of its own, and ten that tell nothing."""
    labels = rng.integers(0, 3, n)
    rates = np.full((3, 40), 0.1)
    for c in range(3):
        rates[c, 10 * c : 10 * (c + 1)] = 0.5
    return rng.poisson(rates[labels]), labels


def test_selected_words_are_those_beside_their_class(rng):
    counts, labels = texts(rng)
    rows = 10 * np.eye(3)[labels]
    good = np.vstack([10 * np.repeat(np.eye(3), 10, axis=0), np.zeros((10, 3))])
    bad = np.vstack([np.zeros((30, 3)), rng.permutation(10 * np.eye(3)[np.arange(10) % 3])])
    assert measures.selected_words_error(counts, labels, rows, good, words=10) < 0.15
    assert measures.selected_words_error(counts, labels, rows, bad, words=3) > 0.5


def test_the_machine_is_the_linear_one_of_the_paper(rng):
    """Against libsvm's sequential minimal optimisation on the same words and folds."""
    counts, labels = texts(rng, 600)
    rows, columns = np.zeros((600, 1)), np.zeros((40, 1))
    mine = measures.selected_words_error(counts, labels, rows, columns, words=40, folds=5)
    peer = OneVsRestClassifier(SVC(kernel="linear", C=1))
    right = cross_val_score(peer, counts, labels, cv=5).mean()
    assert mine == pytest.approx(1 - right, abs=0.02)


def test_selected_words_on_a_map_are_those_on_arrays(rng):
    counts, labels = texts(rng)
    table = Table(counts, [f"d{i}" for i in range(240)], None, "document", "word")
    model = CorrespondenceAnalysis().fit(table)
    found = measures.selected_words_error(table, labels, model.map_, words=5)
    named = dict(zip(table.rows, labels.tolist(), strict=True))
    assert measures.selected_words_error(table, named, model.map_, words=5) == found
    places = model.embedding_, model.column_embedding_
    assert measures.selected_words_error(counts, labels, *places, words=5) == found


def test_a_classifier_that_does_not_converge_is_told(rng, monkeypatch):
    counts, labels = texts(rng)
    monkeypatch.setattr(classes_module, "STEPS", 2)
    with pytest.warns(ConvergenceWarning, match="in 3 of 3 folds the classifier did not converge"):
        measures.selected_words_error(
            counts, labels, np.zeros((240, 1)), np.zeros((40, 1)), folds=3
        )


def purities(points, labels, k, order):
    """Mean over sizes of the share with the same label, neighbours lined up by distance."""
    found = []
    for i in order:
        others = [j for j in order if j != i]
        near = sorted(others, key=lambda j: np.linalg.norm(points[i] - points[j]))[: k(i)]
        same = labels[near] == labels[i]
        found.append(np.mean([same[:size].mean() for size in range(1, len(near) + 1)]))
    return np.mean(found)


@pytest.mark.parametrize("k", [1, 7, 59, None])
def test_neighbour_purity_is_its_definition(rng, k):
    points, labels = classes(rng, 60)
    others = np.bincount(labels) - 1
    wanted = purities(points, labels, lambda i: k or others[labels[i]], range(60))
    assert measures.neighbour_purity(points, labels, k) == pytest.approx(wanted, rel=1e-13)


def test_purity_is_one_where_classes_lie_apart_and_chance_where_nothing_is_known(rng):
    labels = np.repeat([0, 1, 2], [5, 20, 40])
    apart = rng.normal(size=(65, 2)) + 100 * np.eye(3)[labels][:, :2]
    assert measures.neighbour_purity(apart, labels) == pytest.approx(1)
    assert measures.neighbour_purity(apart, labels, k=4) == pytest.approx(1)
    assert measures.neighbour_purity(apart, labels, k=5) < 1  # five are more than the four others
    labels = rng.integers(0, 4, 2000)
    nothing = measures.neighbour_purity(rng.normal(size=(2000, 2)), labels)
    assert nothing == pytest.approx(1 / 4, abs=0.01)


def test_purity_on_a_grid_is_the_mean_over_all_orders_of_storage(rng):
    """Things at one distance share their places: no order of storage is preferred."""
    points = np.array([[x, y] for x in range(4) for y in range(4)], dtype=float)
    points = np.vstack([points, points[:3]])  # three places are taken twice
    labels = rng.integers(0, 2, 19)
    mine = measures.neighbour_purity(points, labels, k=6)
    orders = [rng.permutation(19) for _ in range(600)]
    assert mine == pytest.approx(
        np.mean([purities(points, labels, lambda _: 6, order) for order in orders]), abs=0.003
    )
    for order in orders[:5]:
        again = measures.neighbour_purity(points[order], labels[order], k=6)
        assert again == pytest.approx(mine, rel=1e-14)
    heap = measures.neighbour_purity(np.zeros((19, 2)), labels, k=6)
    others = np.bincount(labels)[labels] - 1
    assert heap == pytest.approx((others / 18).mean())


def test_things_without_label_place_or_company_are_left_out(rng):
    points, labels = classes(rng, 50)
    whole = measures.neighbour_purity(points, labels)
    more = np.vstack([points, [[0, 0]], [[np.nan] * 2]])
    assert measures.neighbour_purity(more, [*labels, None, 1]) == whole
    alone = np.vstack([points, [[1e3, 1e3]]]), [*labels, "alone"]
    assert measures.neighbour_purity(*alone) == pytest.approx(whole)
    assert measures.neighbour_purity(*alone, k=1) == pytest.approx(
        50 / 51 * measures.neighbour_purity(points, labels, k=1)
    )


def test_purity_of_a_map_is_that_of_its_arrays(housetasks):
    model = CorrespondenceAnalysis().fit(housetasks)
    labels = list("aabbccaabbcca")
    purity = measures.neighbour_purity(model.embedding_, labels)
    named = dict(zip(housetasks.rows, labels, strict=True))
    assert measures.neighbour_purity(model.map_, named) == purity
    assert measures.neighbour_purity(model.map_, labels, kind="task") == purity


def test_normalised_purity_gives_the_worst_0_and_the_best_1(rng):
    scores = rng.random((7, 5))
    low, high = scores.min(axis=1), scores.max(axis=1)
    wanted = ((scores.T - low) / (high - low)).T
    assert measures.normalised_purity(scores) == pytest.approx(wanted)
    assert measures.normalised_purity(3 * scores + 2) == pytest.approx(wanted)
    alike = measures.normalised_purity([[1, 1], [1, 2]])
    assert np.isnan(alike[0]).all()
    assert alike[1].tolist() == [0, 1]


def words_of_class(counts, labels, rows, columns, k, given="class"):
    """The definition of class_words, one row and one size at a time."""
    found = []
    for i, label in enumerate(labels):
        own = counts[labels == label].sum(axis=0)
        shares = own / (own.sum() if given == "class" else np.maximum(counts.sum(axis=0), 1))
        near = shares[np.argsort(cdist(rows[i : i + 1], columns)[0])]
        best = np.sort(shares)[::-1]
        found.append(np.mean([near[:j].sum() / best[:j].sum() for j in range(1, k + 1)]))
    return np.mean(found)


@pytest.mark.parametrize("k", [1, 12, 40])
def test_class_words_is_its_definition(rng, k):
    counts, labels = texts(rng)
    rows, columns = rng.normal(size=(240, 2)), rng.normal(size=(40, 2))
    counts[:, 7] = 0  # a word that none has
    for given in ("class", "column"):
        wanted = words_of_class(counts, labels, rows, columns, k, given)
        found = measures.class_words(counts, labels, rows, columns, k, given=given)
        assert found == pytest.approx(wanted)


def test_words_that_all_have_are_common_in_a_class_but_do_not_tell_it():
    counts = np.array([[9, 9, 1, 0], [9, 9, 0, 1]])
    rows = np.array([[-1.0], [1.0]])
    common, telling = np.array([[0.0], [0.0], [9], [9]]), np.array([[9.0], [9], [-1], [1]])
    for columns, of_class, of_column in ((common, 1, 0.5), (telling, 1 / 9, 1)):
        assert measures.class_words(counts, "ab", rows, columns, 1) == pytest.approx(of_class)
        assert measures.class_words(
            counts, "ab", rows, columns, 1, given="column"
        ) == pytest.approx(of_column)


def test_class_words_are_best_beside_their_class(rng):
    """Columns in the order of their shares, and then nothing near that is known."""
    counts = np.array([[8, 4, 2, 1, 0, 0], [0, 0, 1, 2, 4, 8]])
    rows, columns = np.array([[0.0], [7.0]]), np.arange(1.0, 7)[:, None]
    assert measures.class_words(counts, "ab", rows, columns, k=4) == pytest.approx(1)
    heap = measures.class_words(counts, "ab", rows, np.zeros((6, 1)), k=6)
    best = np.cumsum([8, 4, 2, 1, 0, 0])
    assert heap == pytest.approx(np.mean(np.arange(1, 7) * 15 / 6 / best))


def test_class_words_takes_maps_and_leaves_out_what_is_not_placed(rng):
    counts, labels = texts(rng)
    table = Table(counts, [f"d{i}" for i in range(240)], None, "document", "word")
    model = CorrespondenceAnalysis().fit(table)
    rows, columns = model.embedding_.copy(), model.column_embedding_.copy()
    found = measures.class_words(table, labels, model.map_, k=9)
    named = dict(zip(table.rows, labels.tolist(), strict=True))
    assert measures.class_words(table, named, model.map_, k=9) == found
    assert measures.class_words(counts, labels, rows, columns, k=9) == pytest.approx(found)
    far = columns.copy()
    columns[:5], far[:5] = np.nan, 1e6  # not placed is as good as out of sight
    assert measures.class_words(counts, labels, rows, columns, k=9) == pytest.approx(
        measures.class_words(counts, labels, rows, far, k=9)
    )
    known = np.arange(240) % 3 > 0
    some = [label if has else None for label, has in zip(labels, known, strict=True)]
    assert measures.class_words(counts, some, rows, far, k=9) == pytest.approx(
        words_of_class(counts[known], labels[known], rows[known], far, 9)
    )


def own_columns(relation, rows, columns, k):
    """The definition of authorship, one row and one size at a time."""
    found = []
    for i, own in enumerate(relation > 0):
        if own.any():
            near = own[np.argsort(cdist(rows[i : i + 1], columns)[0])]
            sizes = range(1, k + 1)
            found.append(np.mean([near[:j].sum() / min(j, own.sum()) for j in sizes]))
    return np.mean(found)


@pytest.mark.parametrize("k", [1, 4, None])
def test_authorship_is_its_definition(rng, k):
    relation = rng.poisson(0.1, (40, 30))
    rows, columns = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    wanted = own_columns(relation, rows, columns, k or 30)
    assert measures.authorship(relation, rows, columns, k) == pytest.approx(wanted)
    assert measures.authorship(sparse.csr_array(9 * relation), rows, columns, k) == pytest.approx(
        wanted
    )


def test_authorship_is_one_if_the_nearest_three_are_the_authors():
    """What section 7.2 of the paper on CODE says of it; and half of that on a heap."""
    relation = [[1, 1, 1, 0, 0, 0]]
    columns = np.arange(6.0)[:, None]
    assert measures.authorship(relation, [[0]], columns) == pytest.approx(1)
    assert measures.authorship(relation, [[5]], columns) < 0.5
    assert measures.authorship([[0, 1]], [[0]], [[1], [1]]) == 3 / 4  # places 1 and 2, shared
    assert measures.authorship([[0, 1]], [[0]], [[0], [np.nan]]) == 0  # never near


def test_authorship_looks_at_the_kinds_of_its_relation(rng):
    wrote = Table(
        rng.poisson(0.3, (9, 6)), [f"d{i}" for i in range(9)], list("uvwxyz"), "doc", "who"
    )
    points = {k: rng.normal(size=(n, 2)) for k, n in (("doc", 9), ("word", 20), ("who", 6))}
    names = {"doc": wrote.rows, "word": [f"w{i}" for i in range(20)], "who": wrote.columns}
    shown = Map(points, names, {k: np.ones(len(p)) for k, p in points.items()})
    assert measures.authorship(wrote, shown) == measures.authorship(
        wrote, points["doc"], points["who"]
    )


def explained(counts, rows, columns, variant):
    """The definition of explained_information, with everything written out."""
    p = counts / counts.sum()
    r, c = p.sum(axis=1, keepdims=True), p.sum(axis=0, keepdims=True)
    u, v = (r if variant[0] == "M" else 1), (c if variant[1] == "M" else 1)
    m = u * v * np.exp(-cdist(rows, columns, "sqeuclidean"))
    axis = {"CM": 1, "CU": 1, "MC": 0, "UC": 0}.get(variant)
    m = m / m.sum(axis=axis, keepdims=True) * (1 if axis is None else r if axis else c)
    seen = p > 0
    mean = p[seen] @ np.log(m[seen])
    alone, all_of_it = p[seen] @ np.log((r * c)[seen]), p[seen] @ np.log(p[seen])
    return (mean - alone) / (all_of_it - alone)


@pytest.mark.parametrize("variant", ["CM", "CU", "MC", "MM", "UC", "UU"])
@pytest.mark.parametrize("weighting", ["events", "rows"])
def test_explained_information_is_its_definition(rng, variant, weighting):
    counts = rng.poisson(2, (12, 9)) + np.eye(12, 9)
    rows, columns = rng.normal(0, 0.3, (12, 2)), rng.normal(0, 0.3, (9, 2))
    weighed = counts / counts.sum(axis=1, keepdims=True) if weighting == "rows" else counts
    found = measures.explained_information(
        counts, rows, columns, variant=variant, weighting=weighting
    )
    assert found == pytest.approx(explained(weighed, rows, columns, variant), rel=1e-10)


@pytest.mark.parametrize("variant", ["CM", "UU"])
@pytest.mark.parametrize("weighting", ["events", "rows"])
def test_explained_information_of_code_is_its_own(housetasks, variant, weighting):
    model = CODE(variant=variant, weighting=weighting, penalty="auto").fit(housetasks)
    settings = {"variant": variant, "weighting": weighting}
    for where in ([model.map_], [model.embedding_, model.column_embedding_]):
        found = measures.explained_information(housetasks, *where, **settings)
        assert found == pytest.approx(model.explained_information_, rel=1e-10)


def test_things_of_one_kind_are_explained_as_code_does(rng):
    loop = rng.poisson(1, (8, 8)) + 1
    for counts in (loop, loop * (1 - np.eye(8))):  # with and without pairs of a thing with itself
        table = Table(counts, list("abcdefgh"), list("abcdefgh"), "word", "word")
        cues = table.select(rows=list("fadc"))  # fewer rows, in another order
        for given in (table, cues):
            model = CODE(penalty="auto", random_state=0).fit(given)
            assert measures.explained_information(given, model.map_) == pytest.approx(
                model.explained_information_, rel=1e-8
            )


def test_a_spoiled_map_explains_less_and_independence_nothing(housetasks):
    model = CODE(penalty="auto").fit(housetasks)
    rows, columns = model.embedding_, model.column_embedding_
    best = measures.explained_information(housetasks, rows, columns)
    assert measures.explained_information(housetasks, rows[::-1], columns) < 0.5 * best
    assert measures.explained_information(housetasks, 0 * rows, 0 * columns) == pytest.approx(0)
    nothing = np.outer([1, 2], [3, 1, 1])
    assert np.isnan(measures.explained_information(nothing, np.eye(2), np.eye(3, 2)))


def test_counts_of_what_is_not_placed_are_left_out_and_told(rng):
    counts = rng.poisson(3, (10, 8)) + 1
    rows, columns = rng.normal(size=(10, 2)), rng.normal(size=(8, 2))
    some = measures.explained_information(counts[1:, 2:], rows[1:], columns[2:])
    empty = np.pad(counts[1:, 2:], [(1, 0), (2, 0)])
    assert measures.explained_information(empty, rows, columns) == pytest.approx(some)
    rows[0], columns[:2] = np.nan, np.nan
    assert measures.explained_information(empty, rows, columns) == pytest.approx(some)
    lost = counts.sum() - counts[1:, 2:].sum()
    with pytest.warns(RelmapWarning, match=f"{lost} of {counts.sum()} counts are of"):
        assert measures.explained_information(counts, rows, columns) == pytest.approx(some)


def test_held_out_counts_tell_a_map_from_one_of_chance(housetasks):
    kept, held_out = housetasks.thin(0.5, random_state=0)
    shown = CODE(penalty="auto").fit(kept).map_
    assert 0.7 < measures.explained_information(held_out, shown) < 1


POINTS = np.zeros((13, 2)), np.zeros((4, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t, m: measures.conformity(t, *POINTS, k=0), "k of conformity must be"),
        (lambda t, m: measures.mean_rank(t, *POINTS, k=1.5), "k of mean_rank must be"),
        (lambda t, m: measures.conformity(t, POINTS[0]), "give a Map, or two arrays"),
        (lambda t, m: measures.conformity(t, m, POINTS[1]), "leave `columns` out"),
        (lambda t, m: measures.conformity(t, *POINTS[::-1]), "has 13 rows, but 4 points"),
        (lambda t, m: measures.conformity(t, POINTS[0], np.zeros((4, 3))), "2-D, columns in 3-D"),
        (lambda t, m: measures.conformity(t, POINTS[0] + np.inf, POINTS[1]), "must be finite"),
        (lambda t, m: measures.conformity(t, np.zeros(13), POINTS[1]), "n × q; got shape"),
        (lambda t, m: measures.conformity(t, POINTS[0] * np.nan, POINTS[1]), "no row is placed"),
        (lambda t, m: measures.conformity(t.counts, m), "kind 'row', the map has 'task' and"),
        (lambda t, m: measures.conformity(-t.counts.toarray(), *POINTS), "Negative"),
        (lambda t, m: measures.mean_rank(np.zeros((13, 4)), *POINTS), "no placed row"),
        (lambda t, m: measures.nearest_neighbour_error(m, list("ab")), "give labels by name"),
        (lambda t, m: measures.nearest_neighbour_error(m, {}, kind="film"), "no kind 'film'"),
        (lambda t, m: measures.nearest_neighbour_error(POINTS[0], [1]), "13 points, but 1 label"),
        (lambda t, m: measures.nearest_neighbour_error(POINTS[0], [1] * 13), "at least two label"),
        (lambda t, m: measures.nearest_neighbour_error(m, {}, folds=1), "folds of nearest"),
        (lambda t, m: measures.nearest_neighbour_error(POINTS[0], {0: 1}), "are for a Map"),
        (
            lambda t, m: measures.nearest_neighbour_error(np.eye(3), [1, 2, 2], folds=9),
            r"number of things \(3\); got 9",
        ),
        (lambda t, m: measures.selected_words_error(t, [1] * 12 + [2], m), "has the label 2"),
        (lambda t, m: measures.selected_words_error(t, range(3), m), "13 tasks, but 3 labels"),
        (lambda t, m: measures.selected_words_error(t, [1, 2] * 6 + [1], m, words=0), "words of"),
        (lambda t, m: measures.neighbour_purity(m, {}, 0), "k of neighbour_purity must be"),
        (lambda t, m: measures.neighbour_purity(POINTS[0], [1] * 13), "at least two label"),
        (lambda t, m: measures.neighbour_purity(np.eye(3), [1, 2, 2], 3), r"things \(2\); got 3"),
        (lambda t, m: measures.neighbour_purity(np.eye(3), [1, 2, 3]), "no two things have the"),
        (lambda t, m: measures.normalised_purity([1, 2]), r"tasks × methods.*got \(2,\)"),
        (lambda t, m: measures.normalised_purity([[1], [2]]), r"two methods at least; got \(2, 1"),
        (lambda t, m: measures.normalised_purity([[1, np.nan]]), "got NaN or infinity"),
        (lambda t, m: measures.class_words(t, [1] * 13, m, k=0), "k of class_words must be"),
        (
            lambda t, m: measures.class_words(t, [1] * 13, m, given=1),
            "given of class_words must be",
        ),
        (lambda t, m: measures.class_words(t, [1] * 13, m, k=9), r"near a row \(4\); got 9"),
        (lambda t, m: measures.class_words(t, [None] * 13, m), "no row that is placed has a label"),
        (
            lambda t, m: measures.class_words(np.eye(13, 4), [1] * 4 + ["x"] * 9, *POINTS, k=1),
            "the label 'x' are all empty",
        ),
        (lambda t, m: measures.authorship(t, m, k=5), r"near a row \(4\); got 5"),
        (lambda t, m: measures.authorship(np.zeros((13, 4)), *POINTS), "nothing is its own"),
        (lambda t, m: measures.explained_information(t, m, variant="CC"), "variant of explained"),
        (lambda t, m: measures.explained_information(t, m, weighting=1), "weighting of explained"),
        (lambda t, m: measures.explained_information(np.zeros((13, 4)), *POINTS), "no placed row"),
    ],
)
def test_what_is_wrong_is_told(housetasks, call, message):
    shown = CorrespondenceAnalysis().fit(housetasks).map_
    with pytest.raises((InputError, UnknownNameError), match=message):
        call(housetasks, shown)


def test_memory_stays_linear(rng):
    """20,000 things are measured without an array of things × things."""
    import tracemalloc

    n = 20_000
    points = rng.normal(size=(n, 2))
    relation = sparse.csr_array(
        (np.ones(3 * n), (np.repeat(np.arange(n), 3), rng.integers(0, n, 3 * n)))
    )
    tracemalloc.start()
    measures.mean_rank(relation, points, points[: relation.shape[1]])
    labels = rng.integers(0, 3, n)
    measures.nearest_neighbour_error(points, labels)
    measures.neighbour_purity(points, labels, k=30)
    columns, some = points[: relation.shape[1]], slice(0, 600)  # 96 MB times 20,000
    measures.class_words(relation[some], labels[some], points[some], columns)
    measures.authorship(relation[some], points[some], columns)
    measures.explained_information(relation, points, columns)
    assert tracemalloc.get_traced_memory()[1] < 60e6
    tracemalloc.stop()
