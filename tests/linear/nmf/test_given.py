import numpy as np
import pytest

import lowdim
from tests.linear.nmf.examples import parts


def test_a_fit_goes_on_from_the_factors_that_are_given(rng):
    X = parts(rng)
    model = lowdim.NMF(3, tol=1e-6, max_iter=2000).fit(X)
    again = lowdim.NMF(init="custom", max_iter=2, tol=1e9)
    W = again.fit_transform(X, W=model.transform(X), H=model.components_)
    assert again.n_components_ == 3
    np.testing.assert_allclose(W, model.transform(X), atol=1e-2 * W.max())


BAD = {
    "no W": (dict(W=None), ValueError, "init='custom' starts from W and H, and W is not given"),
    "rows": (dict(W=np.ones((5, 2))), ValueError, "wrong first dimension passed to NMF .input W"),
    "columns": (dict(H=np.ones((2, 4))), ValueError, "wrong second dimension .* .input H"),
    "negative": (dict(H=-np.ones((2, 3))), ValueError, "Negative values .* .input H"),
    "zeros": (dict(W=np.zeros((4, 2))), ValueError, "NMF .input W. is full of zeros"),
    "dtype": (dict(W=np.ones((4, 2), np.float32)), TypeError, "should have the same dtype as X"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_start_is_refused(kind):
    changed, error, message = BAD[kind]
    given = {"W": np.ones((4, 2)), "H": np.ones((2, 3))} | changed
    with pytest.raises(error, match=message):
        lowdim.NMF(2, init="custom").fit(np.ones((4, 3)), **given)
