"""The bounds: tighter with importance samples; both gradients have one mean."""

import numpy as np
import pytest

import lowdim
from tests.deep.vae.generated_rows import planes

torch = pytest.importorskip("torch")


def test_importance_samples_tighten_the_bound(rng):
    from lowdim.deep.vae.module import Bound

    X, _ = planes()
    model = lowdim.VAE(2, hidden=(), max_iter=2, random_state=0).fit(X[:200])
    module, Y = model.module_, torch.from_numpy((X[:200] - model.mean_) / model.scale_).float()
    losses = []
    for m in (1, 10, 100):
        generator = torch.Generator().manual_seed(0)
        bound = Bound(n_samples=50, n_importance=m, closed_kl=False)
        losses.append(bound.loss(module, (Y,), generator).item() / 200)
    assert losses[0] > losses[1] > losses[2]
    exact = -np.mean(model.score_samples(X[:200], 5000)) - np.log(model.scale_).sum()
    assert exact - 0.02 < losses[2] < exact + 0.2  # the encoder has learned little yet


@pytest.mark.parametrize("closed", [True, False])
def test_scores_and_reparametrized_draws_have_the_same_mean_gradient(closed):
    from lowdim.deep.vae.module import Bound

    X, _ = planes()
    model = lowdim.VAE(2, hidden=(), max_iter=5, random_state=0).fit(X[:20])
    module = model.module_.double()
    Y = torch.from_numpy((X[:20] - model.mean_) / model.scale_)
    found = []
    for gradient in ("reparam", "reinforce"):
        bound = Bound(gradient, n_samples=4000, closed_kl=closed, beta=0.7)
        loss = bound.loss(module, (Y,), torch.Generator().manual_seed(1))
        weights = list(module.parameters())
        grads = torch.autograd.grad(loss, weights)
        found.append((loss.item(), torch.cat([g.ravel() for g in grads]).numpy()))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-9)
    size = np.abs(found[0][1]).max()
    np.testing.assert_allclose(found[1][1], found[0][1], atol=0.06 * size)


def test_rows_are_scored_in_pieces_of_the_widest_layer(monkeypatch):
    from lowdim.deep.vae import module as of_vae

    X, new = planes()
    model = lowdim.VAE(1, hidden=(64,), max_iter=1, random_state=0).fit(X[:50])
    at_once = {
        name: getattr(model, name)(new[:8], n_samples=30) for name in ("elbo", "score_samples")
    }
    filled = model.impute(np.where(np.arange(6) == 2, np.nan, new[:8]), n_samples=10)
    monkeypatch.setattr(of_vae, "MOST_NUMBERS", 640)
    sizes = []
    double = model.module_.in_double  # what scores rows of float64
    double.decoder.register_forward_hook(lambda _, given, out: sizes.append(len(given[0])))
    for name, expected in at_once.items():
        found = getattr(model, name)(new[:8], n_samples=30)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    again = model.impute(np.where(np.arange(6) == 2, np.nan, new[:8]), n_samples=10)
    np.testing.assert_allclose(again, filled, rtol=1e-12)
    assert max(sizes) == 10  # codes, of 64 numbers each


@pytest.mark.parametrize("posterior", ["diagonal", "full", "rank1"])
def test_posteriors_are_narrow_at_the_start(posterior, rng):
    """Draws leave what the encoder says of a row visible: 2 logs below the prior, for all rows."""
    from lowdim.deep.starting import module_of

    X = (rng.random((30, 9)) < 0.4) * 1.0
    model = lowdim.VAE(3, likelihood="bernoulli", posterior=posterior, max_iter=1, random_state=0)
    model.fit(X)
    module = module_of(model._make, torch.Generator().manual_seed(1), model._buffers())
    module.start()
    mean, std = module.encode(torch.from_numpy(X).float())
    assert (mean.std(dim=0) > 0).all()
    if posterior == "rank1":  # its direction takes something away
        assert (std < np.exp(-2.0)).all()
    else:
        torch.testing.assert_close(std, torch.full_like(std, np.exp(-2.0)))


def test_no_number_of_a_code_is_lost_at_the_start(rng):
    """Eight groups of flags that switch together: a code of eight numbers uses all of them."""
    group = rng.random((1200, 8)) < 0.5
    X = ((rng.random((1200, 64)) < 0.9) == np.repeat(group, 8, axis=1)) * 1.0
    model = lowdim.VAE(8, likelihood="bernoulli", hidden=(64, 64), max_iter=12, random_state=0)
    Z = model.fit(X).transform(X)
    assert (Z.var(axis=0) > 0.1).all()


def test_shares_are_seen_from_their_mean(rng):
    X = (rng.random((50, 9)) < np.linspace(0.1, 0.9, 9)) * 1.0
    model = lowdim.VAE(2, likelihood="bernoulli", max_iter=2, random_state=0).fit(X)
    features = model.module_.likelihood.features(torch.from_numpy(X).float())
    torch.testing.assert_close(features.mean(dim=0), torch.zeros(9), rtol=0, atol=1e-6)
    holes, filled = X.copy(), X.copy()
    holes[:, 3], filled[:, 3] = np.nan, X[:, 3].mean()
    np.testing.assert_allclose(model.transform(holes), model.transform(filled), atol=1e-6)


def test_models_of_older_files_see_shares_as_they_are(rng, tmp_path):
    X = (rng.random((50, 9)) < 0.3) * 1.0
    model = lowdim.VAE(2, likelihood="bernoulli", max_iter=2, random_state=0).fit(X)
    del model._center, model._module
    model.save(tmp_path / "old.lowdim")
    old = lowdim.load(tmp_path / "old.lowdim")
    W, b = (old.weights_[f"encoder.{at}"] for at in ("0.weight", "0.bias"))
    V, c = (old.weights_[f"encoder.{at}"] for at in ("2.weight", "2.bias"))
    expected = np.maximum(X @ W.T + b, 0) @ V[:2].T + c[:2]
    np.testing.assert_allclose(old.transform(X), expected, atol=1e-5)


@pytest.mark.parametrize("activation", ["relu", "silu"])
@pytest.mark.parametrize(
    "arguments", [{}, {"beta": 0.3}, {"dropout": 0.3}, {"binarize": True}, {"hidden": ()}]
)
def test_the_derivation_by_hand_is_the_gradient_of_the_bound(activation, arguments, rng):
    from lowdim.deep.layers import Gradients, with_noise

    X = rng.random((30, 9)) if "binarize" in arguments else (rng.random((30, 9)) < 0.4) * 1.0
    settings = {"hidden": (8, 5), **arguments}
    model = lowdim.VAE(2, likelihood="bernoulli", activation=activation, max_iter=1, **settings)
    model.set_params(random_state=0).fit(X)
    module, Y = model.module_.double().train(), torch.from_numpy(X)
    weights = list(module.parameters())
    with torch.no_grad():  # widths that differ from row to row, some of them beyond the limits
        module.encoder[-1].weight.normal_(std=10.0, generator=torch.Generator().manual_seed(1))
    bound = model._bound()
    with with_noise(torch.Generator().manual_seed(2)):
        loss = bound.loss(module, (Y,), torch.Generator().manual_seed(3))
    expected = torch.autograd.grad(loss / 7.0, weights)
    parts = [torch.full_like(w, torch.nan) for w in weights]
    with torch.no_grad(), with_noise(torch.Generator().manual_seed(2)):
        generator = torch.Generator().manual_seed(3)
        found = bound.straight(module, (Y,), generator, Gradients(weights, parts), 7.0)
    assert found == pytest.approx(loss.item(), rel=1e-12)
    for part, gradient in zip(parts, expected, strict=True):
        torch.testing.assert_close(part, gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "arguments",
    [
        {"likelihood": "gaussian"},
        {"posterior": "full"},
        {"n_samples": 2},
        {"n_importance": 2},
        {"kl": "sampled"},
        {"prior": "mixture", "n_clusters": 2},
        {"gradient": "reinforce", "n_samples": 2},
        {"network": "conv"},
    ],
)
def test_other_bounds_are_left_to_autograd(arguments, rng):
    X = (rng.random((30, 9)) < 0.4) * 1.0
    model = lowdim.VAE(2, **{"likelihood": "bernoulli", "max_iter": 1, **arguments}).fit(X)
    Y = torch.from_numpy(X).float()
    assert model._bound().straight(model.module_, (Y,), None, None, 1.0) is None


def test_rows_with_holes_after_complete_ones_are_left_to_autograd(rng):
    X = (rng.random((30, 9)) < 0.4) * 1.0
    model = lowdim.VAE(2, likelihood="bernoulli", max_iter=1, random_state=0).fit(X)
    X[3, 4] = np.nan
    assert np.isfinite(model.partial_fit(X).history_).all()
