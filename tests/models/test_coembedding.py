"""The co-embeddings against published results, other libraries and each other."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import chi2_contingency
from sklearn.cluster import SpectralCoclustering
from sklearn.decomposition import TruncatedSVD

from registry import pieces, smoke, with_empty, words
from relmap import (
    ACAS,
    CODE,
    MKPE,
    BipartiteSpectral,
    CoEmbedding,
    CorrespondenceAnalysis,
    LatentSemanticIndexing,
    Table,
    apart,
    datasets,
    read_table,
)
from relmap.engines import descent
from relmap.engines.nearness import NearPairs
from relmap.errors import (
    ConvergenceWarning,
    InputError,
    NeighboursWarning,
    PiecesWarning,
    RankWarning,
)
from relmap.models.coembedding.core import Core
from relmap.models.coembedding.preserving import Problem

SHIPPED = {
    "smoke": datasets.load_smoke,
    "housetasks": datasets.load_housetasks,
    "author": datasets.load_author,
    "haireyecolor": datasets.load_hair_eye_color,
}
REFERENCES = Path(__file__).parents[1] / "data" / "ca"
SHARED = (
    Path(os.environ.get("RELMAP_SHARED", Path(__file__).parents[3] / "shared")) / "data/ca_tables"
)
OTHERS = ["bordeaux", "caith", "children", "dune", "hauser79", "hospvisits", "mental",
          "punctuation", "suicide", "titanic_class_survived"]  # fmt: skip


def alike(found, wanted, atol=1e-8):
    """Equal up to the sign of every column."""
    sign = np.where((found * wanted).sum(axis=0) < 0, -1, 1)
    np.testing.assert_allclose(found * sign, wanted, rtol=0, atol=atol)


def squares(points, others):
    return ((points[:, None] - others) ** 2).sum(axis=2)


# Correspondence analysis ---------------------------------------------------------------------


def reference(name):
    if name in SHIPPED:
        return SHIPPED[name](), json.loads((REFERENCES / f"{name}_ref.json").read_text())
    if not SHARED.exists():
        pytest.skip(f"needs {name} of the shared data")
    return read_table(SHARED / f"{name}.csv"), json.loads((SHARED / f"{name}_ref.json").read_text())


@pytest.mark.parametrize("name", [*SHIPPED, *OTHERS])
def test_correspondence_analysis_agrees_with_r(name):
    table, wanted = reference(name)
    inertias = np.atleast_1d(wanted["principal_inertias"])
    model = CorrespondenceAnalysis(len(inertias)).fit(table)
    np.testing.assert_allclose(model.inertias_, inertias, rtol=0, atol=1e-12)
    for side, key in (("rows", "row"), ("columns", "col")):
        one = side[:-1]
        np.testing.assert_allclose(getattr(model, f"{one}_masses_"), wanted[f"{key}_mass"])
        np.testing.assert_allclose(getattr(model, f"{one}_inertias_"), wanted[f"{key}_inertia"])
        for scaling in ("standard", "principal"):
            points = np.array(wanted[f"{key}_{scaling}"]).reshape(-1, len(inertias))
            alike(model.coordinates(side, scaling), points)
    assert model.total_inertia_ == pytest.approx(wanted["total_inertia"], rel=1e-12)
    assert model.chi_square_ == pytest.approx(wanted["chi2"], rel=1e-12)
    assert model.inertia_shares_.sum() == pytest.approx(1, abs=1e-12)


def test_correspondence_analysis_agrees_with_the_published_example_of_legendre():
    if not SHARED.exists():
        pytest.skip("needs legendre9_11 of the shared data")
    wanted = json.loads((SHARED / "legendre9_11_ref.json").read_text())
    model = CorrespondenceAnalysis(scaling="rows").fit(read_table(SHARED / "legendre9_11.csv"))
    np.testing.assert_allclose(model.inertias_, wanted["principal_inertias"], atol=1e-8)
    alike(model.embedding_, np.array(wanted["scaling1"]["row_principal"]), atol=1e-5)
    alike(model.column_embedding_, np.array(wanted["scaling1"]["col_standard"]), atol=1e-5)


def test_the_test_of_independence_is_the_usual_one():
    model = CorrespondenceAnalysis().fit(smoke())
    usual = chi2_contingency(smoke().counts.toarray(), correction=False)
    assert model.chi_square_ == pytest.approx(usual.statistic, rel=1e-12)
    assert model.degrees_of_freedom_ == usual.dof
    assert model.p_value_ == pytest.approx(usual.pvalue, rel=1e-9)


def test_principal_rows_are_as_far_apart_as_their_profiles():
    table = words()
    model = CorrespondenceAnalysis(19, scaling="principal").fit(table)
    counts = table.counts.toarray()
    profiles = counts / counts.sum(axis=1, keepdims=True)
    scaled = profiles / np.sqrt(counts.sum(axis=0) / counts.sum())
    np.testing.assert_allclose(
        squares(model.embedding_, model.embedding_), squares(scaled, scaled), atol=1e-10
    )


@pytest.mark.parametrize("scaling", ["rows", "columns"])
def test_each_thing_is_the_mean_of_what_it_goes_with(scaling):
    table = words()
    model = CorrespondenceAnalysis(scaling=scaling).fit(table)
    counts, sides = table.counts.toarray(), (model.embedding_, model.column_embedding_)
    if scaling == "columns":
        counts, sides = counts.T, sides[::-1]
    means = counts @ sides[1] / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sides[0], means, atol=1e-12)


def test_contributions_and_cosines_add_up():
    model = CorrespondenceAnalysis(19).fit(words())
    for side in ("row", "column"):
        assert getattr(model, f"{side}_contributions_").sum(axis=0) == pytest.approx(1)
        assert getattr(model, f"{side}_cosines_").sum(axis=1) == pytest.approx(1)
        assert getattr(model, f"{side}_inertias_").sum() == pytest.approx(model.total_inertia_)
    few = CorrespondenceAnalysis(2).fit(words())
    np.testing.assert_allclose(few.row_cosines_, model.row_cosines_[:, :2], atol=1e-12)


def test_scree_and_summary_are_frames_with_names():
    model = CorrespondenceAnalysis().fit(pd.DataFrame(with_empty().counts.toarray()))
    scree, summary = model.scree(), model.summary()
    assert isinstance(scree, pd.DataFrame)
    assert scree["cumulative"].iloc[-1] == pytest.approx(model.inertia_shares_.sum())
    assert list(summary["name"]) == list("012345012345")
    assert summary["mass"].sum() == pytest.approx(2)
    seen = summary[summary["mass"] > 0]
    expected = seen["axis1"] ** 2 * seen["mass"] / model.inertias_[0]
    np.testing.assert_allclose(seen["contribution_1"], expected, atol=1e-12)
    assert summary["axis1"].isna().sum() == 3


def test_inertia_of_a_large_sparse_table_is_that_of_the_full_one():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.2, (700, 900)) + np.eye(700, 900)
    shares = counts / counts.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    cells = (shares - expected) ** 2 / expected
    model = CorrespondenceAnalysis().fit(sparse.csr_array(counts))
    np.testing.assert_allclose(model.row_inertias_, cells.sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(model.column_inertias_, cells.sum(axis=0), rtol=1e-11)


def test_coordinates_name_their_sides():
    model = CorrespondenceAnalysis().fit(smoke())
    with pytest.raises(InputError, match="side of coordinates must be one of 'rows', 'columns'"):
        model.coordinates("row", "principal")


# Relatives -----------------------------------------------------------------------------------


def test_acas_is_correspondence_analysis_and_latent_semantic_indexing():
    table = words()
    analysis = CorrespondenceAnalysis(3, scaling="principal").fit(table)
    shaped = ACAS(3, p=1, alpha=0.5, beta=1).fit(table)
    np.testing.assert_allclose(shaped.embedding_, analysis.embedding_, atol=1e-12)
    np.testing.assert_allclose(shaped.column_embedding_, analysis.column_embedding_, atol=1e-12)
    indexing = LatentSemanticIndexing(3).fit(table)
    plain = ACAS(3, p=0, alpha=0, beta=1).fit(table)
    np.testing.assert_allclose(plain.embedding_, indexing.embedding_, atol=1e-9)
    np.testing.assert_allclose(plain.column_embedding_, indexing.column_embedding_, atol=1e-9)


def test_coembedding_with_equal_weights_is_correspondence_analysis():
    table = words()
    analysis = CorrespondenceAnalysis(3, scaling="standard").fit(table)
    settings = {"eta_rows": 1, "eta_columns": 1, "xi": 1, "gamma": 0}
    found = CoEmbedding(3, **settings).fit(table)
    np.testing.assert_allclose(found.embedding_, analysis.embedding_, atol=1e-11)
    np.testing.assert_allclose(found.column_embedding_, analysis.column_embedding_, atol=1e-11)


def test_latent_semantic_indexing_is_truncated_svd():
    table = words()
    other = TruncatedSVD(3, algorithm="arpack").fit(table.counts)
    model = LatentSemanticIndexing(3).fit(table)
    alike(model.embedding_, other.transform(table.counts), atol=1e-9)
    np.testing.assert_allclose(model.singular_values_, other.singular_values_, rtol=1e-12)
    alike(model.column_embedding_, other.components_.T * other.singular_values_, atol=1e-9)


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_bipartite_groups_are_those_of_scikit_learn(groups):
    table = words()
    other = SpectralCoclustering(groups, n_init=10, random_state=0).fit(table.counts)
    width = int(np.ceil(np.log2(groups)))
    rows, columns = BipartiteSpectral(width).fit(table).partition(groups)
    both, theirs = np.append(rows, columns), np.append(other.row_labels_, other.column_labels_)
    pairs = set(zip(both.tolist(), theirs.tolist(), strict=True))
    assert len(pairs) == groups  # the same groups, whatever their numbers
    sizes = np.bincount(both)
    assert (np.diff(sizes) <= 0).all()


def test_bipartite_places_are_standard_coordinates():
    found = BipartiteSpectral(3).fit(words())
    analysis = CorrespondenceAnalysis(3, scaling="standard").fit(words())
    np.testing.assert_array_equal(found.embedding_, analysis.embedding_)


def test_a_partition_leaves_out_what_has_no_counts():
    rows, columns = BipartiteSpectral(1).fit(with_empty()).partition(2)
    assert rows[2] == -1
    assert (columns[[1, 4]] == -1).all()
    with pytest.raises(InputError, match=r"groups of partition must be .* placed \(9\); got 10"):
        BipartiteSpectral(1).fit(with_empty()).partition(10)


def test_generalized_svd_of_scikit_network_agrees():
    embedding = pytest.importorskip("sknetwork.embedding")
    table = words()
    other = embedding.GSVD(4, regularization=0, normalized=False, factor_singular=0)
    other.fit(sparse.csr_matrix(table.counts))
    model = CorrespondenceAnalysis(3).fit(table)
    np.testing.assert_allclose(other.singular_values_[1:], model.singular_values_, atol=1e-10)


@pytest.mark.parametrize("p", [2, 3.5, np.inf])
def test_acas_scales_by_norms(p):
    """The definition, written out."""
    counts = words().counts.toarray() / words().total
    norms = [np.linalg.norm(side, p, axis=1) for side in (counts, counts.T)]
    scaled = counts / np.sqrt(np.outer(*norms))
    left, values, right = np.linalg.svd(scaled)
    model = ACAS(2, p=p, alpha=0.3, beta=1.4).fit(words())
    keep = slice(1, 3)
    rows = norms[0][:, None] ** -0.3 * left[:, keep] * values[keep] ** 1.4
    columns = norms[1][:, None] ** -0.3 * right[keep].T * values[keep] ** 1.4
    alike(np.concatenate([model.embedding_, model.column_embedding_]),
          np.concatenate([rows, columns]), atol=1e-9)  # fmt: skip


# The weighted co-embedding -------------------------------------------------------------------


@pytest.mark.parametrize(("eta_rows", "eta_columns"), [(1, 1), (0, 2.5), (3, 0.5), (6, 4)])
def test_coembedding_is_the_eigenproblem_of_the_paper(eta_rows, eta_columns):
    """Equations 21, 22, 32, 41 and 42 as printed, with a dense matrix T."""
    table, xi, gamma = words(), 1.3, 0.7
    R = table.counts.toarray()
    r, c = R.sum(axis=1), R.sum(axis=0)
    R_x, R_y = r[:, None] ** (eta_rows - 1) * R, R * c ** (eta_columns - 1)
    D_ry, D_cx = R_y.sum(axis=1), R_x.sum(axis=0)
    T = (R_y / D_ry[:, None]) @ (R_x / D_cx).T
    values, vectors = np.linalg.eig(T)
    order = np.argsort(-values.real)[1:3]
    values, psi = values.real[order], vectors.real[:, order]
    rows = (values / values[0]) ** gamma * psi / np.sqrt(D_ry @ psi**2)
    columns = xi / np.sqrt(values) * (R_x.T @ rows) / D_cx[:, None]
    model = CoEmbedding(eta_rows=eta_rows, eta_columns=eta_columns, xi=xi, gamma=gamma).fit(table)
    np.testing.assert_allclose(model.singular_values_**2, values, atol=1e-11)
    unit = np.sqrt(D_ry.sum())  # the paper's points have weighted sum of squares 1, ours mean 1
    alike(np.concatenate([model.embedding_, model.column_embedding_]),
          unit * np.concatenate([rows, columns]), atol=1e-7)  # fmt: skip


def test_what_is_given_stays_and_the_rest_is_searched():
    model = CoEmbedding(eta_rows=2.0, gamma=0.25, neighbours=3).fit(words())
    assert (model.eta_rows_, model.gamma_) == (2.0, 0.25)
    assert {trial.settings["eta_rows"] for trial in model.search_} == {2.0}
    assert len({trial.settings["xi"] for trial in model.search_}) > 3
    assert model.lost_pairs_ == min(trial.lost for trial in model.search_)
    near = NearPairs.of(words().counts, 3)
    assert model.near_pairs_ == len(near)
    assert model.lost_pairs_ == near.lost(model.embedding_, model.column_embedding_)


def scattered_points():
    """Similarities of points on a ring and within it, as the paper makes them (eq. 44)."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 2 * np.pi, 30)
    ring = 2 * np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(0, 0.1, (30, 2))
    inner = rng.normal(0, 0.5, (30, 2))
    first, second = np.r_[ring[:15], inner[:15]], np.r_[ring[15:], inner[15:]]
    distances = squares(first, second)
    return np.exp(-distances / distances.mean())


def test_the_search_is_as_good_as_the_genetic_one_with_fewer_tries():
    similarities = scattered_points()
    ours = CoEmbedding().fit(similarities)
    theirs = CoEmbedding(search="genetic").fit(similarities)
    assert ours.lost_pairs_ <= theirs.lost_pairs_
    assert len(ours.search_) < len(theirs.search_) / 2
    equal = CorrespondenceAnalysis().fit(similarities)
    near = NearPairs.of(sparse.csr_array(similarities), 5)
    assert ours.lost_pairs_ < near.lost(equal.embedding_, equal.column_embedding_)


def test_a_search_repeats_and_can_be_watched_and_stopped():
    first, again = (CoEmbedding(neighbours=3).fit(words()) for _ in range(2))
    assert first.search_ == again.search_
    assert first.map_ == again.map_
    steps = []

    def stop(step):
        steps.append(step)
        return step.iteration >= 10

    few = CoEmbedding(neighbours=3, callbacks=stop).fit(words())
    assert len(few.search_) == len(steps) == 10
    assert few.search_ == first.search_[:10]
    assert (np.diff([step.value for step in steps]) <= 0).all()


def test_acas_chooses_its_shape_by_near_pairs():
    similarities = scattered_points()
    model = ACAS().fit(similarities)
    analysis = ACAS(p=1, alpha=0.5, beta=1).fit(similarities)
    assert model.lost_pairs_ < analysis.lost_pairs_
    assert {trial.settings["p"] for trial in model.search_} == {0, 1, 2, 4, np.inf}
    assert ACAS(neighbours=(3, 4)).fit(words()).near_pairs_ == len(
        NearPairs.of(words().counts, (3, 4))
    )


# MKPE ----------------------------------------------------------------------------------------


def kernel(size, seed=1):
    points = np.random.default_rng(seed).normal(size=(size, 3))
    return np.exp(-squares(points, points))


@pytest.mark.parametrize("kernels", [{}, {"row_kernel": kernel(30)}, {
    "row_kernel": sparse.csr_array(kernel(30)), "column_kernel": kernel(20), "within": 0.3}],
    ids=["table", "rows", "both"])  # fmt: skip
def test_the_mismatch_is_the_definition_and_has_its_gradient(kernels):
    model = MKPE(3, **kernels)
    problem = Problem.of(Core.of(words()), model.get_params())
    x = problem.start(np.random.default_rng(0))
    assert descent.gradient_error(descent.Descent(problem.loss, x), x) < 1e-6
    rows, columns, width = problem.points(x)
    counts = words().counts.toarray()
    wanted = counts / np.sqrt(np.outer(counts.max(axis=1), counts.max(axis=0)))
    value = ((np.exp(-squares(rows, columns) / width**2) - wanted) ** 2).mean()
    for points, name in ((rows, "row_kernel"), (columns, "column_kernel")):
        if name in kernels:
            given = kernels[name].toarray() if sparse.issparse(kernels[name]) else kernels[name]
            off = ~np.eye(len(given), dtype=bool)
            near = np.exp(-squares(points, points) / width**2)
            value += kernels.get("within", 1) * ((near - given)[off] ** 2).mean()
    assert problem.loss(x)[0] == pytest.approx(value, rel=1e-12)


def test_without_kernels_both_clouds_have_unit_second_moments():
    model = MKPE().fit(words())
    for points in (model.embedding_, model.column_embedding_):
        moments = points.T @ points / len(points)
        assert np.linalg.eigvalsh(moments) == pytest.approx([1, 1])


def test_polar_factors_have_orthonormal_columns_and_right_slopes():
    rng = np.random.default_rng(0)
    free, slopes = rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
    factor = descent.Polar.of(free).factor
    np.testing.assert_allclose(factor.T @ factor, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(descent.Polar.of(factor).factor, factor, atol=1e-14)

    def function(x):
        polar = descent.Polar.of(x.reshape(7, 3))
        value = float(np.sin(polar.factor * slopes).sum())
        return value, polar.pulled_back(np.cos(polar.factor * slopes) * slopes).ravel()

    problem = descent.Descent(function, free.ravel())
    assert descent.gradient_error(problem, free.ravel()) < 1e-7


def test_kernels_draw_together_what_they_call_alike():
    groups = np.arange(30) % 2
    same = (groups[:, None] == groups).astype(float)
    plain, drawn = (MKPE(row_kernel=k, within=5).fit(words()) for k in (kernel(30), same))

    def spread(model):
        points = model.embedding_
        centres = np.array([points[groups == g].mean(axis=0) for g in (0, 1)])
        return ((points - centres[groups]) ** 2).sum() / ((points - points.mean(axis=0)) ** 2).sum()

    assert spread(drawn) < 0.1 < spread(plain)


def test_new_things_of_mkpe_lie_where_nothing_near_is_better():
    table, model = words(), MKPE().fit(words())
    placed = model.transform(table)
    counts = table.counts.toarray()
    wanted = counts / np.sqrt(np.outer(counts.max(axis=1), counts.max(axis=0)))

    def mismatch(points):
        near = np.exp(-squares(points, model.column_embedding_) / model.width_**2)
        return ((near - wanted) ** 2).sum(axis=1)

    best = mismatch(placed)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert (mismatch(placed + rng.normal(0, 1e-3, placed.shape)) >= best - 1e-12).all()


@pytest.mark.parametrize(
    ("given", "words_"),
    [
        (kernel(29), "row_kernel of MKPE must be 30 × 30, as the table has so many; got 29 × 29"),
        (-kernel(30), "must be symmetric similarities, but it has negative entries"),
        (np.triu(kernel(30)), "entries that differ from their mirror image"),
        (kernel(30) * np.nan, "numbers that are not finite"),
        (1 - np.eye(30), "zeros on its diagonal"),
    ],
)
def test_what_is_no_kernel_is_refused(given, words_):
    with pytest.raises(InputError, match=words_):
        MKPE(row_kernel=given).fit(words())


def test_kernels_go_with_the_rows_that_have_counts():
    table = with_empty()
    chosen = np.array([0, 1, 3, 4, 5])
    whole = MKPE(row_kernel=kernel(6)).fit(table)
    part = MKPE(row_kernel=kernel(6)[np.ix_(chosen, chosen)]).fit(smoke())
    np.testing.assert_array_equal(whole.embedding_[chosen], part.embedding_)


def test_more_starts_are_never_worse():
    one, many = (MKPE(n_init=n, random_state=0).fit(smoke()).loss_ for n in (1, 4))
    assert many <= one
    with pytest.warns(ConvergenceWarning, match="MKPE: reached max_iter"):
        assert MKPE(max_iter=2).fit(words()).map_.status == "reached max_iter"


# Few axes, pieces, roles ---------------------------------------------------------------------

SPECTRAL = [CorrespondenceAnalysis, LatentSemanticIndexing, BipartiteSpectral, CoEmbedding, ACAS]


@pytest.mark.parametrize("model", [CorrespondenceAnalysis, BipartiteSpectral])
def test_fewer_axes_than_asked_for_are_said(model):
    with pytest.warns(RankWarning, match="n_components=4, but this table has 3 axes"):
        found = model(4).fit(smoke())
    assert found.embedding_.shape == (5, 3)
    assert len(found.get_feature_names_out()) == 3
    with pytest.warns(RankWarning, match="this table has no axis"):
        alone = model().fit([[3], [1], [2]])
    np.testing.assert_array_equal(alone.embedding_, np.zeros((3, 1)))


def test_a_single_column_has_one_axis_of_sizes():
    with pytest.warns(RankWarning, match="has 1 axis"):
        model = LatentSemanticIndexing().fit([[3], [1], [2]])
    alike(model.embedding_, np.array([[3.0], [1], [2]]))


def test_pieces_are_reported_and_can_be_mapped_apart():
    with pytest.warns(
        PiecesWarning, match=r"3 pieces .* axes 1 to 2 can only tell them apart.*apart"
    ):
        whole = CorrespondenceAnalysis(4).fit(pieces())
    np.testing.assert_allclose(whole.inertias_[:2], 1)
    assert whole.map_.evidence["pieces"] == 3
    assert whole.evidence_.repeated[0] == (1, 2)
    found = apart(CorrespondenceAnalysis(), pieces())
    block = CorrespondenceAnalysis().fit(pieces().blocks()[0]).map_
    laid = block.align(found)
    assert laid.evidence["alignment"]["root_mean_square"] < 1e-12
    assert sum(masses.sum() for masses in found.masses.values()) == pytest.approx(2)
    share = pieces().blocks()[0].total / pieces().total
    assert found.masses["row"][:5].sum() == pytest.approx(share)


@pytest.mark.parametrize("model", [CorrespondenceAnalysis(), CODE(1, penalty="auto"), ACAS(p=1)],
                         ids=["CA", "CODE 1-D", "ACAS"])  # fmt: skip
def test_pieces_laid_side_by_side_do_not_overlap(model):
    table = Table(sparse.block_diag([words().counts, words().T.counts, [[4]], [[3, 1], [1, 2]]]))
    found = apart(model, table)
    boxes = []
    for block in table.blocks():
        points = np.concatenate(
            [found.points["row"][found.names["row"].find(block.rows)],
             found.points["column"][found.names["column"].find(block.columns)]]
        )  # fmt: skip
        boxes.append((points.min(axis=0), points.max(axis=0)))
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert (low > other_high).any() or (high < other_low).any()


@pytest.mark.parametrize("model", [ACAS, CoEmbedding, LatentSemanticIndexing])
def test_all_tell_that_pieces_have_no_place_to_each_other(model):
    with pytest.warns(PiecesWarning, match="2 pieces .* how they lie to each other says nothing"):
        model(2).fit(Table(sparse.block_diag([words().counts] * 2)))


@pytest.mark.parametrize("model", [ACAS, CoEmbedding])
def test_a_search_with_nothing_to_go_by_is_told(model):
    with pytest.warns(NeighboursWarning, match="neighbours=5 all of the 5 rows and 4 columns"):
        model().fit(smoke())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(neighbours=2).fit(smoke())


def test_a_row_of_the_average_profile_has_no_cosines():
    counts = pd.DataFrame([[2, 4, 6], [1, 5, 2], [3, 3, 10]], list("abc"), list("xyz"))
    model = CorrespondenceAnalysis(1).fit(counts)
    assert model.row_inertias_[0] < 1e-12
    assert np.isnan(model.row_cosines_[0]).all()
    assert np.isfinite(model.row_cosines_[1:]).all()
    assert np.isnan(model.summary()["quality"][0])


def test_apart_with_one_piece_is_fit_and_warns_of_the_largest():
    whole = apart(CorrespondenceAnalysis(), smoke())
    assert whole == CorrespondenceAnalysis().fit(smoke()).map_
    with pytest.warns(RankWarning, match="but this table has 1 axis"):
        apart(CorrespondenceAnalysis(), Table(sparse.block_diag([[[3, 1], [1, 4]], [[2]]])))


def test_pieces_of_one_row_each_have_no_axis_and_the_reason_is_told():
    with (
        pytest.warns(RankWarning, match="in each of its pieces rows are all alike"),
        pytest.warns(PiecesWarning),
    ):
        CoEmbedding(neighbours=1).fit(np.eye(5))


def test_apart_keeps_what_has_no_counts_and_refuses_what_has_none():
    found = apart(CorrespondenceAnalysis(), with_empty())
    assert found.unplaced["smoking"] == ("pipe", "cigar")
    assert found.provenance["sha256"] == with_empty().fingerprint
    with pytest.raises(InputError, match="the table is empty"):
        apart(CorrespondenceAnalysis(), Table(np.zeros((2, 2))))
    with pytest.raises(InputError, match="apart takes a Table; got list"):
        apart(CorrespondenceAnalysis(), [[1]])


@pytest.mark.filterwarnings("ignore::relmap.errors.NeighboursWarning")
@pytest.mark.parametrize("model", SPECTRAL)
def test_things_of_one_kind_have_two_roles(model):
    square = Table([[0, 3, 1], [2, 0, 5], [1, 1, 0]], list("abc"), list("abc"), "town", "town")
    found = model(1).fit(square).map_
    assert found.kinds == ("town as row", "town as column")
    with pytest.raises(InputError, match="say which one is meant"):
        found.nearest("a")
    assert len(found.nearest("a", of="town as row")) == 5
