"""What `auto` means: the rule for components and clusters, and which columns are asked."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.core.opening import as_blocks
from lowdim.selection.auto import (
    auto_k,
    auto_rank,
    auto_rank_of_table,
    free_columns,
    rank_rows,
    sample_rows,
    unit_scale,
)


def table(rng, n=300):
    Z = rng.normal(size=(n, 2))
    numbers = Z @ np.kron(np.eye(2), np.ones((1, 4))) + 0.5 * rng.normal(size=(n, 8))
    columns = {f"c{f}": numbers[:, f] for f in range(8)}
    return columns | {"kind": np.array(["a", "b", "c"])[np.digitize(Z[:, 1], [-0.7, 0.7])]}


def test_of_a_category_the_largest_level_is_left_out(rng):
    encoding = lowdim.TableEncoder().fit(table(rng)).encoding_
    assert_array_equal(free_columns(encoding), [*[True] * 8, True, False, True])
    dropped = lowdim.TableEncoder(drop_level=True).fit(table(rng)).encoding_
    assert free_columns(dropped).all()


def test_columns_in_unit_scale_are_those_of_an_encoder_that_drops_a_level(rng):
    given = table(rng)
    encoder = lowdim.TableEncoder().fit(given)
    X = encoder.transform(given) / unit_scale(encoder.encoding_)
    U = lowdim.TableEncoder(drop_level=True).fit_transform(given)
    assert_allclose(X[:, free_columns(encoder.encoding_)], U)


def test_a_table_and_its_matrix_have_the_same_rank(rng):
    given = table(rng)
    encoder = lowdim.TableEncoder().fit(given)
    U = lowdim.TableEncoder(drop_level=True).fit_transform(given)
    chosen = auto_rank_of_table(encoder.rows(given), encoder, seed=0)
    assert_allclose(chosen.curve, auto_rank(U, True, 0).curve)
    assert chosen.choice == 2
    assert chosen.method == "gain"
    assert auto_rank(U, False, 0).method == "bcv"


def test_a_small_table_is_not_asked(rng):
    given = {"a": rng.normal(size=50), "b": rng.normal(size=50)}
    encoder = lowdim.TableEncoder().fit(given)
    assert auto_rank_of_table(encoder.rows(given), encoder, seed=0) is None
    assert auto_k(rng.normal(size=(2, 3)), lowdim.KMeans(), 0) is None


@pytest.mark.filterwarnings("ignore::lowdim.selection.clusters.EndOfRangeWarning")
def test_the_criterion_follows_from_the_model(rng):
    X = rng.normal(size=(90, 3)) + 9.0 * np.repeat(np.eye(3), 30, axis=0)
    by_bic = auto_k(as_blocks(X), lowdim.GaussianMixture(covariance_type="diag"), 0, most=4)
    by_silhouette = auto_k(X, lowdim.KMeans(n_init=4), 0, most=4)
    assert (by_bic.criterion, by_bic.sizes[0], by_bic.choice) == ("bic", 1, 3)
    assert (by_silhouette.criterion, by_silhouette.sizes[0]) == ("silhouette", 2)
    assert by_silhouette.choice == 3


def test_samples_are_rows_in_their_order(seed):
    assert_array_equal(sample_rows(5, 9, seed), np.arange(5))
    some = sample_rows(1000, 30, seed)
    assert len(some) == 30 and np.all(np.diff(some) > 0) and some[-1] < 1000
    assert_array_equal(some, sample_rows(1000, 30, seed))
    assert not np.array_equal(some, sample_rows(1000, 30, seed + 1))
    assert [rank_rows(d) for d in (10, 100, 10_000)] == [2000, 1000, 300]
