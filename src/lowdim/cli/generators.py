"""The methods of `lowdim generate`: one list, what each needs, and which one suits a table best.

A method that is added to `METHODS` is an option of the verb and takes part in `--method auto`: each
is fitted to most of the rows, draws as many as were held out, and the one whose rows a
discriminator tells least from the held-out ones is taken. Drawn rows are empty where the held-out
ones are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from lowdim.cli.table_verb import TableRequest

SPARE = 2  # components of a network beyond those of PCA: it leaves alone what it does not need
HELD_OUT = 0.25  # of the rows
LEAST_ROWS = 60  # to choose by
MOST_ROWS = 10_000  # to choose by
LEAST_VARIANCE = 1e-3  # of a Gaussian, where columns have a variance of 1


class Method(NamedTuple):
    """A way to learn what rows are like, and to draw more of them."""

    name: str
    says: str
    unfitted: Callable[[Material], Any]
    drop_level: bool = False  # the levels of a category must not add up to a constant
    needs_torch: bool = False


class Material:
    """A table for a model that draws rows: its numbers, and how many components it supports."""

    def __init__(self, request: TableRequest, table: Any, encoder: Any, seed: int):
        self.request, self.table, self.seed = request, table, seed
        self.encoder = encoder
        self.rows = encoder.rows(table)

    @cached_property
    def components(self) -> int:
        from lowdim.cli.auto import components

        most = max(self.rows.n_columns - 1, 1)
        return components(
            self.request, self.rows, self.encoder, self.seed, most=most, title="components"
        )

    @cached_property
    def clusters(self) -> int:
        """As many Gaussians as BIC says."""
        import warnings

        import lowdim
        from lowdim.cli.auto import clusters
        from lowdim.mixture.collapse import CollapsedComponentWarning

        model = lowdim.GaussianMixture(reg_covar=self.reg_covar, random_state=self.seed)
        _, rows = self.without_level
        with warnings.catch_warnings():  # of more Gaussians than the rows support
            warnings.simplefilter("ignore", CollapsedComponentWarning)
            return clusters(self.request, rows, model, self.seed, title="Gaussians")

    @property
    def reg_covar(self) -> float:
        """What keeps a Gaussian from a few equal rows, whose copies it would draw."""
        return LEAST_VARIANCE if self.encoder.scale else 1e-6

    @cached_property
    def without_level(self) -> tuple[Any, Any]:
        """An encoder that leaves one level of each category out, and its numbers."""
        encoder = self.request.encoder().set_params(drop_level=True).fit(self.table)
        return encoder, encoder.rows(self.table)

    def for_method(self, method: Method) -> tuple[Any, Any]:
        """Encoder and numbers for a method."""
        return self.without_level if method.drop_level else (self.encoder, self.rows)

    def fit(self, method: Method, chosen: np.ndarray | None = None) -> Any:
        """A model of the table, or of some of its rows."""
        from lowdim import TableModel

        encoder, rows = self.for_method(method)
        used = rows if chosen is None else rows.take(chosen)
        model = TableModel(method.unfitted(self), encoder=self.request.encoder())
        return model.fit_encoded(self.table, encoder, used)


def _ppca(material: Material) -> Any:
    import lowdim

    return lowdim.ProbabilisticPCA(material.components, random_state=material.seed)


def _mixture(material: Material) -> Any:
    import lowdim

    return lowdim.GaussianMixture(
        material.clusters, n_init=2, reg_covar=material.reg_covar, random_state=material.seed
    )


def _vae(material: Material) -> Any:
    import lowdim

    k = min(material.components + SPARE, max(material.rows.n_columns - 1, 1))
    return lowdim.VAE(k, random_state=material.seed)


METHODS = (
    Method("ppca", "ProbabilisticPCA: one Gaussian", _ppca),
    Method("mixture", "GaussianMixture: several, as many as BIC says", _mixture, drop_level=True),
    Method("vae", "VAE: a network", _vae, needs_torch=True),
)
NAMES = tuple(method.name for method in METHODS)


def named(name: str) -> Method:
    """The method of this name; says at once if it lacks something."""
    method = METHODS[NAMES.index(name)]
    if method.needs_torch:
        from lowdim.deep.engine import torch_for

        torch_for(f"--method {name}")
    return method


def best_method(material: Material) -> Method:
    """The method whose rows are the hardest to tell from held-out ones; says how hard each is."""
    import numpy as np

    say, n = material.request.say, material.rows.shape[0]
    if n < LEAST_ROWS:
        say(f"--method auto: {NAMES[0]}; {n} rows are too few to choose by")
        return METHODS[0]
    random = np.random.default_rng(material.seed)
    order = random.permutation(n)[:MOST_ROWS]
    cut = int(HELD_OUT * len(order))
    held, learned = order[:cut], np.sort(order[cut:])
    told = {}
    for method in METHODS:
        if method.needs_torch and not _has_torch():
            say(f"--method auto: {method.name} needs torch, which is not installed")
            continue
        told[method] = _told(material, material.fit(method, learned), held)
    best = min(told, key=lambda method: max(told[method], 0.5))  # of equal ones the first
    figures = ", ".join(f"{method.name} {share:.3f}" for method, share in told.items())
    say(f"--method auto: {best.name}; told from {cut} held-out rows (0.5 is best): {figures}")
    return best


def _told(material: Material, model: Any, held: np.ndarray) -> float:
    """How well drawn rows are told from those held out."""
    import numpy as np

    from lowdim.cli.drawn_rows import drawn_numbers
    from lowdim.selection.samples.discriminator import tell_apart

    random = np.random.default_rng(material.seed)
    real = np.asarray(material.rows.take(held), dtype=np.float64)
    fake = drawn_numbers(model, len(real), material.encoder.encoding_, random)
    return tell_apart(real, np.where(np.isnan(real), np.nan, fake), random).accuracy


def _has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None
