"""Gaussian posteriors: divergence, density and deviations against closed forms."""

import numpy as np
import pytest
import scipy.stats

torch = pytest.importorskip("torch")


def test_the_divergence_has_a_closed_form(rng):
    from lowdim.deep.vae.posteriors import posterior_of

    out = torch.from_numpy(0.5 * rng.normal(size=(1, 9)))
    q = posterior_of(out, 3, "full")
    L = (q.below + torch.diag_embed(q.log_std.exp()))[0].numpy()
    S, mu = L @ L.T, q.mean[0].numpy()
    expected = 0.5 * (np.trace(S) + mu @ mu - 3 - np.linalg.slogdet(S)[1])
    assert q.kl_to_standard().item() == pytest.approx(expected)
    z = torch.from_numpy(rng.normal(size=(5, 1, 3)))
    density = scipy.stats.multivariate_normal(mu, S)
    np.testing.assert_allclose(q.log_density(z)[:, 0], density.logpdf(z[:, 0].numpy()))
    np.testing.assert_allclose(q.std()[0], np.sqrt(np.diag(S)))
