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


@pytest.mark.parametrize("kind", ["diagonal", "rank1", "full"])
def test_each_kind_is_a_gaussian_whose_draws_divergence_and_density_agree(rng, kind):
    from lowdim.deep.vae.posteriors import n_numbers, posterior_of

    out = torch.from_numpy(0.7 * rng.normal(size=(1, n_numbers(3, kind))))
    q = posterior_of(out, 3, kind)
    unit = torch.eye(3, dtype=torch.float64)[:, None]  # mu + R e for each unit vector
    R = (q.draw(unit) - q.mean)[:, 0].T.numpy()
    C, mu = R @ R.T, q.mean[0].numpy()
    density = scipy.stats.multivariate_normal(mu, C)
    z = torch.from_numpy(rng.normal(size=(5, 1, 3)))
    np.testing.assert_allclose(q.log_density(z)[:, 0], density.logpdf(z[:, 0].numpy()))
    np.testing.assert_allclose(q.std()[0], np.sqrt(np.diag(C)))
    expected = 0.5 * (np.trace(C) + mu @ mu - 3 - np.linalg.slogdet(C)[1])
    assert q.kl_to_standard().item() == pytest.approx(expected)
    by = torch.full((1, 1), 0.3, dtype=torch.float64)
    wide = (q.wider(by).draw(unit) - q.mean)[:, 0].T.numpy()
    np.testing.assert_allclose(wide, np.exp(0.3) * R)


def test_the_inverse_of_rank_one_is_a_diagonal_and_one_direction(rng):
    from lowdim.deep.vae.posteriors import posterior_of

    out = torch.from_numpy(rng.normal(size=(1, 12)))
    q = posterior_of(out, 4, "rank1")
    unit = torch.eye(4, dtype=torch.float64)[:, None]
    R = (q.draw(unit) - q.mean)[:, 0].T.numpy()
    s, v = q.log_std[0].exp().numpy(), q.v[0].numpy()
    precision = (np.eye(4) + np.outer(v, v)) / np.outer(s, s)
    np.testing.assert_allclose(np.linalg.inv(R @ R.T), precision)


def test_a_product_over_layers_has_blocks(rng):
    from lowdim.deep.vae.posteriors import n_numbers, posterior_of, posterior_of_layers

    sizes = (2, 3)
    numbers = [n_numbers(k, "full") for k in sizes]
    out = torch.from_numpy(0.5 * rng.normal(size=(4, sum(numbers))))
    q = posterior_of_layers(out, sizes, "full")
    first, second = (
        posterior_of(part, k, "full") for part, k in zip(out.split(numbers, 1), sizes, strict=True)
    )
    E = torch.from_numpy(rng.normal(size=(7, 4, 5)))
    Z = q.draw(E)
    np.testing.assert_array_equal(Z[..., :2], first.draw(E[..., :2]))
    np.testing.assert_array_equal(Z[..., 2:], second.draw(E[..., 2:]))
    both = first.log_density(Z[..., :2]) + second.log_density(Z[..., 2:])
    np.testing.assert_allclose(q.log_density(Z), both)
    np.testing.assert_allclose(q.kl_to_standard(), first.kl_to_standard() + second.kl_to_standard())
    some = torch.tensor([[1.0], [0.0], [1.0], [0.0]], dtype=torch.float64)
    mixed = q.where(some, torch.zeros(5), torch.ones(5))
    np.testing.assert_array_equal(mixed.mean[1], 0.0)
    np.testing.assert_allclose(mixed.std()[1], 1.0)
    np.testing.assert_array_equal(mixed.std()[0], q.std()[0])
