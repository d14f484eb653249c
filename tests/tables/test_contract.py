"""scikit-learn's contract, for TableEncoder and TableModel."""

import inspect
import pickle
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import estimator_checks as checks
from sklearn.utils import get_tags

import lowdim
from lowdim import TableEncoder, TableModel
from lowdim.registry import public_estimators
from lowdim.tables.errors import TableWarning
from tests.checks import assert_checks_pass
from tests.estimators.examples import small

ENCODERS = [
    TableEncoder(),
    TableEncoder(scale=False),
    TableEncoder(missing="mean"),
    TableEncoder(drop_level=True, log=False, dates="days"),
    TableEncoder(max_levels=3, dates=False, unknown="error"),
]
MODELS = [
    TableModel(lowdim.PCA(1)),
    TableModel(lowdim.ProbabilisticPCA(1), encoder=TableEncoder(missing="mean")),
    TableModel(lowdim.KMeans(2, random_state=0), encoder=TableEncoder(scale=False)),
    TableModel(lowdim.MixtureModel(n_components=2, random_state=0)),
    TableModel(make_pipeline(lowdim.PCA(1), lowdim.KMeans(2, random_state=0))),
]

# All that check_estimator leaves out but check_dataframe_column_names_consistency: here columns are
# found by name, in any order, and those that are lacking count as missing.
FURTHER_CHECKS = [
    checks.check_transformer_get_feature_names_out,
    checks.check_transformer_get_feature_names_out_pandas,
    checks.check_get_feature_names_out_error,
    checks.check_set_output_transform,
    checks.check_set_output_transform_pandas,
    checks.check_set_output_transform_polars,
    checks.check_global_output_transform_pandas,
    checks.check_global_set_output_transform_polars,
    checks.check_inplace_ensure_writeable,
    checks.check_param_validation,
]
CLASSES = {
    name: cls
    for name, cls in public_estimators().items()
    if not get_tags(cls()).target_tags.required  # a table has no y
}
METHODS = {row.name: row for row in lowdim.methods()}
ASKED = ["transform", "predict", "predict_proba", "score_samples", "score"]
OPTIONAL = [
    *ASKED,
    *("inverse_transform", "impute", "sample", "get_feature_names_out"),
]
ALIKE = {"fit_transform": "transform", "set_output": "transform", "filler": "impute"}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def visitors(missing=0.06, n=90):
    """A pandas frame with columns of many kinds, three groups of rows."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "mass": 50.0 + 10 * kind + rng.normal(size=n),
            "visits": pd.array(rng.poisson(3 + 2 * kind), dtype="Int64"),
            "color": np.array(["red", "green", "blue"])[kind],
            "member": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "income": np.exp(2 * rng.normal(size=n)),
        },
        index=[f"row {i}" for i in range(n)],
    )
    for name in frame if missing else ():
        frame.loc[rng.random(n) < missing, name] = None
    return frame


def table_model(name):
    if get_tags(small(name)).input_tags.positive_only:
        return TableModel(small(name))
    return TableModel(small(name), encoder=TableEncoder(drop_level=True))


# ---- scikit-learn's checks -----------------------------------------------------------------------


@pytest.mark.parametrize("model", ENCODERS + MODELS, ids=repr)
def test_scikit_learn_checks_pass(model):
    assert_checks_pass(model)


@pytest.mark.parametrize("check", FURTHER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("model", ENCODERS + MODELS, ids=repr)
def test_the_checks_that_check_estimator_leaves_out_pass(model, check):
    needs_transform = "transform" in check.__name__ or "feature_names_out" in check.__name__
    if needs_transform and not hasattr(model, "transform"):
        assert not hasattr(model, "get_feature_names_out")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the checks themselves mix names and no names
        check(type(model).__name__, clone(model))


@pytest.mark.parametrize("model", [TableEncoder(), TableModel(lowdim.PCA(2))], ids=repr)
def test_columns_are_found_by_name_in_any_order(model):
    frame = visitors()
    fitted = clone(model).fit(frame)
    turned = frame[frame.columns[::-1]].assign(more=1)
    assert_array_equal(fitted.transform(turned), fitted.transform(frame))
    with pytest.warns(TableWarning, match="lacks 'mass'; it counts as missing"):
        fitted.transform(frame.drop(columns="mass"))
    with pytest.raises(ValueError, match="has none of the columns"):
        fitted.transform(frame.add_prefix("other "))


# ---- the encoder ---------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_gives_named_columns(library):
    frame = visitors()
    plain = TableEncoder().fit(frame)
    encoder = TableEncoder().set_output(transform=library)
    for Z in (encoder.fit_transform(frame), encoder.transform(frame)):
        assert isinstance(Z, pd.DataFrame if library == "pandas" else pl.DataFrame)
        assert list(Z.columns) == plain.get_feature_names_out().tolist()
        assert_array_equal(Z.to_numpy(), plain.transform(frame))
        if library == "pandas":
            assert Z.index.equals(frame.index)
    assert clone(encoder).fit_transform(frame).columns[0] == "mass"
    words = pl.from_pandas(frame)
    assert_array_equal(encoder.fit_transform(words).to_numpy(), plain.transform(frame))


def test_the_encoder_is_a_step_of_a_pipeline():
    frame = visitors()
    groups = make_pipeline(TableEncoder(log=False), lowdim.GaussianMixture(3, random_state=0))
    known = frame["color"].notna()
    assert adjusted_rand_score(frame["color"][known], groups.fit_predict(frame)[known]) > 0.9
    search = GridSearchCV(
        Pipeline([("numbers", TableEncoder()), ("model", lowdim.ProbabilisticPCA(1))]),
        {"numbers__dates": ["auto", False], "model__n_components": [1, 2]},
        cv=3,
    ).fit(frame)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


# ---- the model -----------------------------------------------------------------------------------


def test_parameters_reach_encoder_and_model():
    encoder = TableEncoder(max_levels=7)
    model = TableModel(lowdim.PCA(2), encoder=encoder)
    parameters = model.get_params()
    assert parameters["estimator__n_components"] == 2
    assert parameters["encoder__max_levels"] == 7
    assert model.set_params(estimator__n_components=1, encoder__log=False) is model
    assert (model.estimator.n_components, encoder.log) == (1, False)
    fitted = model.fit(visitors())
    again = clone(fitted)
    assert not hasattr(again, "estimator_") and not hasattr(again, "encoder_")
    assert repr(again.get_params()) == repr(model.get_params())
    assert again.estimator is not model.estimator
    # what the user gave stays as it was
    assert not hasattr(model.estimator, "components_") and not hasattr(encoder, "n_features_in_")
    assert fitted.estimator_.n_components == 1
    assert list(fitted.feature_names_in_) == list(visitors())


def test_a_model_is_a_step_of_a_pipeline():
    frame = visitors()
    steps = [("codes", TableModel(lowdim.ProbabilisticPCA(2))), ("groups", lowdim.KMeans(3))]
    pipeline = Pipeline(steps).set_params(groups__random_state=0)
    labels = pipeline.fit_predict(frame)
    codes = pipeline["codes"].transform(frame)
    assert isinstance(codes, pd.DataFrame) and codes.index.equals(frame.index)
    assert_array_equal(labels, lowdim.KMeans(3, random_state=0).fit_predict(codes))
    named = Pipeline(steps[:1]).set_output(transform="polars").fit(frame)
    assert isinstance(named.transform(frame), pl.DataFrame)
    assert named.get_feature_names_out().tolist() == list(codes.columns)


@pytest.mark.parametrize(
    "grid",
    [
        {"estimator__n_components": [1, 2]},
        {"encoder__max_levels": [2, 5], "estimator__n_components": [1]},
        {"encoder__log": ["auto", False], "estimator__n_components": [1, 2]},
    ],
    ids=lambda grid: " ".join(grid),
)
def test_searches_go_through_encoder_and_model(grid):
    frame = visitors()
    model = TableModel(lowdim.ProbabilisticPCA(1), encoder=TableEncoder())
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(frame)
    assert set(search.best_params_) == set(grid)
    best = search.best_estimator_
    for name, value in search.best_params_.items():
        assert best.get_params()[name] == value
    assert best.score(frame) == pytest.approx(search.score(frame))
    if "encoder__max_levels" in grid:  # three colors are too many
        assert clone(model).set_params(encoder__max_levels=2).fit(frame).columns_["color"].kind == (
            "text"
        )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_chooses_the_library_of_codes(library):
    frame, kind = visitors(), {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    model = TableModel(lowdim.PCA(2)).set_output(transform=library)
    for X in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        codes = clone(model).fit_transform(X)
        assert isinstance(codes, kind)
        assert list(codes.columns) == ["pca0", "pca1"]
    matrix = np.random.default_rng(0).normal(size=(20, 3))
    assert isinstance(model.fit_transform(matrix), kind)
    model.set_output(transform="default")
    assert isinstance(model.fit_transform(matrix), np.ndarray)
    assert isinstance(model.fit(frame).transform(pl.from_pandas(frame)), pl.DataFrame)
    with pytest.raises(ValueError, match="transform='excel' is not known"):
        model.set_output(transform="excel")


# ---- pickles and files ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", [TableEncoder(), TableModel(lowdim.PCA(2))], ids=repr)
def test_pickle_and_joblib_give_the_model_back(model, tmp_path):
    frame = visitors()
    fitted = clone(model).fit(frame)
    joblib.dump(fitted, tmp_path / "model.joblib")
    for back in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model.joblib")):
        Z = back.transform(frame)
        assert_array_equal(Z, fitted.transform(frame))
        pd.testing.assert_frame_equal(back.inverse_transform(Z), fitted.inverse_transform(Z))
    new = pickle.loads(pickle.dumps(clone(model)))
    assert repr(new) == repr(model)


FRESH = """
import sys
from importlib.machinery import PathFinder

found = PathFinder.find_spec  # scikit-learn imports pandas where it is installed: here it is not
PathFinder.find_spec = lambda name, *more: None if name == "pandas" else found(name, *more)

import numpy as np
import pyarrow.parquet as pq
import lowdim

model = lowdim.load(sys.argv[1])
table = pq.read_table(sys.argv[2])
codes, filled = model.transform(table), model.impute(table)
assert filled.schema.names == table.schema.names, filled.schema
np.save(sys.argv[3], np.column_stack([codes[name].to_numpy() for name in codes.column_names]))
print(sum(column.null_count for column in filled.columns), "pandas" in sys.modules)
"""


def test_a_file_of_a_model_of_pandas_frames_needs_no_pandas(tmp_path):
    frame = visitors()
    model = TableModel(lowdim.ProbabilisticPCA(2)).fit(frame)
    model.save(tmp_path / "model.lowdim")
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "table.parquet")
    paths = [str(tmp_path / name) for name in ("model.lowdim", "table.parquet", "codes.npy")]
    found = subprocess.run(
        [sys.executable, "-c", FRESH, *paths], capture_output=True, text=True, timeout=120
    )
    assert found.stdout.split() == ["0", "False"], found.stderr
    assert_allclose(np.load(paths[2]), model.transform(frame), rtol=1e-9, atol=1e-12)


# ---- every estimator -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::lowdim.linear.factor_analysis.HeywoodWarning")
@pytest.mark.filterwarnings("ignore::lowdim.mixture.collapse.CollapsedComponentWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_every_estimator_is_a_model_of_tables(name, tmp_path):
    frame = visitors(0.06 if METHODS[name].nan else 0.0)
    model = table_model(name).fit(frame)
    model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    for method in ASKED:
        if hasattr(model, method):
            said = getattr(model, method)(frame)
            assert np.isfinite(np.asarray(said, dtype=float)).all(), method
            assert_array_equal(getattr(back, method)(frame), said)
    if hasattr(model, "transform"):
        codes = model.transform(frame)
        assert codes.index.equals(frame.index)
        assert list(codes.columns) == model.get_feature_names_out().tolist()
    if hasattr(model, "inverse_transform"):
        if not hasattr(model, "transform"):  # it makes rows of noise
            k = model.estimator_.n_components_
            codes = np.random.default_rng(0).normal(size=(len(frame), k))
        decoded = model.inverse_transform(codes)
        assert list(decoded.dtypes) == list(frame.dtypes)
        pd.testing.assert_frame_equal(back.inverse_transform(codes), decoded)
    if hasattr(model, "impute"):
        assert_filled(model, back, frame)
    if hasattr(model, "sample"):
        drawn = model.sample(20, random_state=0)
        assert list(drawn.dtypes) == list(frame.dtypes)
        assert set(drawn["color"]) <= {"red", "green", "blue"}
        pd.testing.assert_frame_equal(back.sample(20, random_state=0), drawn)


def assert_filled(model, back, frame):
    """What was there stays, what was missing is filled with what can be."""
    filled = model.impute(frame)
    assert not filled.isna().any().any()
    assert list(filled.dtypes) == list(frame.dtypes)
    assert filled.index.equals(frame.index)
    there = frame.notna()
    for name in frame:
        assert (filled[name][there[name]] == frame[name][there[name]]).all()
        if name not in ("color", "member"):
            assert filled[name].between(frame[name].min(), frame[name].max()).all()
    pd.testing.assert_frame_equal(back.impute(frame), filled)
    if "return_std" in inspect.signature(model.estimator.impute).parameters:
        _, std, levels = model.impute(frame, return_std=True, return_levels=True)
        assert ((std.to_numpy() > 0) <= ~there.to_numpy()).all()
        assert (std.to_numpy() >= 0).all()
        assert_allclose(levels["color"].sum(axis=1), 1.0)
        assert list(levels["color"].columns) == ["blue", "green", "red"]


# ---- absent methods ------------------------------------------------------------------------------


class Nothing(BaseEstimator):
    """Learns, and has nothing to say."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self


@pytest.mark.parametrize("name", [*CLASSES, "Nothing"])
def test_methods_are_there_where_the_estimator_has_them(name):
    estimator = Nothing() if name == "Nothing" else small(name)
    model = TableModel(estimator)
    for method in [*OPTIONAL, *ALIKE]:
        if hasattr(estimator, ALIKE.get(method, method)):
            assert callable(getattr(model, method))
        else:
            with pytest.raises(AttributeError, match=method):
                getattr(model, method)


@pytest.mark.parametrize("method", ["transform", "predict", "score", "impute", "sample"])
def test_a_model_that_is_not_fitted_says_so(method):
    model = TableModel(lowdim.KMeans(2) if method == "predict" else lowdim.ProbabilisticPCA(2))
    with pytest.raises(NotFittedError, match="TableModel instance is not fitted"):
        getattr(model, method)() if method == "sample" else getattr(model, method)(visitors())


def test_the_pipeline_inside_a_model_says_what_it_has():
    inner = make_pipeline(lowdim.PCA(2), lowdim.KMeans(2))
    assert hasattr(TableModel(inner), "predict")
    assert not hasattr(TableModel(inner), "impute")
    assert not hasattr(TableModel(inner), "sample")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": 3}, "The 'estimator' parameter of TableModel must be"),
        ({"estimator": lowdim.PCA(1), "encoder": "auto"}, "The 'encoder' parameter of TableModel"),
    ],
)
def test_what_is_no_model_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        TableModel(**arguments).fit(visitors())
