"""Densities of rows given a decoder's numbers are those of SciPy."""

import numpy as np
import pytest
import scipy.stats

import lowdim
from tests.deep.vae.generated_rows import KINDS, mixed

torch = pytest.importorskip("torch")


def test_densities_of_each_kind_are_those_of_scipy(rng):
    X, _ = mixed(rng, n=20)
    model = lowdim.VAE(1, likelihood=KINDS, hidden=(4,), max_iter=2, random_state=0).fit(X)
    from lowdim.deep.coder import in_units

    module = model.module_.double()
    Y = torch.from_numpy(in_units(X, model.mean_, model.scale_))
    out = torch.from_numpy(rng.normal(size=(20, module.likelihood.n_out)))
    with torch.no_grad():
        found = module.likelihood.log_density(Y, None, out).numpy()
        _, _, log_noise = module.likelihood.parts(out)
        mean, _, share = (part.numpy() for part in module.likelihood.parameters_of(out))
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    s = scipy.stats
    y = Y.numpy()
    expected = s.bernoulli.logpmf(y[:, 0], mean[:, 0]) + s.poisson.logpmf(y[:, 1], mean[:, 1])
    expected += np.log(share[np.arange(20), y[:, 2].astype(int), 0])
    expected += s.norm.logpdf(y[:, 3], mean[:, 2], np.exp(0.5 * log_noise.numpy()))
    np.testing.assert_allclose(found, expected)
