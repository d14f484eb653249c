"""The methods that `lowdim reduce` offers: one line each.

A line says which public class does the work, and which of its arguments the options of the command
line set. A method is offered when lowdim has its class, and an option when a method takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

import lowdim
from lowdim.cli.options import Sizes

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True)
class Method:
    """A method of the command line.

    Attributes
    ----------
    estimator : str
        Name of the public class.
    about : str
        What it finds, for the help text.
    arguments : mapping of str to str
        Which argument of the class an option sets: option -> argument.
    share_of_variance : bool
        Whether -k may be a share of the variance.
    loadings : bool
        Whether the summary has a table of loadings, which people who use the method expect.
    positive : bool
        Whether it takes no negative values: columns are scaled, not centred.
    network : bool
        Whether it is a network, which torch is needed for.
    """

    estimator: str
    about: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    share_of_variance: bool = False
    loadings: bool = False
    positive: bool = False
    network: bool = False


_ALL = {
    "pca": Method("PCA", "principal components", {"solver": "svd_solver"}, share_of_variance=True),
    "ppca": Method("ProbabilisticPCA", "principal components and noise"),
    "fa": Method(
        "FactorAnalysis",
        "common factors",
        {"rotation": "rotation", "solver": "solver"},
        loadings=True,
    ),
    "ica": Method("FastICA", "independent components", {"solver": "algorithm"}),
    "nmf": Method(
        "NMF", "parts that add up, of values of 0 or more", {"solver": "solver"}, positive=True
    ),
    "linear-autoencoder": Method("LinearAutoencoder", "a linear code", {"solver": "solver"}),
    "mfa": Method(
        "MixtureOfFactorAnalyzers", "clusters, each with its factors", {"clusters": "n_clusters"}
    ),
    "classical-mds": Method("ClassicalMDS", "a map by distances, in closed form"),
    "mds": Method("MDS", "a map that keeps distances"),
    "sammon": Method("Sammon", "a map that keeps small distances", {"solver": "solver"}),
    "sne": Method("SNE", "a map that keeps neighbours", {"perplexity": "perplexity"}),
    "tsne": Method(
        "TSNE", "a map that keeps neighbours, groups set apart", {"perplexity": "perplexity"}
    ),
    "umap": Method("UMAP", "a map of the graph of neighbours", {"neighbors": "n_neighbors"}),
    "autoencoder": Method(
        "Autoencoder",
        "a code by a network, on a curved surface",
        {"hidden": "hidden", "passes": "max_iter"},
        network=True,
    ),
    "vae": Method(
        "VAE",
        "the same with a density of rows",
        {"hidden": "hidden", "passes": "max_iter"},
        network=True,
    ),
}
METHODS = {name: method for name, method in _ALL.items() if method.estimator in dir(lowdim)}

# options that only some methods take
OPTIONS = {
    "solver": click.option("--solver", metavar="NAME", help="How to compute it; see the class."),
    "rotation": click.option(
        "--rotation", metavar="NAME", help="Turn the factors to be read easily, as varimax does."
    ),
    "clusters": click.option(
        "--clusters", type=click.IntRange(min=1), metavar="N", help="Number of clusters."
    ),
    "perplexity": click.option(
        "--perplexity",
        type=click.FloatRange(min=0, min_open=True),
        metavar="P",
        help="How many rows a row looks at, about.",
    ),
    "neighbors": click.option(
        "--neighbors",
        type=click.IntRange(min=2),
        metavar="N",
        help="How many rows a row looks at.",
    ),
    "hidden": click.option(
        "--hidden",
        type=Sizes(),
        metavar="N,N",
        help="Units of hidden layers of a network: 64,32.",
    ),
    "passes": click.option(
        "--passes",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many times a network learns from every row.",
    ),
}


def offered_options() -> list[str]:
    """The options that a method takes."""
    return [name for name in OPTIONS if any(name in line.arguments for line in METHODS.values())]


def method_options(verb: Decorated) -> Decorated:
    """Add the options that a method takes to a verb."""
    for name in reversed(offered_options()):
        verb = OPTIONS[name](verb)
    return verb


def build(name: str, k: int | float | str, seed: int, options: Mapping[str, Any]) -> Any:
    """An unfitted estimator for `--method name`; options that are None were not given."""
    method = METHODS[name]
    options = {option: value for option, value in options.items() if value is not None}
    for option in options:
        if option not in method.arguments:
            able = [other for other, line in METHODS.items() if option in line.arguments]
            raise ValueError(
                f"--{option} does not go with --method {name}; it goes with {', '.join(able)}."
            )
    if isinstance(k, float) and not method.share_of_variance:
        raise ValueError(
            f"-k {k} is a share of variance, which --method {name} does not have; choose a number "
            "of components."
        )
    if method.network:
        from lowdim.deep.engine import torch_for

        torch_for(f"--method {name}")  # before any work
    model = getattr(lowdim, method.estimator)()
    arguments = {method.arguments[option]: value for option, value in options.items()}
    if "random_state" in model.get_params():
        arguments["random_state"] = seed
    return model.set_params(**arguments)
