"""What must hold for every method of every engine; wrong answers must be caught."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import ortho_group

from registry import DESCENTS, DIMENSIONS, FIELDS, MATRICES, REFERENCES, SMOKE, words
from relmap.engines import descent, fields, spectral
from relmap.engines.descent import Descent, Status, Stop
from relmap.engines.fields import direct, nearby, nufft
from relmap.engines.fields.split import Split

every_field = pytest.mark.parametrize("problem", FIELDS.values(), ids=FIELDS)
every_kernel = pytest.mark.parametrize("kernel", fields.KERNELS.values(), ids=fields.KERNELS)
every_field_method = pytest.mark.parametrize("method", fields.METHODS.values(), ids=fields.METHODS)
in_every_dimension = pytest.mark.parametrize("q", [1, 2, 3, 7])
every_field_method_in_its_dimensions = pytest.mark.parametrize(
    ("method", "q"),
    [
        pytest.param(method, q, id=f"{name} {q}-D")
        for name, method in fields.METHODS.items()
        for q in DIMENSIONS[name]
    ],
)

# Fields --------------------------------------------------------------------------------------


def truth(problem):
    return direct.exact(problem)


def close(field, wanted, problem, tolerance):
    extent = 1 + np.ptp(problem.sources, axis=0).max()
    weight = np.abs(problem.quantities).max()
    np.testing.assert_allclose(field.log_total, wanted.log_total, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(field.slope, wanted.slope, rtol=tolerance, atol=tolerance * extent)
    np.testing.assert_allclose(field.means, wanted.means, rtol=tolerance, atol=tolerance * weight)


@every_field
@every_kernel
@in_every_dimension
def test_the_reference_is_the_definition(problem, kernel, q):
    """In plain double loops, with the logarithms that NumPy and SciPy have."""
    problem = problem(q, kernel).part(np.arange(9))
    field = direct.exact(problem)
    logarithms = {
        "gaussian": lambda d: -d,
        "student": lambda d: -np.log1p(d),
        "student squared": lambda d: -2 * np.log1p(d),
    }
    for i, target in enumerate(problem.targets):
        squares = ((target - problem.sources) ** 2).sum(axis=1)
        logs = problem.offsets + logarithms[kernel.name](squares)
        if problem.own is not None and problem.own[i] >= 0:
            logs[problem.own[i]] = -np.inf
        assert field.log_total[i] == pytest.approx(logsumexp(logs), rel=1e-12, abs=1e-12)
        share = np.exp(logs - logsumexp(logs))
        np.testing.assert_allclose(
            field.means[i], share @ problem.quantities[:, 1:], rtol=1e-9, atol=1e-12
        )


@every_field
@every_kernel
@every_field_method_in_its_dimensions
@pytest.mark.parametrize("tolerance", [1e-12, 1e-8, 1e-4])
def test_fast_fields_equal_the_reference_on_every_quantity(problem, kernel, method, q, tolerance):
    problem = replace(problem(q, kernel), tolerance=tolerance)
    close(method(problem), truth(problem), problem, max(2e-11, 2 * tolerance))


@every_kernel
@pytest.mark.parametrize("q", DIMENSIONS["nufft"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-8])
def test_sums_by_waves_err_by_no_more_than_they_promise(kernel, q, tolerance):
    """With a single source there is nothing in which errors could get lost."""
    if q == 3 and tolerance < 1e-4 and not kernel.exponential:
        pytest.skip("hundreds of megabytes")
    rng, extent = np.random.default_rng(q), {1: 40, 2: 9, 3: 1}[q]
    targets = rng.uniform(-extent, extent, (400, q))
    for _ in range(2):
        sources = np.concatenate([rng.uniform(-extent, extent, (1, q)), extent * np.eye(q)])
        masses = np.array([0.0] + [-700.0] * q)
        problem = fields.KernelSums(targets, sources, masses, kernel=kernel, tolerance=tolerance)
        split = Split.of(problem)
        found, wanted = (
            np.exp(f(x).log_total)
            for f, x in ((nufft.by_waves, split), (direct.exact, problem.part(split.near)))
        )
        assert np.abs(found - wanted).max() <= np.exp(split.log_error)
        assert np.exp(split.log_error) <= tolerance


def test_the_cheaper_method_is_chosen_and_precision_before_all():
    rng = np.random.default_rng(0)
    small, large, high = (
        fields.KernelSums(*rng.normal(size=(2, n, q)), tolerance=1e-9)
        for n, q in ((300, 2), (20_000, 2), (20_000, 4))
    )
    assert [fields.choose(p) for p in (small, large, high)] == ["direct", "nufft", "direct"]
    assert fields.choose(replace(large, tolerance=1e-13)) == "direct"
    wide = replace(large, sources=1e5 * large.sources, kernel=fields.STUDENT)
    assert fields.choose(wide) == "direct"  # more waves than there is room for


@pytest.mark.parametrize("q", DIMENSIONS["nufft"])
@pytest.mark.parametrize("wild", [np.nan, np.inf, 1e20, 1e200])
@pytest.mark.parametrize("part", ["targets", "sources", "log_masses"])
def test_a_step_that_went_anywhere_gets_an_answer(part, wild, q):
    """No number, or none that could be sorted: many points, so that other methods are tempted."""
    problem = _points_for_waves(q)
    spoiled = getattr(problem, part).copy()
    spoiled[7] = wild
    with np.errstate(over="ignore", invalid="ignore"):  # as in a descent
        found = fields.solve(replace(problem, **{part: spoiled}))
    if part == "targets":
        untouched = np.arange(len(spoiled)) != 7
        wanted = fields.solve(problem).log_total[untouched]
        np.testing.assert_allclose(found.log_total[untouched], wanted, atol=1e-6)


def _points_for_waves(q):
    points = np.random.default_rng(q).normal(size=(2, 4000, q))
    return fields.KernelSums(*points, np.zeros(4000), tolerance=1e-7)


@pytest.mark.parametrize("q", DIMENSIONS["nufft"])
def test_far_outliers_do_not_make_a_field_slow_or_wrong(q):
    """A hundred of thousands lie thousands of units out, some of them with all the mass."""
    rng = np.random.default_rng(q)
    points = rng.normal(size=(2, 6000, q))
    points[:, :100] *= 1e4
    masses = rng.normal(size=6000)
    masses[:5] += 1e6
    problem = fields.KernelSums(*points, masses, tolerance=1e-8)
    split = Split.of(problem)
    assert split.serves
    assert len(split.near) > 5000
    close(nufft.solve(problem), truth(problem), problem, 2e-8)


def test_sums_are_direct_where_finufft_is_missing(monkeypatch):
    points = np.random.default_rng(0).normal(size=(2, 20_000, 2))
    problem = fields.KernelSums(*points, tolerance=1e-6)
    monkeypatch.setitem(sys.modules, "finufft", None)
    nufft.available.cache_clear()
    try:
        assert fields.choose(problem) == "direct"
    finally:
        nufft.available.cache_clear()


@pytest.mark.parametrize("q", DIMENSIONS["nufft"])
@pytest.mark.parametrize("own", [False, True])
def test_what_is_left_out_far_away_does_not_matter(q, own):
    """Targets in the thin outskirts of many sources, to full precision."""
    rng = np.random.default_rng(q)
    sources = 4 * rng.standard_normal((6000, q))
    chosen = np.argsort(-(sources**2).sum(axis=1))[:500]
    problem = fields.KernelSums(
        sources[chosen] if own else 1.3 * sources[chosen], sources, rng.normal(size=6000),
        rng.normal(size=(6000, 2)), own=chosen if own else None,
    )  # fmt: skip
    close(nearby.solve(problem), truth(problem), problem, 2e-11)


@every_field
@every_kernel
@every_field_method_in_its_dimensions
def test_slopes_are_the_differences_of_totals(problem, kernel, method, q):
    problem = problem(q, kernel)
    slope, h = method(problem).slope, 1e-5
    for axis in range(q):
        ahead, behind = (
            method(replace(problem, targets=problem.targets + step * np.eye(q)[axis])).log_total
            for step in (h, -h)
        )
        size = 1 + np.abs(slope[:, axis])
        assert (np.abs((ahead - behind) / (2 * h) - slope[:, axis]) / size).max() < 1e-5


@every_field
@every_kernel
@every_field_method_in_its_dimensions
def test_fields_turn_and_shift_with_their_points(problem, kernel, method, q):
    problem = problem(q, kernel)
    turn = ortho_group.rvs(q, random_state=q) if q > 1 else -np.eye(1)
    shift = np.linspace(-3, 5, q)
    moved = replace(
        problem, targets=problem.targets @ turn + shift, sources=problem.sources @ turn + shift
    )
    before, after = method(problem), method(moved)
    turned = fields.Field(before.log_total, before.slope @ turn, before.means)
    close(after, turned, problem, 1e-9)


@every_field_method
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("size", [1.0, 5.0, 40.0])
def test_single_precision_only_where_the_promise_allows_it(method, tolerance, size):
    problem = FIELDS["ordinary"](2, fields.GAUSSIAN)
    problem = replace(
        problem, sources=size * problem.sources, targets=size * problem.targets,
        tolerance=tolerance,
    )  # fmt: skip
    assert fields.check(problem, method(problem)).holds()


def test_single_precision_is_used_where_it_may_be():
    problem = FIELDS["ordinary"](2, fields.GAUSSIAN)
    chosen = [direct.precision(replace(problem, tolerance=t)) for t in (1e-3, 1e-5, 1e-12)]
    assert chosen == [np.float32, np.float64, np.float64]
    far = replace(problem, sources=100 * problem.sources, tolerance=1e-3)
    assert direct.precision(far) is np.float64


@every_field
@every_kernel
@every_field_method
def test_the_evidence_of_fields_holds_and_catches_what_is_spoiled(problem, kernel, method):
    problem = replace(problem(2, kernel), tolerance=1e-10)
    field = method(problem)
    n = len(problem.targets)
    assert fields.check(problem, field, sample=n).holds()
    for part in ("log_total", "slope", "means"):
        values = getattr(field, part).copy()
        if not values.size:
            continue
        for wrong in (values[n // 2] + 1e-6 * (1 + np.abs(values[n // 2])), np.nan):
            spoiled = values.copy()
            spoiled[n // 2] = wrong
            found = fields.check(problem, replace(field, **{part: spoiled}), sample=n)
            assert not found.holds()


@every_field_method
@every_kernel
def test_fields_have_the_same_bits_on_any_number_of_threads(method, kernel, monkeypatch):
    found = []
    for threads in ("1", "2", "3", "7"):
        monkeypatch.setenv("RELMAP_THREADS", threads)
        found.append(method(FIELDS["many blocks"](3, kernel)))
    for field in found[1:]:
        for part in ("log_total", "slope", "means"):
            np.testing.assert_array_equal(getattr(field, part), getattr(found[0], part))


def test_many_points_have_the_same_bits_on_any_number_of_threads(monkeypatch):
    """More than one piece of work, and some targets that are summed from what is nearby."""
    points = 3 * np.random.default_rng(0).normal(size=(2, 120_000, 2))
    problem = fields.KernelSums(*points, tolerance=1e-8)
    assert fields.choose(problem) == "nufft"
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RELMAP_THREADS", threads)
        found.append(fields.solve(problem))
    assert fields.check(problem, found[0], sample=20).holds()
    for field in found[1:]:
        np.testing.assert_array_equal(field.log_total, found[0].log_total)
        np.testing.assert_array_equal(field.slope, found[0].slope)


def test_memory_grows_with_the_number_of_points_alone():
    """Targets × sources would be 128 GB."""
    import tracemalloc

    points = 3 * np.random.default_rng(0).normal(size=(2, 130_000, 2))
    problem = fields.KernelSums(*points, tolerance=1e-6)
    tracemalloc.start()
    try:
        fields.solve(problem)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 400 * len(points[0])


@every_kernel
@every_field_method_in_its_dimensions
@pytest.mark.parametrize("same", [False, True])
def test_sums_are_adjoint(kernel, method, q, same):
    """Σ_t a_t F(t) = Σ_s w_s G(s), with F the field of w at t and G that of a at s."""
    rng = np.random.default_rng(q)
    targets, a = rng.normal(size=(40, q)), rng.uniform(0.1, 2, 40)
    sources = targets if same else rng.normal(size=(30, q))
    w, own = rng.uniform(0.1, 2, len(sources)), np.arange(40) if same else None
    there = method(fields.KernelSums(targets, sources, np.log(w), None, kernel, own))
    back = method(fields.KernelSums(sources, targets, np.log(a), None, kernel, own))
    forth = a @ np.exp(there.log_total)
    assert w @ np.exp(back.log_total) == pytest.approx(forth, rel=1e-12)


def test_a_point_that_sees_nothing_has_an_empty_field():
    point = np.zeros((1, 2))
    field = fields.solve(
        fields.KernelSums(point, point, weights=np.ones((1, 1)), own=np.array([0]))
    )
    assert field.log_total[0] == -np.inf
    assert not field.slope.any()
    assert not field.means.any()


# Places --------------------------------------------------------------------------------------


def placing(q=2, n=6, ridge=0.0, seed=0):
    """Means inside the hull of the sources: every place is finite."""
    rng = np.random.default_rng(seed)
    sources = rng.normal(size=(15, q))
    shares = rng.dirichlet(np.full(15, 0.7), size=n)
    return fields.Placing(shares @ sources, sources, rng.normal(size=15), np.full(n, float(ridge)))


def h_of(problem, i, point):
    squares = ((point - problem.sources) ** 2).sum(axis=1)
    total = logsumexp(problem.log_masses - squares)
    return point @ point - 2 * point @ problem.means[i] + total + problem.ridge[i] * point @ point


@in_every_dimension
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_places_are_where_the_gradient_vanishes(q, ridge):
    problem = placing(q, ridge=ridge)
    found = fields.place(problem)
    assert not found.held.any()
    for i, point in enumerate(found.points):
        logs = problem.log_masses - ((point - problem.sources) ** 2).sum(axis=1)
        share = np.exp(logs - logsumexp(logs))
        gradient = 2 * (share @ problem.sources - problem.means[i]) + 2 * ridge * point
        assert np.abs(gradient).max() < 1e-9
    assert found.gradients.max() < 1e-9


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_places_are_the_minima_another_optimiser_finds(ridge):
    problem = placing(2, ridge=ridge)
    found = fields.place(problem)
    for i, point in enumerate(found.points):
        other = minimize(
            lambda x, i=i: h_of(problem, i, x), np.zeros(2), method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )  # fmt: skip
        assert h_of(problem, i, point) <= other.fun + 1e-12
        np.testing.assert_allclose(point, other.x, atol=1e-5)


def outlying(seed=1):
    """Means on the corners of the sources' hull, and one inside: the corners run off."""
    rng = np.random.default_rng(seed)
    sources = np.array([[1.0, 0], [-0.6, 0.9], [-0.5, -0.8], [0.1, 0.1], [-0.2, 0.1]])
    means = np.array([sources[0], sources[1], 0.5 * (sources[0] + sources[1]), sources[3]])
    return fields.Placing(means, sources, rng.normal(size=5), np.zeros(4))


def test_places_at_infinity_are_held_at_the_radius_and_reported():
    problem = outlying()
    found = fields.place(problem)
    assert found.held.tolist() == [True, True, True, False]
    out = np.linalg.norm(found.points - problem.centre, axis=1)
    np.testing.assert_allclose(out[:3], problem.radius, rtol=1e-6)
    farthest = np.linalg.norm(problem.sources - problem.centre, axis=1).max()
    # As documented: twice as far as the farthest source, and far enough to favour it by e^{10}.
    assert problem.radius == pytest.approx(max(2 * farthest, 10 / (2 * farthest)))


def test_held_places_are_the_best_within_the_radius():
    problem = outlying()
    found = fields.place(problem)
    room = {
        "type": "ineq",
        "fun": lambda x: problem.radius**2 - ((x - problem.centre) ** 2).sum(),
    }
    for i in np.flatnonzero(found.held):
        other = minimize(
            lambda x, i=i: h_of(problem, i, x), problem.centre, method="SLSQP",
            constraints=[room], options={"ftol": 1e-15, "maxiter": 1000},
        )  # fmt: skip
        assert h_of(problem, i, found.points[i]) <= other.fun + 1e-9
        np.testing.assert_allclose(found.points[i], other.x, atol=1e-3)


@in_every_dimension
@pytest.mark.parametrize("make", [placing, lambda q: outlying() if q == 2 else placing(q)])
def test_places_turn_and_shift_with_the_sources(q, make):
    problem = make(q)
    turn, shift = ortho_group.rvs(q, random_state=0) if q > 1 else -np.eye(1), np.full(q, 2.5)
    moved = replace(
        problem, means=problem.means @ turn + shift, sources=problem.sources @ turn + shift
    )
    first, second = fields.place(problem), fields.place(moved)
    np.testing.assert_allclose(second.points, first.points @ turn + shift, atol=1e-7)
    np.testing.assert_array_equal(second.held, first.held)


@pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-5, 1e-7])
def test_a_finite_place_is_never_touched_however_far_it_is(share):
    """Two sources: log p/(1 − p) = 4 a x, so the place is known by hand."""
    a = 0.25
    sources = np.array([[-a], [a]])
    means = np.array([[a * (1 - 2 * share)]])
    found = fields.place(fields.Placing(means, sources, np.zeros(2), np.zeros(1)))
    right = (1 + means[0, 0] / a) / 2
    wanted = np.log(right / (1 - right)) / (4 * a)
    assert not found.held.any()
    assert found.points[0, 0] == pytest.approx(wanted, rel=1e-3)


def test_a_ridge_pulls_to_the_origin():
    sizes = [
        np.linalg.norm(fields.place(placing(2, ridge=ridge)).points, axis=1)
        for ridge in (0, 0.1, 1, 10, 1e3, 1e6)
    ]
    assert (np.diff(sizes, axis=0) < 0).all()
    assert sizes[-1].max() < 1e-5


def test_one_source_or_many_in_one_place_pull_nowhere():
    here = np.array([[0.3, -0.2]])
    for sources in (here, np.repeat(here, 4, axis=0)):
        problem = fields.Placing(here, sources, np.zeros(len(sources)), np.zeros(1))
        found = fields.place(problem)
        assert np.isfinite(found.points).all()
        assert not found.held.any()


# Spectral ------------------------------------------------------------------------------------

every_matrix = pytest.mark.parametrize("problem", MATRICES.values(), ids=MATRICES)
every_spectral_method = pytest.mark.parametrize(
    "method", spectral.METHODS.values(), ids=spectral.METHODS
)


def formed(problem):
    known = 0.0
    if problem.row_centre is not None:
        known = problem.row_centre @ problem.column_centre.T
    centred = problem.matrix.toarray() - (known.toarray() if sparse.issparse(known) else known)
    return problem.row_scale[:, None] * centred * problem.column_scale


@every_matrix
def test_products_are_those_of_the_matrix_that_is_never_formed(problem):
    problem, rng = problem(), np.random.default_rng(0)
    (n, m), whole = problem.shape, formed(problem)
    for shape in ((), (3,)):
        right, left = rng.normal(size=(m, *shape)), rng.normal(size=(n, *shape))
        np.testing.assert_allclose(problem.times(right), whole @ right, atol=1e-12)
        np.testing.assert_allclose(problem.transposed_times(left), whole.T @ left, atol=1e-12)


@every_matrix
@every_spectral_method
def test_axes_are_those_of_lapack(problem, method):
    problem = problem()
    axes = method(problem)
    left, values, right = np.linalg.svd(formed(problem), full_matrices=False)
    k = problem.rank
    np.testing.assert_allclose(axes.values, values[:k], rtol=1e-10)
    for found, wanted in ((axes.left, left[:, :k]), (axes.right, right[:k].T)):
        sign = np.sign((found * wanted).sum(axis=0))
        np.testing.assert_allclose(found, wanted * sign, atol=1e-7)


@every_matrix
@every_spectral_method
def test_methods_agree_with_the_reference_in_sign_too(problem, method):
    problem = problem()
    reference = spectral.METHODS[REFERENCES["spectral"]](problem)
    axes = method(problem)
    np.testing.assert_allclose(axes.left, reference.left, atol=1e-7)
    np.testing.assert_allclose(axes.right, reference.right, atol=1e-7)


@every_matrix
@every_spectral_method
def test_the_evidence_of_axes_holds_and_catches_what_is_spoiled(problem, method):
    problem = problem()
    axes = method(problem)
    assert spectral.check(problem, axes).holds()
    for part in ("left", "right", "values"):
        spoiled = getattr(axes, part).copy()
        spoiled[0] += 1e-4
        assert not spectral.check(problem, replace(axes, **{part: spoiled})).holds()
    turned = np.sqrt(0.5) * np.array([[1, -1], [1, 1]])  # orthogonal still, but no axes
    both = {part: getattr(axes, part).copy() for part in ("left", "right")}
    for vectors in both.values():
        vectors[:, :2] = vectors[:, :2] @ turned
    assert not spectral.check(problem, replace(axes, **both)).holds()


@every_spectral_method
def test_inertias_of_correspondence_analysis(method):
    """Greenacre's smokers: the principal inertias as published."""
    counts = sparse.csr_array(SMOKE, dtype=float)
    problem = spectral.ScaledMatrix.residuals(counts / counts.sum(), 3)
    np.testing.assert_allclose(method(problem).values ** 2, [0.074759, 0.010017, 0.000414],
                               atol=5e-7)  # fmt: skip


def test_inertias_add_up_to_chi_square_over_n():
    from scipy.stats import chi2_contingency

    counts = sparse.csr_array(SMOKE, dtype=float)
    axes = spectral.solve(spectral.ScaledMatrix.residuals(counts / counts.sum(), 3))
    chi_square = chi2_contingency(SMOKE, correction=False).statistic
    assert (axes.values**2).sum() * counts.sum() == pytest.approx(chi_square, rel=1e-12)


def test_smoothing_lowers_what_rare_things_get():
    counts = sparse.block_diag([words().counts, [[1]]], format="csr")
    first, smooth = (
        spectral.solve(spectral.ScaledMatrix.residuals(counts / counts.sum(), 1, smoothing=s))
        for s in (0.0, 0.5)
    )
    assert abs(first.left[-1, 0]) > 0.99
    assert abs(smooth.left[-1, 0]) < 0.5


def test_the_sign_rule_does_not_mind_turning_rounding_or_ties():
    vectors = np.array([[0.5, -0.5], [-0.5, 0.1], [0.1, -0.5 - 1e-12]])
    np.testing.assert_array_equal(spectral.signs(vectors), [1, -1])
    np.testing.assert_array_equal(spectral.signs(-vectors), [-1, 1])
    noise = 1e-9 * np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_array_equal(spectral.signs(vectors + noise), [1, -1])
    assert spectral.signs(np.zeros((2, 1))) == [1]


def test_the_small_and_the_full_go_to_lapack():
    small, large = MATRICES["smoke"](), MATRICES["ragged"]()
    assert spectral.choose(small) == "dense"
    wide = sparse.random_array((400, 300), density=0.05, rng=np.random.default_rng(0))
    wide = spectral.ScaledMatrix(sparse.csr_array(wide), np.ones(400), np.ones(300), None, None, 2)
    assert spectral.choose(wide) == "lanczos"
    assert spectral.choose(replace(wide, rank=250)) == "dense"
    assert spectral.choose(large) == "dense"
    assert spectral.check(wide, spectral.solve(wide)).holds()


@every_spectral_method
def test_axes_that_were_passed_over_are_told(method):
    problem = MATRICES["words"]()
    axes = method(problem)
    skipped = replace(
        axes, **{p: np.delete(getattr(axes, p), 1, -1) for p in ("values", "left", "right")}
    )
    found = spectral.check(problem, skipped)
    assert max(found.residuals) < 1e-8
    assert found.missed > 1e-3
    assert not found.holds()


@every_spectral_method
def test_the_value_behind_the_last_is_told(method):
    problem = MATRICES["words"]()
    values = np.linalg.svd(formed(problem), compute_uv=False)
    axes = method(problem)
    assert axes.behind == pytest.approx(values[4], rel=1e-10)
    gaps = np.array(spectral.check(problem, axes).gaps)
    scale = max(values[0], problem.unit)
    np.testing.assert_allclose(gaps * scale, -np.diff(values[:5]), atol=1e-10)


@every_spectral_method
def test_repeated_values_are_all_found_and_reported(method):
    """Four equal blocks: every value four times; rank 6 cuts the second group."""
    counts = sparse.csr_array(sparse.block_diag([words().counts] * 4), dtype=float)
    plain = spectral.ScaledMatrix(counts, np.ones(120), np.ones(80), None, None, 6)
    axes = method(plain)
    single = np.linalg.svd(words().counts.toarray(), compute_uv=False)
    np.testing.assert_allclose(axes.values, np.repeat(single[:2], [4, 2]), rtol=1e-10)
    evidence = spectral.check(plain, axes)
    assert evidence.holds()
    assert evidence.repeated == ((1, 2, 3, 4), (5, 6, 7))


def test_trivial_axes_are_gone_and_the_others_stay():
    whole = MATRICES["pieces"]()
    plain = replace(whole, row_centre=None, column_centre=None)
    values = np.linalg.svd(formed(plain), compute_uv=False)
    np.testing.assert_allclose(values[:3], 1, rtol=1e-12)
    np.testing.assert_allclose(spectral.solve(whole).values, values[3:7], rtol=1e-10)


@pytest.mark.parametrize("shape", [(150, 140), (140, 150)])
@pytest.mark.parametrize("rank", [0, 1])
def test_what_vanishes_or_has_one_axis_only_has_no_other(shape, rank):
    """Lanczos' single vector breaks down at once."""
    problem = spectral.ScaledMatrix(
        sparse.csr_array(rank * np.outer(*map(np.arange, shape)), dtype=float),
        np.ones(shape[0]), np.ones(shape[1]), None, None, 3,
    )  # fmt: skip
    axes = spectral.solve(problem)
    assert (axes.values > 1e-9).sum() == rank
    np.testing.assert_allclose(axes.left.T @ axes.left, np.eye(3), atol=1e-9)


def test_products_have_the_same_bits_on_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((3000, 2000), density=0.3, rng=rng, format="csr")
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RELMAP_THREADS", threads)
        products = spectral.Products(matrix)
        assert len(products.blocks) == 4
        found.append((products.times(np.ones(2000)), products.transposed_times(np.ones(3000))))
    np.testing.assert_allclose(found[0][0], matrix.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found[0][1], matrix.sum(axis=0), rtol=1e-12)
    for forth, back in found[1:]:
        np.testing.assert_array_equal(forth, found[0][0])
        np.testing.assert_array_equal(back, found[0][1])


# Descent -------------------------------------------------------------------------------------

every_valley = pytest.mark.parametrize("valley", DESCENTS.values(), ids=DESCENTS)
every_solver = pytest.mark.parametrize("solver", descent.METHODS)


@every_valley
@every_solver
def test_minima_are_found(valley, solver):
    valley = valley()
    run = descent.solve(valley.problem, Stop(tol=1e-13, max_iter=5000), solver)
    assert run.status is Status.CONVERGED
    np.testing.assert_allclose(run.point, valley.minimum, atol=1e-4)
    assert run.value == pytest.approx(valley.problem.function(valley.minimum)[0], abs=1e-9)
    assert descent.check(valley.problem, run).holds()


@every_valley
@every_solver
def test_a_run_that_uses_up_its_digits_ends_at_the_minimum_to_the_last(valley, solver):
    valley = valley()
    run = descent.solve(valley.problem, Stop(tol=0, max_iter=5000), solver)
    assert run.status is Status.CONVERGED
    np.testing.assert_allclose(run.point, valley.minimum, rtol=0, atol=1e-12)


@every_valley
@every_solver
def test_the_trace_falls_from_the_start_to_the_end(valley, solver):
    problem = valley().problem
    run = descent.solve(problem, Stop(tol=1e-10, max_iter=5000), solver)
    evaluations, values = run.trace.T
    assert values[0] == problem.function(problem.start)[0]
    assert evaluations[0] == 1
    assert (np.diff(values) <= 0).all()
    assert (np.diff(evaluations) > 0).all()
    assert run.value <= values[-1]
    assert run.iterations == len(values) - 1
    value, gradient = problem.function(run.point)
    assert run.value == value
    np.testing.assert_array_equal(run.gradient, gradient)


@every_valley
@every_solver
def test_callbacks_see_every_step(valley, solver):
    steps = []
    stop = Stop(tol=1e-9, max_iter=4000, callbacks=[steps.append], run=2, runs=3)
    run = descent.solve(valley().problem, stop, solver)
    assert [step.iteration for step in steps] == list(range(1, run.iterations + 1))
    assert all((step.run, step.runs, step.limit) == (2, 3, 4000) for step in steps)
    assert (np.diff([step.value for step in steps]) <= 0).all()
    assert steps[-1].value == run.value
    assert [step.evaluations for step in steps] == run.trace[1:, 0].tolist()


@every_valley
@every_solver
def test_runs_do_not_change_their_start(valley, solver):
    problem = valley().problem
    before = problem.start.copy()
    descent.solve(problem, Stop(max_iter=5), solver)
    np.testing.assert_array_equal(problem.start, before)


def ending(solver, function=None, start=None, **stop):
    problem = DESCENTS["rosenbrock"]().problem
    problem = Descent(function or problem.function, problem.start if start is None else start)
    return descent.solve(problem, Stop(**stop), solver)


@every_solver
def test_every_ending_has_its_name(solver):
    assert ending(solver, max_iter=3).status is Status.REACHED_MAX_ITER
    assert ending(solver, max_iter=3).iterations == 3
    stopped = ending(solver, callbacks=[lambda step: step.iteration == 4])
    assert (stopped.status, stopped.iterations) == (Status.STOPPED, 4)
    assert ending(solver, start=np.ones(4)).status is Status.CONVERGED
    assert ending(solver, start=np.ones(4)).iterations == 0
    nowhere = ending(solver, lambda x: (np.nan, np.full(4, np.nan)))
    assert nowhere.status is Status.BROKE_DOWN
    assert ending(solver, tol=0, max_iter=3000).status is Status.CONVERGED


@every_solver
def test_a_gradient_that_points_uphill_stalls(solver):
    run = ending(solver, lambda x: (float(x @ x), -2 * x))
    assert run.status is Status.STALLED
    assert run.value == 4.88


@every_solver
def test_only_true_stops_a_run(solver):
    told = []
    both = [lambda step: 1 == 2, told.append, lambda step: None]
    assert ending(solver, callbacks=both).status is Status.CONVERGED
    assert told


def test_every_ending_gives_advice():
    for status in Status:
        assert status.advice.endswith(".")
        assert status.good == (status == "converged")


@every_solver
def test_the_best_point_is_returned_when_it_breaks_down_on_the_way(solver):
    """A function that is no number beyond a wall: the run must end before it, not in it."""

    def walled(x):
        inside = x[0] < 0.5
        return (float((x[0] - 1) ** 2), 2 * (x - 1)) if inside else (np.nan, np.full(1, np.nan))

    run = ending(solver, walled, np.array([-1.0]))
    assert np.isfinite(run.value)
    assert run.value < 4
    assert run.point[0] < 0.5


@every_valley
def test_right_gradients_pass_and_one_wrong_entry_does_not(valley):
    problem = valley().problem
    point = problem.start * 0.7 + 0.13
    assert descent.gradient_error(problem, np.abs(point)) < 1e-5

    def spoiled(x):
        value, gradient = problem.function(x)
        gradient = gradient.copy()
        gradient[-1] *= 1.01
        return value, gradient

    wrong = descent.gradient_error(Descent(spoiled, problem.start), np.abs(point), directions=16)
    assert wrong > 1e-4


@every_valley
@every_solver
def test_the_evidence_of_a_descent_catches_what_is_spoiled(valley, solver):
    problem = valley().problem
    run = descent.solve(problem, Stop(tol=1e-13, max_iter=5000), solver)
    assert descent.check(problem, run).holds()
    assert not descent.check(problem, replace(run, value=run.value - 1e-6)).holds()
    elsewhere = run.point + 0.1
    value = problem.function(elsewhere)[0]
    assert not descent.check(problem, replace(run, point=elsewhere, value=value)).holds()
    assert not descent.check(problem, replace(run, point=np.full_like(run.point, np.nan))).holds()
