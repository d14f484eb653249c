"""Component families: densities against SciPy, updates against nearby parameters, the door."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from lowdim.mixture.families import (
    FAMILIES,
    Bernoulli,
    Categorical,
    Family,
    Gaussian,
    Multinomial,
    Poisson,
)

SIZES = (2, 4, 3)


def family_of(name):
    return Categorical(SIZES) if name == "categorical" else FAMILIES[name]()


def rows_of(rng, name, n=50, d=3):
    """Rows that the family can have."""
    return {
        "gaussian": lambda: rng.normal(size=(n, d)),
        "bernoulli": lambda: rng.integers(2, size=(n, d)).astype(float),
        "multinomial": lambda: rng.multinomial(12, rng.dirichlet(np.ones(d)), size=n).astype(float),
        "poisson": lambda: rng.poisson(3.0, size=(n, d)).astype(float),
        "categorical": lambda: rng.integers(SIZES, size=(n, d)).astype(float),
    }[name]()


def params_of(rng, name, k=2, d=3):
    """Random parameters of the family."""
    return {
        "gaussian": lambda: {
            "means": rng.normal(size=(k, d)),
            "variances": rng.uniform(0.5, 2.0, size=(k, d)),
        },
        "bernoulli": lambda: {"probabilities": rng.uniform(0.1, 0.9, size=(k, d))},
        "multinomial": lambda: {
            "probabilities": rng.dirichlet(np.ones(d), size=k),
            "totals": np.full(k, 12.0),
        },
        "poisson": lambda: {"rates": rng.uniform(0.5, 5.0, size=(k, d))},
        "categorical": lambda: {
            "probabilities": np.hstack([rng.dirichlet(np.ones(size), size=k) for size in SIZES])
        },
    }[name]()


def scipy_density(name, X, params):
    """log f of every row and component, from SciPy's distributions."""
    k = len(next(iter(params.values())))
    out = np.empty((len(X), k))
    for j in range(k):
        p = {key: value[j] for key, value in params.items()}
        if name == "gaussian":
            out[:, j] = stats.norm.logpdf(X, p["means"], np.sqrt(p["variances"])).sum(axis=1)
        elif name == "bernoulli":
            out[:, j] = stats.bernoulli.logpmf(X, p["probabilities"]).sum(axis=1)
        elif name == "multinomial":
            out[:, j] = stats.multinomial.logpmf(X, X.sum(axis=1), p["probabilities"])
        elif name == "poisson":
            out[:, j] = stats.poisson.logpmf(X, p["rates"]).sum(axis=1)
        else:
            columns = np.split(p["probabilities"], np.cumsum(SIZES)[:-1])
            shares = [share[X[:, f].astype(int)] for f, share in enumerate(columns)]
            out[:, j] = np.log(shares).sum(axis=0)
    return out


def density(family, X, params):
    """log f by the family's own terms: T . eta - A + h."""
    T, observed = family.terms(X)
    joint = sum(one @ eta.T for one, eta in zip(T, family.natural(params), strict=True))
    A = family.log_partition(params)
    if A is not None:
        joint = joint - (A.sum(axis=1) if observed is None else observed @ A.T)
    return joint + family.row_base(X)[:, None]


each_family = pytest.mark.parametrize("name", FAMILIES)


# ---- golden values -------------------------------------------------------------------------------


@each_family
def test_the_density_is_that_of_scipy(rng, name):
    X, params = rows_of(rng, name), params_of(rng, name)
    np.testing.assert_allclose(
        density(family_of(name), X, params), scipy_density(name, X, params), rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "multinomial", "poisson"])
def test_sparse_rows_have_the_density_of_dense_ones(rng, name):
    X, params = rows_of(rng, name), params_of(rng, name)
    family = family_of(name)
    np.testing.assert_allclose(
        density(family, sp.csr_array(X), params), density(family, X, params), rtol=1e-12
    )


@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "poisson", "categorical"])
def test_a_missing_value_drops_out_of_the_density(rng, name):
    X, params = rows_of(rng, name), params_of(rng, name)
    hidden = rng.random(X.shape) < 0.3
    parts = np.zeros((len(X), 2))
    for f in range(3):  # each column alone, by SciPy
        if name == "categorical":
            edges = np.cumsum((0, *SIZES))
            share = params["probabilities"][:, edges[f] : edges[f + 1]]
            of_column = np.log(share[:, X[:, f].astype(int)]).T
        else:
            one = {key: value[:, [f]] for key, value in params.items()}
            of_column = scipy_density(name, X[:, [f]], one)
        parts += np.where(hidden[:, [f]], 0.0, of_column)
    X[hidden] = np.nan
    np.testing.assert_allclose(density(family_of(name), X, params), parts, rtol=1e-9, atol=1e-12)


# ---- the derivation ------------------------------------------------------------------------------


@each_family
def test_update_gives_the_most_likely_parameters(rng, name):
    family, X = family_of(name), rows_of(rng, name)
    T, _ = family.terms(X)
    best = family.update(*(np.atleast_2d(np.asarray(one.mean(axis=0))) for one in T))
    top = density(family, X, best).sum()
    for _ in range(20):  # nearby ones are worse
        other = {
            key: value * np.exp(0.01 * rng.normal(size=value.shape)) for key, value in best.items()
        }
        if name == "bernoulli":
            other["probabilities"] = np.minimum(other["probabilities"], 1 - 1e-9)
        if name == "multinomial":
            other["probabilities"] /= other["probabilities"].sum()
        if name == "categorical":
            pieces = family.published(other)["probabilities"]
            other = family.taken_up({"probabilities": [p / p.sum() for p in pieces]})
        assert density(family, X, other).sum() <= top + 1e-9 * abs(top)


def test_updates_are_the_textbook_ones():
    mean = np.array([[1.0, 3.0]])
    assert Gaussian().update(mean, np.array([[5.0, 9.0]]))["variances"].tolist() == [[4.0, 1e-6]]
    assert Bernoulli().update(mean / 4)["probabilities"].tolist() == [[0.25, 0.75]]
    assert Poisson().update(mean)["rates"].tolist() == [[1.0, 3.0]]
    found = Multinomial().update(mean)
    assert found["probabilities"].tolist() == [[0.25, 0.75]]
    assert found["totals"].tolist() == [4.0]


def test_what_was_never_seen_is_unlikely_but_possible():
    zero = np.zeros((1, 2))
    for family in (Bernoulli(), Poisson(), Multinomial()):
        params = family.update(zero)
        assert np.isfinite(density(family, np.ones((1, 2)), params)).all()
    share = Categorical([2]).update(np.array([[1.0, 0.0]]))["probabilities"]
    assert 0 < share[0, 1] < 1e-9


# ---- properties ----------------------------------------------------------------------------------


@each_family
def test_drawn_rows_have_the_moments_of_the_family(rng, name):
    family, params, n = family_of(name), params_of(rng, name), 20_000
    X = family.draw(params, 1, n, rng)
    T, _ = family.terms(X)
    means = [np.asarray(one.mean(axis=0)) for one in T]
    again = family.update(*(mean[None] for mean in means))
    # 6 standard errors of the mean of n draws; each value has a standard deviation of at most 5
    for key, value in again.items():
        np.testing.assert_allclose(value[0], params[key][1], atol=6 * 5 / np.sqrt(n))


@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "poisson"])
def test_doubt_is_the_standard_deviation_of_the_mixture(rng, name):
    family, params = family_of(name), params_of(rng, name)
    resp = np.array([[0.3, 0.7]])
    counts = (resp[0] * 100_000).astype(int)
    drawn = np.vstack([family.draw(params, j, count, rng) for j, count in enumerate(counts)])
    # fourth moments are at most some hundred: 6 standard errors of a standard deviation
    np.testing.assert_allclose(family.fill(params, resp)[0], drawn.mean(axis=0), atol=0.06)
    np.testing.assert_allclose(family.doubt(params, resp)[0], drawn.std(axis=0), atol=0.06)


def test_a_category_is_filled_with_the_likeliest_one():
    family = Categorical([2, 3])
    params = {"probabilities": np.array([[0.9, 0.1, 0.2, 0.7, 0.1], [0.2, 0.8, 0.1, 0.1, 0.8]])}
    resp = np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75]])
    assert family.fill(params, resp).tolist() == [[0, 1], [1, 2], [1, 2]]
    expected = [[0.1, 0.3], [0.2, 0.2], [0.375, 0.375]]
    np.testing.assert_allclose(family.doubt(params, resp), expected, rtol=1e-12)


def test_moved_gaussians_move_back(rng):
    params = params_of(rng, "gaussian")
    origin, unit = rng.normal(size=3), rng.uniform(0.5, 2.0, size=3)
    back = Gaussian().moved(Gaussian().moved(params, origin, unit), -origin / unit, 1 / unit)
    for key, value in params.items():
        np.testing.assert_allclose(back[key], value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "per_component"),
    [("gaussian", 6), ("bernoulli", 3), ("multinomial", 2), ("poisson", 3), ("categorical", 6)],
)
def test_free_parameters_are_counted(rng, name, per_component):
    assert family_of(name).n_parameters(params_of(rng, name)) == per_component


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_values_that_a_family_does_not_have_are_refused(sparse):
    kind = sp.csr_array if sparse else np.asarray
    with pytest.raises(ValueError, match=r"other than 0 and 1 \(first: 2\).*threshold"):
        Bernoulli().check(kind(np.array([[0.0, 2.0]])))
    for family in (Poisson(), Multinomial()):
        with pytest.raises(ValueError, match=r"Negative values in data: X has -1"):
            family.check(kind(np.array([[3.0, -1.0]])))


def test_a_family_without_a_mean_says_what_it_lacks():
    class Exponential(Family):
        def natural(self, params):
            return (-params["rates"],)

        def log_partition(self, params):
            return -np.log(params["rates"])

        def update(self, mean):
            return {"rates": 1 / mean}

    family, params = Exponential(), {"rates": np.ones((1, 1))}
    with pytest.raises(NotImplementedError, match=r"impute needs Exponential\.mean"):
        family.fill(params, np.ones((1, 1)))
    with pytest.raises(NotImplementedError, match=r"sample needs Exponential\.draw"):
        family.draw(params, 0, 1, np.random.default_rng(0))
    with pytest.raises(NotImplementedError, match=r"Define draw\(params.*, n.*\) in Exponential"):
        family.check_gives("sample")
    with pytest.raises(NotImplementedError, match=r"return_std needs Exponential\.mean"):
        family.check_gives("impute with return_std")


@pytest.mark.parametrize("family", [cls() for cls in FAMILIES.values()])
def test_every_family_here_gives_every_result(family):
    for result in ("impute", "impute with return_std", "sample"):
        family.check_gives(result)


def test_a_family_of_reals_without_units_is_refused_when_its_class_is_made():
    with pytest.raises(TypeError, match=r"Laplace has real=True.*needs variance and moved"):

        class Laplace(Family):
            real = True

            def mean(self, params):
                return params["means"]


def test_the_variance_of_multinomial_counts_is_that_of_what_is_drawn(rng):
    params = {"probabilities": np.array([[0.2, 0.5, 0.3]]), "totals": np.array([20.0])}
    drawn = Multinomial().draw(params, 0, 20_000, rng)
    # a variance of 20000 counts is good to 1%: 6 of these
    np.testing.assert_allclose(drawn.var(axis=0), Multinomial().variance(params)[0], rtol=0.06)
