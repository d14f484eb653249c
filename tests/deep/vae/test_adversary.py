"""A discriminator beside the autoencoder: each learns by its own loss, and samples gain."""

import numpy as np
import pytest

import lowdim

torch = pytest.importorskip("torch")

KINDS = ("gaussian", "poisson", "categorical", "bernoulli")


def mixed_rows(rng, n=40):
    columns = (rng.normal(size=n), rng.poisson(3, n), rng.integers(0, 3, n), rng.random(n) < 0.4)
    X = np.column_stack(columns).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:3] = [[0.5, 1, 0, 1], [-0.5, 2, 1, 0], [0.1, 4, 2, 1]]
    return X


def gradients(model, weight, X):
    """The loss of rows, and its gradients by name."""
    from lowdim.deep.vae.adversary import JudgedBound
    from lowdim.deep.vae.module import Bound

    module = model.module_
    named = dict(module.named_parameters())
    rows = torch.from_numpy((X - model.mean_) / model.scale_).float()
    loss = JudgedBound(Bound(), weight).loss(module, (rows,), torch.Generator().manual_seed(0))
    found = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    return loss.item(), dict(zip(named, found, strict=True))


def test_each_player_learns_by_its_own_loss(rng):
    X = mixed_rows(rng)
    model = lowdim.VAE(2, likelihood=KINDS, adversarial=1.0, hidden=(8,), max_iter=2)
    model.set_params(random_state=0).fit(X)
    losses, found = zip(*(gradients(model, weight, X) for weight in (0.0, 1.0, 3.0)), strict=True)
    assert losses[0] == losses[1] == losses[2]  # that of the bound
    for name in found[0]:
        none, one, three = (0.0 if f[name] is None else f[name].numpy() for f in found)
        if name.startswith("discriminator."):  # its own loss has no weight
            np.testing.assert_array_equal(one, three)
            assert np.any(one) or name.endswith(".bias")  # a bias of all scores says nothing
        elif name.startswith("encoder."):  # it has no part in what the prior draws
            np.testing.assert_allclose(one, none, atol=1e-5 * np.abs(none).max())
        else:  # rounding: sums over 40 rows in float32
            size = np.abs(three - none).max()
            assert size > 0
            np.testing.assert_allclose(three - none, 3 * (one - none), atol=1e-4 * size)


def test_features_are_draws_with_the_gradient_of_their_means(rng):
    from lowdim.deep.vae.adversary import features_drawn

    model = lowdim.VAE(2, likelihood=KINDS, hidden=(), max_iter=1, random_state=0)
    likelihood = model.fit(mixed_rows(rng)).module_.likelihood
    one = torch.from_numpy(rng.normal(size=(1, likelihood.n_out))).float().requires_grad_()
    n = 40_000
    drawn = features_drawn(likelihood, one.expand(n, -1), torch.Generator().manual_seed(0))
    mean, variance, share = (part[0].detach() for part in likelihood.parameters_of(one))
    center = likelihood.center.numpy()
    assert center[2] > 0 and not center[:2].any()  # the flag is seen from its mean
    values = drawn.detach().double().numpy()
    values[:, :3] += center
    flags = np.round(values[:, 2], 6)  # a difference in float32, and back
    np.testing.assert_array_equal(np.unique(flags), [0.0, 1.0])
    np.testing.assert_allclose(values[:, 3:].sum(axis=1), 1.0)  # one level each
    counts = np.expm1(values[:, 1])
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-4)
    found = np.r_[values[:, 0].mean(), counts.mean(), values[:, 2:].mean(axis=0)]
    expected = np.r_[mean.numpy(), share.ravel().numpy()]
    p = share.ravel().numpy()
    error = np.sqrt(np.r_[variance.numpy(), p * (1 - p)] / n)
    assert np.all(np.abs(found - expected) < 5 * error)  # five standard errors of a mean
    (slope,) = torch.autograd.grad(drawn[:, 2].sum(), one)
    q = mean[2].item()
    assert slope[0, 2].item() / n == pytest.approx(q * (1 - q), rel=1e-4)


def test_samples_come_nearer_to_the_data(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 2))
    spread = {}
    for weight in (0.0, 200.0):  # beta=10 makes a decoder that ignores its codes
        model = lowdim.VAE(2, noise=0.25, beta=10.0, adversarial=weight, hidden=(16,))
        model.set_params(max_iter=60, learning_rate=1e-2, random_state=seed).fit(X)
        spread[weight] = model.sample(2000, random_state=1).std(axis=0).mean()
    assert spread[0.0] == pytest.approx(0.5, abs=0.05)  # the noise alone
    assert 0.6 < spread[200.0] < 1.15


@pytest.mark.parametrize("changes", [{"prior": "mixture", "n_clusters": 2}, {"network": "conv"}])
def test_it_works_with_other_choices(changes, rng, tmp_path):
    X = (rng.random((48, 16)) < 0.4).astype(float)
    model = lowdim.VAE(2, likelihood="bernoulli", adversarial=1.0, conditional=True, **changes)
    model.set_params(hidden=(8,), max_iter=2, early_stopping=True, random_state=0)
    model.fit(X, np.arange(48) % 2)
    path = tmp_path / "judged.lowdim"
    model.save(path)
    again = lowdim.load(path)
    drawn = model.sample(5, random_state=0, y=1)
    np.testing.assert_array_equal(again.sample(5, random_state=0, y=1), drawn)
    assert np.isfinite(model.history_).all()
    assert any(name.startswith("discriminator.") for name in model.weights_)


def test_the_weight_is_checked():
    with pytest.raises(ValueError, match="adversarial"):
        lowdim.VAE(adversarial=-1.0).fit(np.eye(4))
