"""Axes from products with the scatter."""

import numpy as np
from sklearn.decomposition import PCA as ScikitPCA

from lowdim import PCA
from tests.linear.pca.tables import spectrum_data


def test_randomized_captures_the_variance_of_the_best_subspace(rng):
    X = rng.normal(size=(400, 60)) * np.linspace(3, 0.5, 60)
    best = ScikitPCA(5, svd_solver="full").fit(X).explained_variance_.sum()
    ours = PCA(5, svd_solver="randomized", random_state=0).fit(X).explained_variance_.sum()
    assert 0.999 * best < ours <= best * (1 + 1e-12)


def test_the_objective_of_em_never_rises(rng):
    model = PCA(3, svd_solver="em", random_state=0).fit(spectrum_data(rng))
    assert len(model.history_) > 3
    assert np.all(np.diff(model.history_) <= 1e-12)  # a share of the variance: rounding of 1
