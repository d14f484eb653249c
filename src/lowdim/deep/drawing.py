"""Figures of networks that code rows: how they learned, and what their codes stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.validation import check_at_least, check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLE_KINDS = ("loss", "samples")
KINDS = ("loss", "reconstructions", "plane", "traversals", "filled")
NEED_ROWS = ("reconstructions", "filled")
MOST_PICTURES = 40  # in each direction
MOST_CODES = 12  # whose traversals are drawn
USUAL = {"samples": 64, "reconstructions": 12, "plane": 15, "traversals": 11, "filled": 12}
SHARE = 0.05  # of codes of X that lie beyond the ends of a plane or of a traversal
REACH = 2.0  # the ends without X


class DrawnSamples:
    """`plot` of a network with `sample`."""

    def plot(
        self: Any,
        kind: str = "loss",
        X: Any = None,
        *,
        n: int | None = None,
        image_shape: Any = None,
        random_state: Any = None,
        y: Any = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw how the network learned, or what it draws.

        Parameters
        ----------
        kind : {"loss", "samples"}, default="loss"
            "loss": the objective of each pass. "samples": drawn rows; images as images, else the
            first two columns as points, or curves where X is None and there are more than two.
        X : array-like of shape (m, d) or None, default=None
            Rows to draw beside them, as points of another colour.
        n : int or None, default=None
            How many samples; None: as many as rows of X, or 64.
        image_shape : (height, width) or (height, width, 3) or None, default=None
            Of rows that are images; None: that of the model, or a square with network="conv".
        random_state : int, Generator, RandomState or None, default=None
        y : array-like or one value for all samples
            For a model with conditional=True.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        from lowdim.plots import scatter_map, wall

        check_is_fitted(self)
        check_choice("kind", kind, SAMPLE_KINDS)
        if kind == "loss":
            return _plot_loss(self, ax)
        usual = USUAL[kind] if X is None else len(X)
        n = usual if n is None else check_at_least("n", n, 1)
        given = {} if y is None else {"y": y}
        drawn = np.asarray(self.sample(n, random_state, **given))
        h, w, c = self._shape
        shape = image_shape if image_shape is not None or h == 1 else (h, w, c)[: 2 + (c > 1)]
        d = drawn.shape[1]
        if shape is not None or d == 1 or (X is None and d > 2):
            return wall(drawn, shape, ax=ax)
        if X is None:
            return scatter_map(drawn, ax=ax)
        real = np.asarray(X, np.float64)
        labels = np.repeat(["X", "drawn"], [len(real), n])
        return scatter_map(np.vstack([real, drawn]), labels, ax=ax)


class DrawnNetwork:
    """`plot` of a network with `transform` and `inverse_transform`."""

    def plot(
        self: Any,
        kind: str = "loss",
        X: Any = None,
        *,
        truth: Any = None,
        n: int | None = None,
        image_shape: Any = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw how the network learned, or what it makes of rows and codes.

        Parameters
        ----------
        kind : {"loss", "reconstructions", "plane", "traversals", "filled"}, default="loss"
            "loss": the objective after each pass, of held-out rows too where there were any.
            "reconstructions": rows of X, and below what is left of them after coding and decoding.
            "plane": what the codes of a grid stand for, if they have two numbers. "traversals":
            what each number of a code changes while the others stay. "filled": rows of X with
            missing values, and below filled by `impute`.
        X : array-like of shape (m, d) or None, default=None
            The rows to draw. For "plane" and "traversals" rows whose codes say how far to go, which
            an Autoencoder needs; None: from -2 to 2, which is where codes of a VAE lie.
        truth : array-like of shape (m, d) or None, default=None
            For "filled": the rows before values were taken away.
        n : int or None, default=None
            How many pictures: of rows, or to each side of a plane; at most 40.
        image_shape : (height, width) or (height, width, 3) or None, default=None
            Of rows that are images; None: that of the model, a square where d is one, else rows are
            drawn as curves over their columns.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        check_choice("kind", kind, KINDS)
        if kind == "loss":
            return _plot_loss(self, ax)
        n = USUAL[kind] if n is None else check_at_least("n", n, 1)
        n = min(n, MOST_PICTURES)
        shape = self._drawn_shape(image_shape)
        if kind in NEED_ROWS:
            if X is None:
                raise ValueError(f"kind={kind!r} draws rows; give them as X.")
            return self._plot_rows(kind, np.asarray(X)[:n], truth, shape, ax)
        return self._plot_codes(kind, X, n, shape, ax)

    def _plot_rows(self: Any, kind: str, X: np.ndarray, truth: Any, shape: Any, ax: Any) -> Any:
        from lowdim.plots import filled_rows, reconstructions

        if kind == "reconstructions":
            X_hat = np.asarray(self.inverse_transform(np.asarray(self.transform(X))))
            return reconstructions(X, X_hat, shape, ax=ax)
        truth = None if truth is None else np.asarray(truth)[: len(X)]
        return filled_rows(X, np.asarray(self.impute(X)), truth, shape, ax=ax)

    def _plot_codes(self: Any, kind: str, X: Any, n: int, shape: Any, ax: Any) -> Any:
        from lowdim.plots import latent_plane, traversals

        k = self._n_features_out
        if kind == "plane" and k != 2:
            raise ValueError(
                f"kind='plane' needs codes of two numbers, and these have {k}; "
                "kind='traversals' draws any."
            )
        Z = None if X is None else np.asarray(self.transform(X))
        values, codes = _lines(Z, k, n)  # (n,), (n, k)
        if kind == "plane":
            first, second = codes.T
            grid = np.stack(np.meshgrid(first, second), axis=-1)  # (n, n, 2): rows by `second`
            return latent_plane(self._decoded_grid(grid), first, second, shape, ax=ax)
        middle = np.zeros(k) if Z is None else np.median(Z, axis=0)
        grid = np.tile(middle, (min(k, MOST_CODES), n, 1))
        for j in range(len(grid)):
            grid[j, :, j] = codes[:, j]
        ax = traversals(self._decoded_grid(grid), values, shape, ax=ax)
        what = "its value" if Z is None else "its percentile among the rows of X"
        ax.set_title(f"one number of a code changes: below, {what}", loc="left")
        return ax

    def _decoded_grid(self: Any, codes: np.ndarray) -> np.ndarray:
        rows = np.asarray(self.inverse_transform(codes.reshape(-1, codes.shape[-1])))
        return rows.reshape(*codes.shape[:2], -1)

    def _drawn_shape(self: Any, image_shape: Any) -> Any:
        """The shape of images; None for rows that are none."""
        if image_shape is not None:
            return image_shape
        h, w, c = self._shape
        if h > 1:
            return (h, w, c)
        side = round(w**0.5)
        return (side, side) if side * side == w and side >= 4 else None


def _plot_loss(model: Any, ax: Any) -> Any:
    from lowdim.plots import loss

    return loss(model.history_, getattr(model, "validation_history_", None), ax=ax)


def _lines(Z: np.ndarray | None, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Values to name n places by, (n,), and what each number of a code is there, (n, k)."""
    if Z is None:
        values = np.linspace(-REACH, REACH, n)
        return values, np.tile(values[:, None], (1, k))
    share = np.linspace(SHARE / 2, 1 - SHARE / 2, n)
    return 100 * share, np.quantile(Z, share, axis=0)
