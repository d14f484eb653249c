"""Where ALS starts from: the balanced factors of what is observed."""

import numpy as np

from lowdim.completion.als.start import spectral_factors


def test_the_start_is_the_svd_of_what_is_known(rng):
    Y = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 12))
    V = spectral_factors(lambda Q: Y.T @ (Y @ Q), 40, 12, 3, 0.5, rng)
    _, sizes, Vt = np.linalg.svd(Y)
    known = np.sqrt(sizes[:3] / 0.5) * (12 / 40) ** 0.25
    turned = V.T @ Vt[:3].T
    # the noise that lets others grow is 0.01 / sqrt(3), and 12 such numbers have norm 0.02
    np.testing.assert_allclose(np.abs(turned), np.diag(known), atol=0.06)


def test_more_factors_than_columns_have_a_start(rng):
    Y = rng.normal(size=(9, 4))
    V = spectral_factors(lambda Q: Y.T @ (Y @ Q), 9, 4, 6, 1.0, rng)
    assert V.shape == (4, 6)
    assert np.linalg.matrix_rank(V) == 4
    assert (np.abs(V) > 0).all()
