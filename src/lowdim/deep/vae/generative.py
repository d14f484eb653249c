"""What generative networks can do once they have learned: code, score, fill, draw.

All of it rests on importance samples: codes z_j = mu + L e_j from a row's posterior, with weights

    w_j = p(x, z_j) / q(z_j | x),   log p(x) ~ log mean_j w_j,   E[f | x] ~ sum w_j f_j / sum w_j

The e_j are the same for all rows: what a row gets does not depend on its neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.opening import as_blocks
from lowdim.core.output import in_columns_of_x
from lowdim.core.random import generator_of
from lowdim.core.validation import check_at_least, check_codes
from lowdim.deep.coder import CodingNetwork, coded, in_units, out_of_units
from lowdim.deep.conditions import Conditional, check_flag, with_conditions
from lowdim.deep.network import run
from lowdim.deep.vae.likelihoods import Layout, Parameters, drawn, expected

N_SAMPLES = 100


def _has_clusters(model: Any) -> bool:
    if model.prior != "mixture":
        raise AttributeError(f"prior={model.prior!r} has no clusters; choose prior='mixture'.")
    return True


class GenerativeNetwork(Conditional, CodingNetwork):
    """A network with a posterior of codes and a density of rows, or of rows given y."""

    prior: str
    shapes: ClassVar[dict] = {**CodingNetwork.shapes, **Conditional.shapes_of_y}

    @property
    @abstractmethod
    def _layout(self) -> Layout:
        """Where a decoder's numbers for each column are."""

    @abstractmethod
    def _checked(self, rows: Blocks) -> Blocks:
        """The rows, whose columns must hold what their kinds allow."""

    def fit_transform(self, X, y=None):
        """Learn from X, and give its expected codes, (n, k)."""
        model = self.fit(X, y)
        return model.transform(X, y=y) if self.conditional else model.transform(X)

    def transform(self, X, return_std=False, *, y=None):
        """Expected codes of rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN marks missing values; a row without any value gets the prior.
        return_std : bool, default=False
            Also return the posterior standard deviation of each number.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, k), or two of them
        """
        return_std = check_flag("return_std", return_std)
        rows, along = self._asked(X, y)
        found = self._code(rows, "encode", along=along)
        return found if return_std else found[0]

    def inverse_transform(self, Z, y=None):
        """What is expected of rows with these codes; likeliest levels of categorical columns.

        Parameters
        ----------
        Z : array-like of shape (n, k)
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        codes = as_blocks(check_codes(self, Z, self._n_features_out))
        units = (self.mean_, self.scale_)
        along = self._conditions(y, codes.shape[0])
        return codes.map(expected_rows, self.module_, self._layout, *units, along=along)

    def sample(self, n_samples=1, random_state=None, *, y=None):
        """New rows: codes from the prior, values from what the decoder says of them.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor, as in scikit-learn.
        y : array-like of shape (n_samples,) or (n_samples, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        along = self._conditions(y, n_samples)
        random = generator_of(self, random_state)
        Z = with_conditions(self._prior_codes(n_samples, random), along)
        uniform = random.random((n_samples, len(self.mean_)))
        given = Parameters(*run(Z, self.module_, "parameters_of", ()))
        return out_of_units(drawn(self._layout, given, uniform), self.mean_, self.scale_)

    def elbo(self, X, n_samples=N_SAMPLES, *, y=None):
        """The bound of log p(x) by row, over the observed entries, averaged over draws of codes."""
        return self._densities(X, y, "elbo", n_samples)

    def score_samples(self, X, n_samples=N_SAMPLES, *, y=None):
        """log p(x) of each row, over its observed entries, by importance sampling.

        Parameters
        ----------
        X : array-like of shape (n, d)
        n_samples : int, default=100
            Draws of codes. The result lies below log p(x) on average, and nearer with more draws.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then: log p(x | y).

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._densities(X, y, "log_density", n_samples)

    def score(self, X, y=None):
        """Mean of log p(x) over rows; rows without any observed value do not count.

        With conditional=True, of log p(x | y); else y is not looked at.
        """
        E, y = self._normal(N_SAMPLES), y if self.conditional else None
        rows, along = self._asked(X, y, only_observed=True)
        arguments = (self.module_, "log_density", E, self.mean_, self.scale_)
        total, count = rows.fold(sum_densities, *arguments, along=along)
        return float(total / count)

    def impute(self, X, return_std=False, n_samples=N_SAMPLES, *, y=None):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed); of a
            categorical one that of being its level.
        n_samples : int, default=100
            Draws of codes, weighted by how well they explain the observed entries.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        filled : ndarray of shape (n, d), or a data frame if `set_output` asks for it
        std : the same, if return_std
        """
        return_std = check_flag("return_std", return_std)
        function, *params = self._filling(return_std, n_samples)
        rows, along = self._asked(X, y)
        return in_columns_of_x(self, rows.map(function, *params, along=along), X)

    def draw_imputations(self, X, n=5, n_samples=N_SAMPLES, random_state=None, *, y=None):
        """n copies of X in which NaN are drawn given the row's observed entries.

        For multiple imputation: analyse each copy, and combine what is found.

        Parameters
        ----------
        X : array-like of shape (r, d)
        n : int, default=5
            Copies.
        n_samples : int, default=100
            Draws of codes among which those of a copy are chosen.
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor.
        y : array-like of shape (r,) or (r, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, r, d)
        """
        n = check_at_least("n", n, 1)
        rows, known = self._asked(X, y)
        random, E = generator_of(self, random_state), self._normal(n_samples)
        (count, d), k = rows.shape, self._n_features_out
        units = (self.module_, self._layout, E, self.mean_, self.scale_)
        copies = []
        for _ in range(n):
            along = (random.random((count, d + 1 + k)), *known)
            copies.append(np.asarray(rows.map(drawn_rows, *units, along=along)))
        return np.stack(copies)

    @available_if(_has_clusters)
    def predict_proba(self, X, *, y=None):
        """Probability of each cluster of prior="mixture", given a row."""
        rows, along = self._asked(X, y)
        return self._code(rows, "clusters", self._normal(N_SAMPLES), along=along)

    @available_if(_has_clusters)
    def predict(self, X, *, y=None):
        """The likeliest cluster of prior="mixture" for each row."""
        return np.asarray(self.predict_proba(X, y=y)).argmax(axis=1)

    # ---- inside ----------------------------------------------------------------------------------

    def _densities(self, X: Any, y: Any, method: str, n_samples: Any) -> Any:
        E = self._normal(n_samples)
        rows, along = self._asked(X, y)
        return rows.map(densities, self.module_, method, E, self.mean_, self.scale_, along=along)

    def _normal(self, n_samples: Any) -> Any:
        """The draws e_j that all rows share, (n_samples, k): halves are each other's negatives."""
        import torch

        n = check_at_least("n_samples", n_samples, 1)
        half = np.random.default_rng(0).normal(size=(-(-n // 2), self._n_features_out))
        return torch.from_numpy(np.concatenate([half, -half])[:n])

    def _prior_codes(self, n: int, random: np.random.Generator) -> np.ndarray:
        E = random.normal(size=(n, self._n_features_out))
        if "prior.logits" not in self.module_.state_dict():
            return E
        weights = {k: v.cpu().double().numpy() for k, v in self.module_.prior.state_dict().items()}
        share = np.exp(weights["logits"] - weights["logits"].max())
        cluster = random.choice(len(share), size=n, p=share / share.sum())
        log_std = np.clip(weights["log_std"].reshape(weights["means"].shape), -7.0, 7.0)
        return weights["means"][cluster] + np.exp(log_std)[cluster] * E

    def _filling(self, return_std: bool, n_samples: int = N_SAMPLES) -> tuple:
        units = (self.module_, self._layout, self._normal(n_samples), self.mean_, self.scale_)
        return filled, *units, return_std


def densities(
    X: np.ndarray,
    module: Any,
    method: str,
    E: Any,
    mean: np.ndarray,
    scale: np.ndarray,
    *conditions: np.ndarray,
) -> np.ndarray:
    """Log-densities of a block of rows in units of X."""
    found = coded(X, module, method, (E,), mean, scale, *conditions).astype(np.float64)
    return (found - (~np.isnan(X)) @ np.log(scale)).astype(X.dtype)


def sum_densities(X: np.ndarray, *arguments: Any) -> tuple[float, int]:
    """Their sum, and the number of rows."""
    found = densities(X, *arguments)
    return float(np.sum(found, dtype=np.float64)), len(X)


def expected_rows(
    Z: np.ndarray,
    module: Any,
    layout: Layout,
    mean: np.ndarray,
    scale: np.ndarray,
    *conditions: np.ndarray,
) -> np.ndarray:
    """What is expected of rows with these codes."""
    given = Parameters(*run(with_conditions(Z, conditions), module, "parameters_of", ()))
    return out_of_units(expected(layout, given)[0], mean, scale)


def filled(
    X: np.ndarray,
    module: Any,
    layout: Layout,
    E: Any,
    mean: np.ndarray,
    scale: np.ndarray,
    return_std: bool,
    *conditions: np.ndarray,
) -> Any:
    """A block with expectations in place of NaN, and their standard deviations."""
    given = Parameters(*coded(X, module, "predictive", (E,), mean, scale, *conditions))
    Y, variance = expected(layout, given)
    missing = np.isnan(X)
    full = np.where(missing, out_of_units(Y, mean, scale), X)
    if not return_std:
        return full
    return full, np.where(missing, np.sqrt(variance) * scale, 0.0).astype(full.dtype)


def drawn_rows(
    X: np.ndarray,
    module: Any,
    layout: Layout,
    E: Any,
    mean: np.ndarray,
    scale: np.ndarray,
    uniform: np.ndarray,
    *conditions: np.ndarray,
) -> np.ndarray:
    """A block with draws in place of NaN, from d + 1 + k uniform numbers for each row."""
    import torch

    d = X.shape[1]
    chosen = (torch.from_numpy(np.ascontiguousarray(uniform[:, d:])), E)
    Y = with_conditions(in_units(X, mean, scale), conditions)
    given = Parameters(*run(Y, module, "chosen", chosen))
    drawn_values = out_of_units(drawn(layout, given, uniform[:, :d]), mean, scale)
    return np.where(np.isnan(X), drawn_values, X).astype(X.dtype, copy=False)
