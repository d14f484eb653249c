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
