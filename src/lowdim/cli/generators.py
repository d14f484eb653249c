"""The methods of `lowdim generate`: one list, what each needs, and which one suits a table best.

A method that is added to `METHODS` is an option of the verb and takes part in `--method auto`: each
is fitted to most of the rows, draws as many as were held out, and the one whose rows a
discriminator tells least from the held-out ones is taken. Drawn rows are empty where the held-out
ones are. Networks take about as many steps whatever the number of rows is: a few seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from lowdim.cli.table_verb import TableRequest

SPARE = 2  # components of a network beyond those of PCA: it leaves alone what it does not need
HELD_OUT = 0.25  # of the rows
LEAST_ROWS = 60  # to choose by
ON_PAGE = 5000  # drawn rows
MOST_ROWS = 10_000  # to choose by
LEAST_VARIANCE = 1e-3  # of a Gaussian, where columns have a variance of 1
STEPS, BATCH = 1000, 128  # of GAN and diffusion: at least 10 passes
READ_STEPS, READ_BATCH = 400, 64  # of the transformer, at the most
READ_LEVELS = 32  # at the least: those of a category are not put together
READ_AVERAGE = 0.98  # it stops while steps are large: the shares of its last weights would be off
MOST_READ = 100  # columns of numbers that auto lets a transformer read, one after the other


class Method(NamedTuple):
    """A way to learn what rows are like, and to draw more of them."""

    name: str
    says: str
    unfitted: Callable[[Material], Any]
    encoding: tuple[tuple[str, Any], ...] = ()  # arguments of the encoder beside the user's
    needs_torch: bool = False
    takes_nan: bool = True
    most_columns: float = float("inf")  # of numbers that auto tries it with


class Material:
    """A table for a model that draws rows: its numbers, and how many components it supports."""

    def __init__(self, request: TableRequest, table: Any, encoder: Any, seed: int):
        self.request, self.table, self.seed = request, table, seed
        self.encoder = encoder
        self.rows = encoder.rows(table)
        self._encoded: dict[tuple, tuple[Any, Any]] = {(): (encoder, self.rows)}

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
        from sklearn.exceptions import ConvergenceWarning

        import lowdim
        from lowdim.cli.auto import clusters

        model = lowdim.GaussianMixture(reg_covar=self.reg_covar, random_state=self.seed)
        _, rows = self.encoded(WITHOUT_LEVEL)
        with _without_advice_on_clusters(ConvergenceWarning):
            return clusters(self.request, rows, model, self.seed, title="Gaussians")

    @property
    def reg_covar(self) -> float:
        """What keeps a Gaussian from a few equal rows, whose copies it would draw."""
        return LEAST_VARIANCE if self.encoder.scale else 1e-6

    @cached_property
    def incomplete(self) -> list[str]:
        """Columns of the table that have empty cells."""
        empty = self.rows.fold(_count_empty)
        used = zip(self.encoder.encoding_.used, self.encoder.encoding_.spans, strict=True)
        return [column.name for column, span in used if empty[span].any()]

    def encoded(self, encoding: tuple[tuple[str, Any], ...]) -> tuple[Any, Any]:
        """An encoder with these arguments beside the user's, and the numbers it makes."""
        if encoding not in self._encoded:
            encoder = self._unfitted(encoding).fit(self.table)
            self._encoded[encoding] = encoder, encoder.rows(self.table)
        return self._encoded[encoding]

    def _unfitted(self, encoding: tuple[tuple[str, Any], ...]) -> Any:
        """The user's encoder with these arguments; one who wants units gets no scores."""
        encoder, arguments = self.request.encoder(), dict(encoding)
        if not encoder.scale:
            arguments.pop("scores", None)
        return encoder.set_params(**arguments)

    def check(self, method: Method) -> None:
        """Raise if the table is none for a method."""
        from lowdim.tables.errors import TableError, listed, quoted

        if not method.takes_nan and self.incomplete:
            columns = listed([quoted(name) for name in self.incomplete], 4)
            raise TableError(
                f"{self.table.where} has empty cells in {columns}, and --method {method.name} "
                "needs complete rows.",
                "Fill them first, with `lowdim complete`, or choose vae, diffusion or transformer, "
                "which learn from rows with empty cells.",
            )

    def fit(self, method: Method, chosen: np.ndarray | None = None) -> Any:
        """A model of the table, or of some of its rows."""
        from lowdim import TableModel

        encoder, rows = self.encoded(method.encoding)
        used = rows if chosen is None else rows.take(chosen)
        model = TableModel(method.unfitted(self), encoder=self._unfitted(method.encoding))
        with _without_advice_on_clusters():
            return model.fit_encoded(self.table, encoder, used)


@contextmanager
def _without_advice_on_clusters(*more: type[Warning]) -> Iterator[None]:
    """Nothing is said of arguments in Python, which who draws rows cannot set."""
    import warnings

    from lowdim.mixture.collapse import CollapsedComponentWarning
    from lowdim.selection.clusters import EndOfRangeWarning

    with warnings.catch_warnings():
        for kind in (*more, CollapsedComponentWarning, EndOfRangeWarning):
            warnings.simplefilter("ignore", kind)
        yield


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
    encoder, _ = material.encoded(LEVELS_AND_SCORES)
    kinds = [
        "categorical" if column.kind in ("category", "flag") else "gaussian"
        for column in encoder.encoding_.used
        for _ in range(column.codec.width)
    ]
    return lowdim.VAE(k, likelihood=kinds, random_state=material.seed)


def _gan(material: Material) -> Any:
    import lowdim

    return lowdim.GAN(batch_size=BATCH, max_iter=_passes(material), random_state=material.seed)


def _diffusion(material: Material) -> Any:
    import lowdim

    passes = _passes(material)
    return lowdim.Diffusion(batch_size=BATCH, max_iter=passes, random_state=material.seed)


def _transformer(material: Material) -> Any:
    import lowdim

    encoder, _ = material.encoded(LEVELS_AND_SCORES)
    categories = [c.codec for c in encoder.encoding_.used if c.kind == "category"]
    return lowdim.CausalTransformer(
        levels=max([READ_LEVELS, *(len(codec.levels) for codec in categories)]),
        n_layers=2,
        width=64,
        batch_size=READ_BATCH,
        max_iter=60,
        max_steps=READ_STEPS,
        early_stopping=material.rows.shape[0] >= LEAST_ROWS,
        n_iter_no_change=2,
        average=READ_AVERAGE,
        random_state=material.seed,
    )


def _passes(material: Material) -> int:
    steps = -(-material.rows.shape[0] // BATCH)  # of a pass
    return max(10, -(-STEPS // steps))


LEVELS_AS_NUMBERS = (("level_columns", False),)  # for probabilities of levels
WITHOUT_LEVEL = (("drop_level", True),)  # levels of a category must not add up to a constant
SCORES = (("scores", "normal"),)  # one Gaussian and noise are normal, and so are columns then
LEVELS_AND_SCORES = (*LEVELS_AS_NUMBERS, *SCORES)
METHODS = (
    Method("ppca", "ProbabilisticPCA: one Gaussian of normal scores", _ppca, SCORES),
    Method("mixture", "GaussianMixture: several, as many as BIC says", _mixture, WITHOUT_LEVEL),
    Method(
        "vae",
        "VAE: a network with few numbers inside",
        _vae,
        LEVELS_AND_SCORES,
        needs_torch=True,
    ),
    Method(
        "transformer",
        "CausalTransformer: column by column, each given those before",
        _transformer,
        LEVELS_AND_SCORES,
        needs_torch=True,
        most_columns=MOST_READ,
    ),
    Method("diffusion", "Diffusion: out of noise, step by step", _diffusion, SCORES, True),
    Method(
        "gan",
        "GAN: against a discriminator, for tables without empty cells",
        _gan,
        SCORES,
        needs_torch=True,
        takes_nan=False,
    ),
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
    told, left_out = {}, []
    for method in METHODS:
        reason = _unsuited(method, material)
        if reason:
            left_out.append(f"{method.name} ({reason})")
            continue
        told[method] = _told(material, material.fit(method, learned), held)
    if left_out:
        say(f"--method auto leaves out {', '.join(left_out)}")
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


def _unsuited(method: Method, material: Material) -> str:
    """Why auto does not try a method; '' if it does."""
    if method.needs_torch and not _has_torch():
        return "torch is not installed"
    if not method.takes_nan and material.incomplete:
        return "the table has empty cells"
    if material.encoded(method.encoding)[1].n_columns > method.most_columns:
        return "too many columns"
    return ""


def _count_empty(X: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.isnan(X).sum(axis=0)


def _has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None
