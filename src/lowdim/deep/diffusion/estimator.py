"""Diffusion: rows become noise by small steps, and a network learns the way back.

    x_t = alpha_bar_t x_0 + beta_bar_t e,   e ~ N(0, I),   v = alpha_bar_t e - beta_bar_t x_0

    minimise over the network    J = 1/n sum_i E_(t, e) |v_i - network(x_t, t)|^2

The minimiser is E[v | x_t], and with it E[e | x_t], all that the way back needs. J counts entries
that are observed. Half of the rows learn with a random part of their entries given as they are: the
network then also knows the distribution of any entries given any others.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, StrOptions
from lowdim.core.loop import fitting
from lowdim.core.opening import as_blocks
from lowdim.core.output import in_columns_of_x
from lowdim.core.random import generator_of
from lowdim.core.validation import check_at_least, check_at_most, check_choice, check_codes
from lowdim.deep.coder import CODING_ARGUMENTS, CodingNetwork, out_of_units
from lowdim.deep.conditions import Conditional, check_flag
from lowdim.deep.diffusion.asking import (
    coded_rows,
    decoded_rows,
    drawn_copies,
    filled,
    new_rows,
    noise_of,
)
from lowdim.deep.diffusion.reverse import SAMPLERS
from lowdim.deep.diffusion.schedule import KINDS, DiffusionSchedule
from lowdim.deep.learner import Learner
from lowdim.deep.network import sizes_of
from lowdim.deep.optimizers import SCHEDULES
from lowdim.deep.vae.generative import densities, sum_densities

SAMPLE_STEPS, FLOW_STEPS, FILL_STEPS = 100, 25, 12  # where nothing is said, and none is too many
N_SAMPLES = 20
METHODS = {"flow": "log_density", "bound": "bound"}
SHARDS = {"mlp": 64, "unet": 32}  # rows that a thread works on: dense layers are soon done
HIDDEN = {"mlp": (128, 128), "unet": (32, 64)}


class Diffusion(Conditional, CodingNetwork):
    """Rows become noise by small steps, and a network learns the way back.

    Minimises  1/n sum_i E |v_i - network(alpha_bar_t x_i + beta_bar_t e, t)|^2  over times t and
    noise e ~ N(0, I), with v = alpha_bar_t e - beta_bar_t x_i, by stochastic gradient steps, for
    columns in units of their standard deviation. Missing values (NaN) are left out of the sum.

    Cost: O(n w) per pass, with w weights; a new row costs `steps` passes through the network.
    Use it for new rows that look like the old ones, for missing values whose distribution has
    several peaks, and for densities. Needs torch: ``pip install 'lowdim[deep]'``.

    Parameters
    ----------
    n_steps : int or None, default=1000
        Steps from rows to noise, T; None: as many as `schedule` has.
    schedule : {"cosine", "linear"} or array of shape (n_steps,), default="cosine"
        How noise is added, see `lowdim.deep.DiffusionSchedule`. An array holds beta_t.
    prediction : {"v", "noise", "x0"}, default="v"
        Whose squared error the loss is: that of v, of the noise e, or of the row. The network gives
        v in all cases, from which the others follow: e counts early times more, x0 late ones.
    network : {"mlp", "unet"}, default="mlp"
        "mlp": blocks of dense layers, each added to what came before it. "unet": rows are images,
        seen at several scales.
    image_shape : (height, width) or (height, width, channels) or None, default=None
        Of rows that are images; None: a square, or else a signal.
    conditional : bool, default=False
        Learn p(x | y) with the y of `fit`. Text, flags and whole numbers are classes, floats (one
        or several for each row) are numbers. All other methods need `y` then, by name.
    guidance : float, default=0.0
        With conditional=True, in `sample`, `impute` and `draw_imputations`: how far beyond p(x | y)
        to go, away from p(x). Larger: rows that are more typical of their y, and more alike.
    hidden : sequence of int or None, default=None
        Units of the blocks of "mlp", or channels at the scales of "unet", each half the size of the
        one before. None: (128, 128), or (32, 64).
    activation : {"relu", "tanh", "logistic", "gelu", "silu", "identity"}, default="silu"
    max_iter : int, default=50
        Passes over the rows, at the most.
    batch_size : int or "auto", default="auto"
        Rows of a step; "auto": an eighth of them, but 16 at least and 128 at the most.
    optimizer : {"sgd", "heavy_ball", "nesterov", "adagrad", "adam", "adamw"}, default="adam"
    learning_rate : float, default=3e-3
        At its largest.
    rate_schedule : {"cosine", "constant", "invscaling"}, default="cosine"
        How the learning rate falls with the steps.
    weight_decay : float, default=0.0
        Shrinks weights towards 0.
    dropout : float, default=0.0
        Share of hidden units that are left out at random in each step.
    clip : float or None, default=1.0
        Gradients longer than this are shortened to it.
    early_stopping : bool, default=False
        Hold out rows, stop when their J has not fallen for some passes, and keep the best weights.
    validation_fraction : float, default=0.1
        Share of rows that are held out.
    n_iter_no_change : int, default=10
        Passes without improvement after which the fit stops.
    tol : float, default=0.0
        What counts as improvement. If more than 0, J of the passes themselves may stop the fit.
    average : float, default=0.99
        Decay of a moving average of the weights, which then replaces them; 0: none.
    precision : {"single", "double", "mixed"}, default="single"
        Of the numbers while it learns.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    weights_ : dict of ndarray
        Weights of the network by name.
    module_ : torch.nn.Module
        The network, for rows (x - mean_) / scale_.
    schedule_ : DiffusionSchedule
    mean_, scale_ : ndarray of shape (d,)
    sees_missing_ : bool
        Whether rows with NaN were learned from.
    classes_ : ndarray or None
        Classes of y, with conditional=True.
    y_mean_, y_scale_ : ndarray of shape (q,) or None
        Mean and standard deviation of y, with conditional=True and numbers.
    history_ : ndarray of shape (n_iter_,)
        J of each pass.
    validation_history_ : ndarray or None
        J of held-out rows after each pass.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    VAE : Codes of fewer numbers than columns; fills and draws in less time.
    PixelCNN : Exact probabilities of images with few levels.
    GaussianMixture : A density of few clusters, in closed form.

    Notes
    -----
    With the angle phi of a time (alpha_bar = cos phi, beta_bar = sin phi), dx/dphi = E[v | x] takes
    rows to noise without any randomness, and back: `transform`, `inverse_transform`, `impute` and
    the density of method="flow" are steps of it, each with two looks at v. An eighth of the rows
    learn with a random part missing, so that rows with NaN have a density. With conditional=True a
    tenth of the rows learn without their y, which `guidance` needs.

    References
    ----------
    Ho, Jain and Abbeel (2020), Denoising diffusion probabilistic models. Salimans and Ho (2022),
    Progressive distillation, section 4 (v). Song et al. (2021), Score-based generative modeling
    through stochastic differential equations, section 4.3 (the flow). Tashiro, Song, Song and Ermon
    (2021), CSDI. Ho and Salimans (2022), Classifier-free diffusion guidance.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> side = np.where(random.random((400, 1)) < 0.3, -3.0, 3.0)
    >>> X = np.hstack([side, side]) + 0.5 * random.normal(size=(400, 2))
    >>> model = lowdim.Diffusion(random_state=0).fit(X)
    >>> bool(abs((model.sample(500, random_state=0)[:, 0] < 0).mean() - 0.3) < 0.1)
    True
    >>> bool(abs(model.impute([[np.nan, 3.0]])[0, 0] - 3.0) < 0.5)
    True
    """

    draws_levels: ClassVar[bool] = True  # where columns hold few values, drawn ones are near them
    shapes: ClassVar[dict] = {**CodingNetwork.shapes, **Conditional.shapes_of_y}
    _parameter_constraints: ClassVar[dict] = {
        **{k: v for k, v in CODING_ARGUMENTS.items() if k not in ("n_components", "schedule")},
        "n_steps": [AT_LEAST_1, None],
        "schedule": [StrOptions(set(KINDS)), "array-like"],
        "prediction": [StrOptions({"v", "noise", "x0"})],
        "network": [StrOptions(set(HIDDEN))],
        "conditional": ["boolean"],
        "guidance": [NOT_NEGATIVE],
        "hidden": ["array-like", AT_LEAST_1, None],
        "rate_schedule": [StrOptions(set(SCHEDULES))],
    }

    # fmt: off
    def __init__(
        self, n_steps=1000, *, schedule="cosine", prediction="v", network="mlp", image_shape=None,
        conditional=False, guidance=0.0, hidden=None, activation="silu", max_iter=50,
        batch_size="auto", optimizer="adam", learning_rate=3e-3, rate_schedule="cosine",
        weight_decay=0.0, dropout=0.0, clip=1.0, early_stopping=False, validation_fraction=0.1,
        n_iter_no_change=10, tol=0.0, average=0.99, precision="single", random_state=None,
    ):
        self.n_steps, self.schedule = n_steps, schedule
        self.prediction, self.network = prediction, network
        self.image_shape, self.conditional = image_shape, conditional
        self.guidance, self.hidden = guidance, hidden
        self.activation = activation
        self.max_iter, self.batch_size = max_iter, batch_size
        self.optimizer, self.learning_rate = optimizer, learning_rate
        self.rate_schedule, self.weight_decay = rate_schedule, weight_decay
        self.dropout, self.clip = dropout, clip
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.n_iter_no_change, self.tol = n_iter_no_change, tol
        self.average, self.precision = average, precision
        self.random_state = random_state
    # fmt: on

    @fitting
    def fit(self, X, y=None):
        """Learn from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : array-like of shape (n,) or (n, q), or None
            With conditional=True; else it is not looked at.
        """
        return self._fit(X, y, more=False)

    @fitting
    def partial_fit(self, X, y=None):
        """One more pass, over these rows."""
        return self._fit(X, y, more=True)

    def fit_transform(self, X, y=None):
        """Learn from X, and give the noise that its rows flow to, (n, d)."""
        model = self.fit(X, y)
        return model.transform(X, y=y) if self.conditional else model.transform(X)

    # ---- the flow --------------------------------------------------------------------------------

    def transform(self, X, *, y=None, steps=None):
        """The noise that rows flow to: d numbers, about N(0, I) for rows like those of fit.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN marks missing values, which stay at 0.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.
        steps : int or None, default=None
            Times on the way, at most n_steps; None: 25.

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        given = (self.module_, self._steps(steps, FLOW_STEPS), self.mean_, self.scale_)
        rows, along = self._asked(X, y)
        return rows.map(coded_rows, *given, along=along)

    def inverse_transform(self, Z, y=None, *, steps=None):
        """The rows that noise flows to; undoes `transform`.

        Parameters
        ----------
        Z : array-like of shape (n, d)
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.
        steps : int or None, default=None
            Times on the way, at most n_steps; None: 25.

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        given = (self.module_, self._steps(steps, FLOW_STEPS), self.mean_, self.scale_)
        codes = as_blocks(check_codes(self, Z, self._n_features_out))
        along = self._conditions(y, codes.shape[0])
        return codes.map(decoded_rows, *given, along=along)

    def predict_noise(self, X_t, t, *, y=None):
        """E[e | x_t]: what is expected of the noise in rows after t steps.

        Parameters
        ----------
        X_t : array-like of shape (n, d)
            In units of the network: alpha_bar_t (x - mean_) / scale_ + beta_bar_t e. NaN marks
            missing values.
        t : int or array of shape (n,)
            From 1 to n_steps.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        rows, along = self._asked(X_t, y)
        n, t = rows.shape[0], np.asarray(t)
        if t.dtype.kind not in "iu" or t.shape not in ((), (n,)) or _outside(t, self.schedule_):
            raise ValueError(
                f"t={t} must be whole numbers from 1 to n_steps={self.schedule_.n_steps}, one, or "
                f"one for each of the {n} rows."
            )
        times = np.broadcast_to(t, (n,)).astype(np.float64)
        return rows.map(noise_of, self.module_, along=(times, *along))

    # ---- densities -------------------------------------------------------------------------------

    def score_samples(self, X, method="flow", steps=None, *, y=None):
        """log p(x) of each row, over its observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        method : {"flow", "bound"}, default="flow"
            "flow": exact for the steps that `transform` takes, log N(z | 0, I) and the logarithms
            of their determinants; estimated with random vectors beyond 64 columns. "bound": DDPM's,
            which is below log p(x) on average over the noise that it draws.
        steps : int or None, default=None
            Times on the way, at most n_steps; None: 25 of the flow, all of the bound.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then: log p(x | y).

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        given = self._scoring(method, steps)
        rows, along = self._asked(X, y)
        return rows.map(densities, *given, along=along)

    def score(self, X, y=None):
        """Mean of log p(x) over rows, by the flow; rows without any observed value do not count.

        With conditional=True, of log p(x | y); else y is not looked at.
        """
        check_is_fitted(self)
        rows, along = self._asked(X, y if self.conditional else None, only_observed=True)
        total, count = rows.fold(sum_densities, *self._scoring("flow", None), along=along)
        return float(total / count)

    # ---- draws -----------------------------------------------------------------------------------

    def sample(self, n_samples=1, sampler="ddpm", steps=None, random_state=None, *, y=None):
        """New rows from noise, by `lowdim.deep.reverse_diffusion`.

        Parameters
        ----------
        n_samples : int, default=1
        sampler : {"ddpm", "ddim"}, default="ddpm"
            "ddpm" adds noise again after each step; "ddim" does not, and gets along with fewer
            steps.
        steps : int or None, default=None
            Times that are visited, at most n_steps; None: 100.
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor, as in scikit-learn.
        y : array-like of shape (n_samples,) or (n_samples, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        check_is_fitted(self)
        n = check_at_least("n_samples", n_samples, 1)
        check_choice("sampler", sampler, SAMPLERS)
        given = (sampler, self._steps(steps, SAMPLE_STEPS), float(self.guidance))
        known = self._conditions(y, n)
        Y = new_rows(self.module_, n, *given, generator_of(self, random_state), *known)
        return out_of_units(Y, self.mean_, self.scale_)

    def impute(self, X, return_std=False, n_samples=N_SAMPLES, *, y=None):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed).
        n_samples : int, default=20
            Draws of what is missing, over which means are taken; 1: what the middle of the noise
            flows to.
        y : array-like of shape (n,) or (n, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        filled : ndarray of shape (n, d), or a data frame if `set_output` asks for it
        std : the same, if return_std
        """
        check_is_fitted(self)
        return_std = check_flag("return_std", return_std)
        function, *params = self._filling(return_std, n_samples)
        rows, along = self._asked(X, y)
        return in_columns_of_x(self, rows.map(function, *params, along=along), X)

    def draw_imputations(self, X, n=5, random_state=None, *, y=None):
        """n copies of X in which NaN are drawn given the row's observed entries.

        For multiple imputation: analyse each copy, and combine what is found.

        Parameters
        ----------
        X : array-like of shape (r, d)
        n : int, default=5
            Copies.
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor.
        y : array-like of shape (r,) or (r, q), or one value for all rows
            With conditional=True, and only then.

        Returns
        -------
        ndarray of shape (n, r, d)
        """
        check_is_fitted(self)
        n = check_at_least("n", n, 1)
        rows, known = self._asked(X, y)
        count, d = rows.shape
        E = generator_of(self, random_state).normal(size=(count, n, d))
        steps = self._steps(None, FILL_STEPS)
        given = (self.module_, steps, float(self.guidance), self.mean_, self.scale_)
        return np.moveaxis(np.asarray(rows.map(drawn_copies, *given, along=(E, *known))), 1, 0)

    @property
    def schedule_(self):
        """How rows become noise."""
        check_is_fitted(self, "weights_")
        return self._make_schedule()

    # ---- inside ----------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, more: bool) -> Diffusion:
        from lowdim.deep.engine import torch_for

        torch_for(type(self).__name__)
        from lowdim.deep.diffusion.module import Weighted

        self._make_schedule()  # refuses what is none
        self._check_y_is_there(y)
        rows, seed = self._open(X, more)
        along = self._learn_conditions(y, rows, more and hasattr(self, "weights_"))
        weighted = Weighted(self.prediction)
        self._learn(
            rows,
            along,
            weighted.of_drawn,
            seed,
            more=more,
            straight=weighted.straight,
            draw=weighted.draw,
        )
        assert self.module_  # made now: what only uses a model does not change it
        return self

    def _make_schedule(self) -> DiffusionSchedule:
        return DiffusionSchedule(self.n_steps, self.schedule)

    def _check_sizes(self) -> None:
        if not self._sizes:
            raise ValueError(f"hidden={self.hidden!r} has no layers; give one size at least.")

    @property
    def _sizes(self) -> tuple[int, ...]:
        return HIDDEN[self.network] if self.hidden is None else sizes_of(self.hidden)

    def _new_learner(self, module: Any, loss: Any, settings: Any, **arguments: Any) -> Learner:
        return super()._new_learner(module, loss, settings, noisy=self.dropout > 0, **arguments)

    def _shard_size(self) -> int:
        return SHARDS[self.network]

    @property
    def _rate_schedule(self) -> str:
        return self.rate_schedule

    def _make(self) -> Any:
        from lowdim.deep.diffusion.module import GROUPS, Denoiser
        from lowdim.deep.diffusion.networks import Size

        q = self._n_conditions
        size = Size(
            self._shape,
            GROUPS,
            self._sizes,
            self.activation,
            float(self.dropout),
            q + 1 if q else 0,
        )
        return Denoiser(self.network, size, self._make_schedule())

    def _buffers(self) -> dict[str, np.ndarray]:
        schedule = self._make_schedule()
        return {"levels": np.stack([schedule.alpha_bar, schedule.beta_bar], axis=1)}

    @property
    def _n_features_out(self) -> int:
        if not hasattr(self, "weights_"):
            raise AttributeError("_n_features_out")  # not fitted yet
        return len(self.mean_)

    def _steps(self, steps: Any, usual: int) -> int:
        T = self.schedule_.n_steps
        if steps is None:
            return min(usual, T)
        return check_at_most("steps", steps, T, "steps of the schedule (n_steps)")

    def _scoring(self, method: Any, steps: Any) -> tuple:
        check_choice("method", method, tuple(METHODS))
        usual = FLOW_STEPS if method == "flow" else self.schedule_.n_steps
        steps = self._steps(steps, usual)
        return self.module_, METHODS[method], steps, self.mean_, self.scale_

    def _filling(self, return_std: bool, n_samples: int = N_SAMPLES) -> tuple:
        from lowdim.deep.diffusion.module import normal_numbers

        E = normal_numbers(check_at_least("n_samples", n_samples, 1 + return_std), len(self.mean_))
        ways = (E, self._steps(None, FILL_STEPS), float(self.guidance))
        return filled, self.module_, *ways, self.mean_, self.scale_, return_std


def _outside(t: np.ndarray, schedule: DiffusionSchedule) -> bool:
    return bool(((t < 1) | (t > schedule.n_steps)).any())
