"""Models and data for what holds for every estimator: a class is covered the day it is exported."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from sklearn.base import clone

import lowdim
from lowdim.registry import public_estimators

# Arguments that make a class interesting to check beside its defaults
CONFIGURATIONS: dict[str, list[dict]] = {
    "ALS": [
        {"center": "columns", "scale": "columns", "weighted_penalty": False},
        {"non_negative": True},
        {"solver": "cg"},
        {"feedback": "implicit", "max_iter": 10},
    ],
    "Autoencoder": [{"network": "conv", "hidden": (8,), "corruption": 0.2, "max_iter": 2}],
    "CausalTransformer": [
        {
            "n_layers": 1,
            "n_heads": 2,
            "width": 8,
            "levels": 4,
            "positions": "sinusoidal",
            "order": "random",
            "max_iter": 2,
        }
    ],
    "ClassicalMDS": [{"metric": "manhattan", "additive_constant": True}],
    "CompressiveSensing": [
        {"n_components": 1, "solver": "homotopy"},
        {"measurement": "bernoulli", "basis": "haar"},
    ],
    "DictionaryLearning": [
        {"n_components": 3, "fit_algorithm": "omp", "max_iter": 20},
        {
            "n_components": 7,
            "fit_algorithm": "cd",
            "positive_code": True,
            "positive_dict": True,
            "transform_algorithm": "lasso_cd",
            "max_iter": 20,
        },
    ],
    "FactorAnalysis": [
        {"n_components": 1, "rotation": "varimax", "tol": 1e-8},
        {"n_components": 1, "solver": "em", "max_iter": 50},
    ],
    "FastICA": [
        *({"algorithm": algorithm} for algorithm in ("parallel", "picard")),
        {"algorithm": "gradient", "max_iter": 40},
        {"algorithm": "deflation", "tol": 1e-10},  # what differs in rounding agrees to the tol
        {"whiten": "arbitrary-variance", "fun": "exp"},
        {"whiten": False, "fun": "cube"},
    ],
    "GaussianMixture": [
        {"n_components": 2},
        *(
            {"n_components": 2, "covariance_type": name}
            for name in ("tied", "diag", "spherical", "unit")
        ),
    ],
    "KSVD": [
        {"n_components": 3, "update": "exact", "dict_init": "data"},
        {"n_components": 8, "max_error": 0.1, "dict_init": "dct", "max_iter": 5},
    ],
    "LatentDirichletAllocation": [
        {"learning_method": "online", "doc_topic_prior": "auto", "topic_word_prior": "auto"},
        {"n_components": 2, "learning_method": "map"},
    ],
    "LinearAutoencoder": [{"solver": "gd"}, {"solver": "sgd"}, {"tied": True, "solver": "gd"}],
    "LSA": [{"weighting": "log-entropy"}, {"weighting": None}],
    "MDS": [
        {"transformation": "spline", "metric": "manhattan"},
        {"metric_mds": False, "ties": "primary", "init": "random"},
        {"n_pairs": 10},
    ],
    "MixedMixture": [{"n_components": 3, "n_init": 2}],
    "MixtureModel": [
        {"components": "poisson"},
        {"components": "multinomial"},
        {"n_components": 4, "smoothing": 1.0, "n_init": 2},
    ],
    "MixtureOfFactorAnalyzers": [
        {"shared_noise": False, "max_iter": 8},
        {"isotropic": True, "max_iter": 8},
        {"shared_noise": False, "isotropic": True, "max_iter": 8},
    ],
    "MiniBatchDictionaryLearning": [
        {"n_components": 7, "batch_size": 100, "max_iter": 5},
        {"n_components": 3, "fit_algorithm": "omp", "shuffle": False, "max_iter": 5},
    ],
    "MiniBatchNMF": [
        {"n_components": 2, "batch_size": 40, "max_iter": 10},
        {"n_components": 2, "beta_loss": "kullback-leibler", "max_iter": 5},
        {"n_components": 2, "beta_loss": 1.5, "max_iter": 5, "fresh_restarts": True},
    ],
    "NMF": [
        {"n_components": 2, "init": "random", "shuffle": True},
        {"n_components": 2, "solver": "bpp"},
        {"n_components": 2, "solver": "als", "max_iter": 20},
        {"n_components": 2, "solver": "mu", "beta_loss": "kullback-leibler", "max_iter": 10},
        {"n_components": 2, "solver": "mu", "beta_loss": 1.5, "max_iter": 10},
    ],
    "OnlineRegression": [
        {"history_every": 7, "alpha": 0.1},
        {"fit_intercept": False},
        {"solver": "sgd", "max_iter": 3, "average": True, "gain": "constant"},
        {"solver": "nlms", "max_iter": 3, "tol": 0.1, "shuffle": False},
        {"solver": "adagrad", "max_steps": 50, "history_every": 9},
    ],
    "PLSA": [{"n_components": 2, "temperature": 1.3}],
    "PCA": [
        *(
            {"svd_solver": solver}
            for solver in (
                "full",
                "covariance_eigh",
                "gram",
                "randomized",
                "krylov",
                "power",
                "em",
            )
        ),
        {"svd_solver": "oja", "max_iter": 20},
        {"svd_solver": "arpack", "n_components": 1},
        {"n_components": 1, "whiten": True},
        {"n_components": 0.9},
    ],
    "PMIVectors": [
        {"vector_size": 2, "negative": 2, "positive": False, "eigenvalue_weight": 0.0},
        {"vector_size": 3, "context_smoothing": 1.0, "combine": "sum"},
    ],
    "ProbabilisticPCA": [{"n_components": 1}],
    "IterativeSVD": [{"n_components": 2, "center": None, "max_iter": 50}],
    "GloVe": [
        {"solver": "sgd", "learning_rate": 0.01, "bias": False, "vector_size": 2},
        {"solver": "als", "vector_size": 2, "penalty": 0.1},
        {"solver": "gd", "vector_size": 2},
    ],
    "GradientFactorization": [{"solver": "sgd", "max_iter": 30}],
    "Sammon": [
        {"solver": "gradient", "max_iter": 30},
        {"metric": "manhattan", "init": "random", "max_iter": 15},
    ],
    "SVT": [{"tau": 5.0, "center": "rows"}],
    "SVP": [{"n_components": 2, "step": 1.0, "center": "both"}],
    "SkipGram": [
        {"loss": "negative", "vector_size": 2},
        {"loss": "nce", "vector_size": 2, "penalty": 1e-3},
        {"bias": False, "vector_size": 2},
    ],
    "SoftImpute": [
        {"penalty": 0.3, "solver": "svd", "center": "both"},
        {"scale": "rows"},
        {"scale": "columns", "warm_start": True},
    ],
    "SNE": [
        {"init": "random", "noise": 0.1, "momentum": 0.5, "learning_rate": 0.2, "max_iter": 60},
    ],
    "SparseCoder": [{"transform_algorithm": "iht", "split_sign": True}],
    "SymmetricSNE": [
        {"joint": "global", "neighbors": "exact", "perplexity": 5.0, "max_iter": 30},
    ],
    "UMAP": [
        {"n_components": 3, "init": "pca", "min_dist": 0.0, "n_epochs": 100},
        {"densmap": True, "unique": True, "n_epochs": 60, "set_op_mix_ratio": 0.5},
    ],
    "TSNE": [
        {"perplexity": 2, "method": "fft", "max_iter": 30, "dof": 0.5},
        {"perplexity": 2, "method": "barnes_hut", "n_components": 1, "max_iter": 30},
        {"perplexity": [2, 3], "method": "exact", "max_iter": 30, "early_compression": 0.1},
        {"perplexity": 2, "landmarks": 8, "anneal_perplexity": 4, "max_iter": 30},
    ],
    "DLGM": [
        {"n_components": (2, 1), "posterior": "rank1", "hidden": (8,), "max_iter": 2},
        {"n_components": 2, "posterior": "full", "noise": "row", "hidden": (), "max_iter": 2},
    ],
    "Diffusion": [
        {"network": "unet", "hidden": (2, 4), "prediction": "noise", "n_steps": 2, "max_iter": 2}
    ],
    "GAN": [
        {"loss": "wasserstein", "optimizer": "optimistic_adam", "hidden": (8,), "max_iter": 2},
        {"network": "conv", "update": "simultaneous", "n_critic": 2, "hidden": (8,), "max_iter": 2},
    ],
    "NormalizingFlow": [
        {"n_layers": 3, "hidden": (), "average": 0.9, "precision": "double", "max_iter": 2},
    ],
    "PixelCNN": [
        {"gated": False, "channels": 4, "n_layers": 2, "kernel_size": 3, "levels": 4, "max_iter": 2}
    ],
    "VAE": [
        {"posterior": "full", "noise": "row", "n_importance": 2, "hidden": (8,), "max_iter": 2},
        {"prior": "mixture", "n_clusters": 2, "noise": "shared", "hidden": (), "max_iter": 2},
    ],
    "TruncatedSVD": [{"algorithm": "krylov"}, {"algorithm": "arpack", "n_components": 1}],
}


def depends_on_order(model):
    """Whether a model learns row by row: a row elsewhere again is then no row of weight 2."""
    return type(model).__name__ == "OnlineRegression" and model.solver != "rls"


def agrees_only_in_the_end(model):
    """Whether rounding decides which direction is searched for first: then the order is another."""
    return getattr(model, "algorithm", None) == "deflation"


# Classes whose codes are shares of topics: what they stand for are shares, too, not units of X
GIVE_SHARES = {"PLSA"}

# Classes with a price alpha in units of X: in others, it is another number
PRICED_IN_UNITS = {"DictionaryLearning", "MiniBatchDictionaryLearning"}

# Classes that take text beside matrices: the name of a file is one with words
TAKE_TEXT = {"CausalTransformer", "GloVe", "PMIVectors", "SkipGram"}

# as scikit-learn does in its own checks, some of which have ten rows, too few for a perplexity of
# 30; and what holds for every estimator holds after few iterations
FOR_FEW_ROWS = {
    "Autoencoder": {"hidden": (32,), "max_iter": 3},
    "CNNClassifier": {
        "channels": (8,),
        "hidden_layer_sizes": (16,),
        "learning_rate": 0.03,
        "max_iter": 10,
    },
    "CNNRegressor": {
        "channels": (8,),
        "hidden_layer_sizes": (16,),
        "learning_rate": 0.03,
        "max_iter": 10,
    },
    "CausalTransformer": {"n_layers": 1, "n_heads": 2, "width": 8, "max_iter": 2},
    "DLGM": {"hidden": (16,), "max_iter": 2},
    "DictionaryLearning": {"max_iter": 8},
    "Diffusion": {"n_steps": 5, "hidden": (16,), "max_iter": 2},
    "GAN": {"hidden": (16,), "max_iter": 2},
    "GloVe": {"vector_size": 10, "max_iter": 10},
    "MiniBatchNMF": {"max_iter": 8},
    "MixtureOfFactorAnalyzers": {"max_iter": 10},
    "NormalizingFlow": {"n_layers": 2, "hidden": (16,), "max_iter": 2},
    "MLPClassifier": {"hidden_layer_sizes": (20,), "learning_rate_init": 0.01, "max_iter": 20},
    "MLPRegressor": {"hidden_layer_sizes": (20,), "learning_rate_init": 0.01, "max_iter": 20},
    "PLSA": {"max_iter": 15},
    "PixelCNN": {"channels": 8, "n_layers": 2, "kernel_size": 3, "max_iter": 2},
    "SNE": {"max_iter": 40},
    "SVT": {"max_iter": 20},
    "SkipGram": {"max_iter": 8},
    "SymmetricSNE": {"max_iter": 40},
    "TSNE": {"perplexity": 5, "max_iter": 30},
    "VAE": {"hidden": (32,), "max_iter": 2},
}

CLASSES = public_estimators()
DEFAULTS = [cls(**FOR_FEW_ROWS.get(name, {})) for name, cls in CLASSES.items()]
CONFIGURED = [
    cls(**arguments) for name, cls in CLASSES.items() for arguments in CONFIGURATIONS.get(name, [])
]
METHODS = {row.name: row for row in lowdim.methods()}

MODELS = {repr(model): model for model in DEFAULTS + CONFIGURED}  # a repr takes a millisecond

each_class = pytest.mark.parametrize("name", CLASSES)
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())

# `pytestmark = quiet` in each file: small data need not converge
quiet = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:n_components=.* is ignored with whiten=False:UserWarning"),
    pytest.mark.filterwarnings("ignore:perplexity=.* must be less than the .* other rows"),
    pytest.mark.filterwarnings("ignore:X has no observed value in .* of its .* rows:UserWarning"),
    pytest.mark.filterwarnings("ignore:n_neighbors=.* is more than the .* rows of X:UserWarning"),
    pytest.mark.filterwarnings("ignore::lowdim.linear.factor_analysis.HeywoodWarning"),
    pytest.mark.filterwarnings("ignore::lowdim.mixture.collapse.CollapsedComponentWarning"),
]


def table(n=60, d=5, missing=0.0, seed=0, dtype=np.float64):
    """Rows near a plane, with clusters, positive, optionally with missing values."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2)) @ random.normal(size=(2, d)) + 0.3 * random.normal(size=(n, d))
    X += 4.0 * random.integers(0, 2, size=(n, 1)) + 10.0
    if missing:
        X[random.random(X.shape) < missing] = np.nan
    return X.astype(dtype)


def small(name, **arguments):
    """A model of the class that can be fitted to `table()`, seeded where it has a seed."""
    model = CLASSES[name](**FOR_FEW_ROWS.get(name, {}) | arguments)
    settings = {"random_state": 0, "n_components": 2, "n_clusters": 2}
    known = model.get_params()
    return model.set_params(**{k: v for k, v in settings.items() if k in known})


def codes_of(model, X):
    """Codes of rows; noise for a model that only makes rows of it."""
    if hasattr(model, "transform"):
        return model.transform(X)
    return np.random.default_rng(0).normal(size=(len(X), model.n_components_))


def short(model, max_iter=4):
    """A seeded copy that ends soon, for what does not depend on where its iterations arrive."""
    model = clone(model)
    known = model.get_params()
    settings = {"random_state": 0}
    if not known.get("warm_start"):  # its next fit goes on where this one stopped
        few = min(max_iter, known.get("max_iter") or max_iter)  # who asks for fewer has fewer
        settings |= {"max_iter": few, "n_epochs": 5 * max_iter}
    return model.set_params(**{k: v for k, v in settings.items() if k in known})


@contextlib.contextmanager
def case(name):
    """One case of a test that goes through many: what fails in it says which one it was."""
    try:
        yield
    except pytest.fail.Exception as error:  # nothing was raised; pytest shows no notes of it
        error.msg = f"{error.msg}, in the case {name!r}"
        raise
    except Exception as error:
        error.add_note(f"in the case {name!r}")
        raise


def learned(model):
    """The learned attributes that are numbers or arrays of numbers."""
    values = {k: v for k, v in vars(model).items() if k.endswith("_") and not k.startswith("_")}
    return {
        key: np.asarray(value)
        for key, value in values.items()
        if isinstance(value, int | float | np.ndarray) and np.asarray(value).dtype.kind in "biuf"
    }


def assert_same_model(left, right, rtol=0.0):
    """Equal learned attributes: bit by bit, or to a relative tolerance of each array's size."""
    first, second = learned(left), learned(right)
    assert first.keys() == second.keys()
    for key, value in first.items():
        if rtol == 0.0:
            np.testing.assert_array_equal(value, second[key], err_msg=key)
        elif key not in ("n_iter_", "history_"):
            scale = np.abs(value).max(initial=0.0)
            np.testing.assert_allclose(
                second[key], value, rtol=0, atol=rtol * max(scale, 1e-300), err_msg=key
            )
