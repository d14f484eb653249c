"""Layers of codes: what they lift to, and the gradients of the bound in closed form."""

import numpy as np
import pytest

import lowdim
from tests.deep.vae.generated_rows import affine_gaussian, planes

torch = pytest.importorskip("torch")


def fitted(posterior, **arguments):
    X, _ = planes()
    model = lowdim.DLGM((3, 2), posterior=posterior, max_iter=2, random_state=0, **arguments)
    return model.fit(X[:100])


def test_codes_are_lifted_from_the_top_layer_down(rng):
    model = fitted("diagonal", hidden=(7,), activation="tanh")
    w = {name: value.astype(float) for name, value in model.weights_.items()}
    Z = rng.normal(size=(4, 5))
    top = Z[:, 3:] @ w["ladder.factors.1"].T
    units = np.tanh(top @ w["ladder.steps.0.0.weight"].T + w["ladder.steps.0.0.bias"])
    between = units @ w["ladder.steps.0.2.weight"].T + w["ladder.steps.0.2.bias"]
    expected = between + Z[:, :3] @ w["ladder.factors.0"].T
    with torch.no_grad():
        found = model.module_.double().lifted(torch.from_numpy(Z))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def even_draws(n, k):
    """2 k draws of mean 0 and covariance I, exactly: sums over them are expectations of squares."""
    E = np.sqrt(k) * np.concatenate([np.eye(k), -np.eye(k)])
    return torch.from_numpy(np.repeat(E[:, None], n, axis=1))


@pytest.mark.parametrize("posterior", ["diagonal", "rank1", "full"])
def test_gradients_of_the_bound_are_those_of_the_closed_form(rng, posterior):
    """Affine layers: E_q log p(x | z) is a quadratic of q, whose gradient in R is E[g e']."""
    model = fitted(posterior, hidden=())
    module = model.module_.double()
    mean, A, noise = affine_gaussian(model, in_units=True)
    Y = torch.from_numpy(rng.normal(size=(4, 6)))
    mu = torch.from_numpy(rng.normal(size=(4, 5))).requires_grad_()
    R = torch.from_numpy(rng.normal(size=(4, 5, 5))).requires_grad_()
    E = even_draws(4, 5)
    Z = mu + (R @ E.unsqueeze(-1)).squeeze(-1)
    module.likelihood.log_density(Y, None, module.numbers(Z, None)).mean(dim=0).sum().backward()
    r = Y.numpy() - mean - mu.detach().numpy() @ A.T
    H = A.T @ (A / noise[:, None])
    np.testing.assert_allclose(mu.grad, (r / noise) @ A, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(R.grad, -H @ R.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("posterior", ["diagonal", "rank1", "full"])
def test_scores_and_reparametrized_draws_have_the_same_mean_gradient(posterior):
    from lowdim.deep.vae.module import Bound

    X, _ = planes()
    model = fitted(posterior, hidden=())
    module = model.module_.double()
    Y = torch.from_numpy((X[:10] - model.mean_) / model.scale_)
    found = []
    for gradient in ("reparam", "reinforce"):
        bound = Bound(gradient, n_samples=8000)
        loss = bound.loss(module, (Y,), torch.Generator().manual_seed(1))
        grads = torch.autograd.grad(loss, list(module.parameters()))
        found.append((loss.item(), torch.cat([g.ravel() for g in grads]).numpy()))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-9)
    size = np.abs(found[0][1]).max()
    np.testing.assert_allclose(found[1][1], found[0][1], atol=0.06 * size)
