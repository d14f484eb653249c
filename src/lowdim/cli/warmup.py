"""`lowdim warmup`: compile ahead what the methods will need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from lowdim.cli.options import debug_option, quiet_option

ROWS, COLUMNS = 60, 8
SMALL = {"n_components": 2, "n_clusters": 2, "max_iter": 2}  # where a class has the argument


@click.command()
@quiet_option
@debug_option
def warmup(quiet: bool) -> None:
    """Compile all kernels now, so that no later fit has to wait.

    Every method is fitted on small data, with each of its solvers, in single and in double
    precision. What is compiled is kept on disk for this version of lowdim: a second call is quick.

    \b
    Examples:
      lowdim warmup
      lowdim warmup --quiet
    """
    import time

    from lowdim.core.progress import watch
    from lowdim.registry import public_estimators

    classes = sorted(public_estimators().items())
    width = max(len(name) for name, _ in classes)
    start = time.perf_counter()
    with watch("compiling", total=len(classes)) as bar:
        for done, (name, cls) in enumerate(classes, start=1):
            began = time.perf_counter()
            problem = warm_up(cls)
            bar.update(done, note=name)
            if problem is not None:
                click.echo(f"Warning: {name} could not be tried ({problem}).", err=True)
            elif not quiet:
                click.echo(f"{name:<{width}}  {time.perf_counter() - began:6.2f} s")
    if not quiet:
        click.echo(f"{'together':<{width}}  {time.perf_counter() - start:6.2f} s")


def warm_up(cls: type) -> Exception | None:
    """Use a class in every way that may compile something; what went wrong if nothing went."""
    import warnings

    import lowdim

    worked, problem = False, None
    with warnings.catch_warnings(), lowdim.config_context(progress=False):
        warnings.simplefilter("ignore")  # small data need not converge
        for arguments in settings_of(cls):
            for X in data_for(cls):
                try:
                    _use(cls().set_params(**arguments), X)
                    worked = True
                except (ValueError, TypeError) as error:  # a solver need not take every kind of X
                    problem = error
    return None if worked else problem


def settings_of(cls: Any) -> Iterator[dict[str, Any]]:
    """A small model, then one for each choice that an argument has, one at a time."""
    from lowdim.core.constraints import StrOptions

    small = {name: value for name, value in SMALL.items() if name in cls().get_params()}
    yield small
    for name, accepted in getattr(cls, "_parameter_constraints", {}).items():
        for constraint in accepted if isinstance(accepted, list) else ():
            if isinstance(constraint, StrOptions):
                yield from (small | {name: choice} for choice in sorted(constraint.options))


def data_for(cls: Any) -> Iterator[Any]:
    """Small positive data of every kind that the class takes, in single and double precision."""
    import numpy as np
    import scipy.sparse as sp

    random = np.random.default_rng(0)
    X = np.exp(random.normal(size=(ROWS, 2)) @ random.normal(size=(2, COLUMNS)))
    X += random.random(X.shape)
    some = random.random(X.shape) < 0.1
    tags = cls().__sklearn_tags__().input_tags
    for dtype in (np.float64, np.float32):
        yield X.astype(dtype)
        if tags.allow_nan:
            yield np.where(some, np.nan, X).astype(dtype)
        if tags.sparse:
            yield sp.csr_array(np.where(some, X, 0).astype(dtype))


def _use(model: Any, X: Any) -> None:
    import scipy.sparse as sp

    model.fit(X)
    for name in ("transform", "predict", "score_samples", "impute"):
        if hasattr(model, name) and not (name == "impute" and sp.issparse(X)):
            getattr(model, name)(X)
