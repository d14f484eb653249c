"""lowdim finds the small structure inside big data.

Every name below is imported when it is first used, so `import lowdim` costs next to nothing. A new
method is one entry of `_HOME`, and the same import for type checkers and editors beneath it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lowdim._version import __version__

# public name -> the module where it lives
_HOME = {
    "ALS": "lowdim.completion.als.estimator",
    "Entries": "lowdim.completion.entries",
    "FactorAnalysis": "lowdim.linear.factor_analysis",
    "FastICA": "lowdim.linear.ica",
    "GaussianMixture": "lowdim.mixture.gaussian.estimator",
    "KMeans": "lowdim.cluster.kmeans.estimator",
    "LinearAutoencoder": "lowdim.linear.autoencoder",
    "MixedMixture": "lowdim.mixture.mixed",
    "MixtureModel": "lowdim.mixture.finite.estimator",
    "MixtureOfFactorAnalyzers": "lowdim.mixture.factor_analyzers",
    "PCA": "lowdim.linear.pca.estimator",
    "ProbabilisticPCA": "lowdim.linear.ppca",
    "Recommender": "lowdim.completion.recommender",
    "TableEncoder": "lowdim.tables.encoder",
    "TableModel": "lowdim.tables.model",
    "amari_distance": "lowdim.linear.ica",
    "choose_k": "lowdim.selection.clusters",
    "choose_rank": "lowdim.selection.rank",
    "compare": "lowdim.selection.compare.contest",
    "CheckpointError": "lowdim.core.loop",
    "LoadError": "lowdim.core.persistence",
    "config_context": "lowdim.core.config",
    "coreset": "lowdim.cluster.coreset",
    "explore": "lowdim.report.explore.report",
    "get_config": "lowdim.core.config",
    "load": "lowdim.core.persistence",
    "methods": "lowdim.core.registry",
    "CompletionSearch": "lowdim.selection.search",
    "GradientFactorization": "lowdim.completion.gradient",
    "IterativeSVD": "lowdim.completion.iterative_svd",
    "SVP": "lowdim.completion.svp",
    "SVT": "lowdim.completion.svt",
    "SoftImpute": "lowdim.completion.soft_impute",
    "recoverability": "lowdim.completion.recoverability",
    "rotate": "lowdim.linear.rotation",
    "set_config": "lowdim.core.config",
    "silhouette": "lowdim.cluster.quality",
    "stream": "lowdim.tables.streaming",
}
_SUBPACKAGES = ("datasets", "linalg", "tables")

if TYPE_CHECKING:
    from lowdim import datasets as datasets
    from lowdim import linalg as linalg
    from lowdim import tables as tables
    from lowdim.cluster.coreset import coreset as coreset
    from lowdim.cluster.kmeans.estimator import KMeans as KMeans
    from lowdim.cluster.quality import silhouette as silhouette
    from lowdim.completion.als.estimator import ALS as ALS
    from lowdim.completion.entries import Entries as Entries
    from lowdim.completion.gradient import GradientFactorization as GradientFactorization
    from lowdim.completion.iterative_svd import IterativeSVD as IterativeSVD
    from lowdim.completion.recommender import Recommender as Recommender
    from lowdim.completion.recoverability import recoverability as recoverability
    from lowdim.completion.soft_impute import SoftImpute as SoftImpute
    from lowdim.completion.svp import SVP as SVP
    from lowdim.completion.svt import SVT as SVT
    from lowdim.core.config import config_context as config_context
    from lowdim.core.config import get_config as get_config
    from lowdim.core.config import set_config as set_config
    from lowdim.core.loop import CheckpointError as CheckpointError
    from lowdim.core.persistence import LoadError as LoadError
    from lowdim.core.persistence import load as load
    from lowdim.core.registry import methods as methods
    from lowdim.linear.autoencoder import LinearAutoencoder as LinearAutoencoder
    from lowdim.linear.factor_analysis import FactorAnalysis as FactorAnalysis
    from lowdim.linear.ica import FastICA as FastICA
    from lowdim.linear.ica import amari_distance as amari_distance
    from lowdim.linear.pca.estimator import PCA as PCA
    from lowdim.linear.ppca import ProbabilisticPCA as ProbabilisticPCA
    from lowdim.linear.rotation import rotate as rotate
    from lowdim.mixture.factor_analyzers import (
        MixtureOfFactorAnalyzers as MixtureOfFactorAnalyzers,
    )
    from lowdim.mixture.finite.estimator import MixtureModel as MixtureModel
    from lowdim.mixture.gaussian.estimator import GaussianMixture as GaussianMixture
    from lowdim.mixture.mixed import MixedMixture as MixedMixture
    from lowdim.report.explore.report import explore as explore
    from lowdim.selection.clusters import choose_k as choose_k
    from lowdim.selection.compare.contest import compare as compare
    from lowdim.selection.rank import choose_rank as choose_rank
    from lowdim.selection.search import CompletionSearch as CompletionSearch
    from lowdim.tables.encoder import TableEncoder as TableEncoder
    from lowdim.tables.model import TableModel as TableModel
    from lowdim.tables.streaming import stream as stream

__all__ = ["__version__", *_HOME, *_SUBPACKAGES]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name in _SUBPACKAGES:
        return import_module(f"lowdim.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'lowdim' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # from now on found without coming here
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
