"""What holds for every estimator, written once: a class is covered the day it is exported."""

from __future__ import annotations

import traceback
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import estimator_checks as checks

import lowdim
from lowdim.core.loop import Loop
from tests.checks import assert_checks_pass, run_check
from tests.estimators.examples import (
    CLASSES,
    CONFIGURED,
    DEFAULTS,
    GIVE_SHARES,
    METHODS,
    PRICED_IN_UNITS,
    TAKE_TEXT,
    agrees_only_in_the_end,
    assert_same_model,
    case,
    codes_of,
    depends_on_order,
    each_class,
    each_model,
    learned,
    quiet,
    short,
    small,
    table,
)

pytestmark = quiet


# ---- scikit-learn's contract ---------------------------------------------------------------------


@pytest.mark.parametrize("model", DEFAULTS, ids=lambda model: type(model).__name__)
def test_scikit_learn_checks_pass(model):
    assert_checks_pass(model)


CHECKS_OF_THE_CLASS = {  # what X may be, and what a fit leaves behind, whatever the arguments
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_fit_returns_self",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_transformer_data_not_an_array",
}
CHECKS_OF_ANY_ORDER = {"check_sample_weight_equivalence_on_dense_data"}  # it shuffles the rows


@pytest.mark.parametrize("model", CONFIGURED, ids=repr)
def test_scikit_learn_checks_pass_with_other_arguments(model):
    """After few iterations; the checks of the defaults go on until they end."""
    if not agrees_only_in_the_end(model):
        model = short(model, max_iter=5)
    of_any_order = CHECKS_OF_ANY_ORDER if depends_on_order(model) else set()
    assert_checks_pass(model, left_out=CHECKS_OF_THE_CLASS | of_any_order)


FURTHER_CHECKS = [
    checks.check_transformer_get_feature_names_out,
    checks.check_transformer_get_feature_names_out_pandas,
    checks.check_get_feature_names_out_error,
    checks.check_set_output_transform,
    checks.check_dataframe_column_names_consistency,
    checks.check_inplace_ensure_writeable,
    checks.check_param_validation,
]
CHECKS_OF_A_CLASS = [  # its arguments make no difference to what a frame is made of
    checks.check_set_output_transform_pandas,
    checks.check_set_output_transform_polars,
    checks.check_global_output_transform_pandas,
    checks.check_global_set_output_transform_polars,
]


@pytest.mark.parametrize("model", DEFAULTS, ids=lambda model: type(model).__name__)
def test_transform_gives_the_frames_that_set_output_asks_for(model):
    for check in CHECKS_OF_A_CLASS:
        assert_passes(model, check)


@each_model
def test_the_checks_that_check_estimator_leaves_out_pass(model):
    for check in FURTHER_CHECKS:
        assert_passes(model, check)


def assert_passes(model, check):
    needs_transform = "transform" in check.__name__ or "feature_names_out" in check.__name__
    if needs_transform and not hasattr(model, "transform"):
        assert not hasattr(model, "get_feature_names_out")
        return
    with case(check.__name__), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the checks themselves mix names and no names
        run_check(check, type(model).__name__, short(model))


# ---- one result, whatever holds the data ---------------------------------------------------------


@each_class
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_streamed_and_dask_fits_agree_with_the_fit_in_memory(name, missing):
    da = pytest.importorskip("dask.array")
    row = METHODS[name]
    if missing and not row.nan:
        return
    X = table(n=90, missing=missing)
    model = short(small(name), max_iter=10)
    reference = clone(model).fit(X)

    def blocks():
        yield from np.split(X, [3, 20, 21, 50, 77, 89])

    # both sum the same numbers in another order; iterations carry the rounding on
    if row.stream:
        assert_same_model(reference, clone(model).fit(lowdim.stream(blocks)), rtol=1e-7)
    if row.dask:
        chunked = da.from_array(X, chunks=((31, 1, 40, 18), 5))
        assert_same_model(reference, clone(model).fit(chunked), rtol=1e-7)


@each_model
def test_the_number_of_threads_changes_no_bit(model):
    X = table(n=200)
    fits = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads, block_bytes=2048):
            fits.append(short(model).fit(X))
    assert_same_model(*fits)


@each_class
def test_float32_stays_float32_and_agrees_with_float64(name):
    X = table(n=200)
    early = {"max_iter": 15} if name == "TSNE" else {}  # its steps double what rounding has left
    double, single = (small(name, **early).fit(rows) for rows in (X, X.astype(np.float32)))
    if METHODS[name].transform:
        Z, expected = single.transform(X.astype(np.float32)), double.transform(X)
        assert Z.dtype == np.float32
        assert expected.dtype == np.float64
        # float32 has 24 bits; values of size 10 are good to about 1e-6, sums of 200 to 1e-4
        atol = 2e-2 * min(1.0, np.abs(expected).max())
        np.testing.assert_allclose(Z, expected, atol=atol)


# ---- files ---------------------------------------------------------------------------------------


@each_model
def test_a_saved_model_comes_back_bit_by_bit(model, tmp_path):
    X = table()
    model = short(model).fit(X)
    model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    assert type(back) is type(model)
    assert repr(back.get_params()) == repr(model.get_params())
    assert_same_model(model, back)
    for method in ("transform", "predict", "predict_proba", "score_samples", "impute"):
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(model, method)(X), getattr(back, method)(X))


@each_class
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_a_fit_continued_from_its_checkpoint_ends_as_if_uninterrupted(
    name, missing, tmp_path, monkeypatch
):
    if missing and not METHODS[name].nan:
        return
    X = table(n=80, missing=missing)
    whole = small(name).fit(X)
    rounds = min(getattr(whole, "n_iter_", 0), len(getattr(whole, "history_", ())))
    if rounds < 2:
        return  # this fit has no loop to interrupt; of maps, a round is many steps

    recorded = 0
    plain_record = Loop.record

    class Crash(Exception):
        pass

    def crashing_record(self, *args, **kwargs):
        nonlocal recorded
        recorded += type(self._estimator) is CLASSES[name]  # no fit within the fit
        if recorded == 1 + rounds // 2:
            raise Crash
        plain_record(self, *args, **kwargs)

    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with monkeypatch.context() as patch:
            patch.setattr(Loop, "record", crashing_record)
            with pytest.raises(Crash):
                small(name).fit(X)
        assert list(tmp_path.iterdir())
        assert_same_model(whole, small(name).fit(X))
        assert not list(tmp_path.iterdir())


# ---- the door ------------------------------------------------------------------------------------

X = table()
WITH = {
    "all-NaN row": np.vstack([X, np.full(5, np.nan)]),
    "all-NaN column": np.column_stack([X, np.full(60, np.nan)]),
    "inf": np.where(np.arange(300).reshape(60, 5) == 7, np.inf, X),
}
FITTED_OR_REFUSED = {
    "empty": np.empty((0, 5)),
    "no columns": np.empty((60, 0)),
    "one row": X[:1],
    "one column": X[:, :1],
    "constant columns": np.ones_like(X),
    "one constant column": np.column_stack([X, np.ones(60)]),
    "duplicated rows": np.repeat(X[:3], 20, axis=0),
    "strings": np.array([["a", "b"], ["c", "d"]] * 10),
    "numbers as objects": X.astype(object),
    "text in objects": np.array([[1.0, "a"], [2.0, "b"]] * 10, dtype=object),
    "complex": X.astype(complex),
    "1-D": X[0],
    "3-D": X[None],
    "huge": X * 1e150,
    "tiny": X * 1e-150,
    "far from zero": X + 1e8,
    "integers": np.round(X).astype(int),
    "booleans": X > 10,
    "float16": X.astype(np.float16),
    "strided": np.repeat(X, 2, axis=0)[::2, ::-1],
    "Fortran order": np.asfortranarray(X),
    "list of lists": X.tolist(),
    **WITH,
}
MUST_BE_REFUSED = {
    "empty",
    "no columns",
    "strings",
    "text in objects",
    "complex",
    "1-D",
    "3-D",
    "inf",
}
MUST_BE_FITTED = {
    "numbers as objects",
    "huge",
    "tiny",
    "far from zero",
    "integers",
    "booleans",
    "float16",
    "strided",
    "Fortran order",
    "list of lists",
    "duplicated rows",
    "one constant column",
}


@each_class
def test_unusual_input_is_fitted_or_refused_with_a_reason(name):
    for kind, X in FITTED_OR_REFUSED.items():
        with case(kind):
            assert_fitted_or_refused(name, kind, X)


def assert_fitted_or_refused(name, kind, X):
    model = short(small(name), max_iter=20)
    if np.ndim(X) == 2 and min(np.shape(X)) == 1 and "n_components" in model.get_params():
        model.set_params(n_components=1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(X)
            results = [
                getattr(model, method)(X)
                for method in ("transform", "predict", "score_samples", "impute")
                if hasattr(model, method)
            ]
    except (ValueError, TypeError) as error:
        assert kind not in MUST_BE_FITTED, f"{kind}: {error}"
        raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
        assert "lowdim" in raised_in or "sklearn" in raised_in, f"from {raised_in}: {error}"
        assert len(str(error)) > 20
    else:
        assert kind not in MUST_BE_REFUSED
        for result in results:
            assert np.isfinite(result).all()
        for key, value in learned(model).items():
            assert np.isfinite(value).all(), key


NO_ROWS = {
    "a file's name": ("data.csv", "X is a text"),
    "a dict": ({"a": 1, "b": 2}, "X is a dict"),
    "a set": ({1.0, 2.0}, "X is a set"),
    "a generator": ((row for row in X), "X is a generator"),
}


@each_class
def test_what_is_no_rows_is_refused_with_what_to_give(name):
    if name == "MixedMixture":
        return  # it takes tables, and the names of files with one
    for kind, (given, message) in NO_ROWS.items():
        if name in TAKE_TEXT and kind == "a file's name":
            continue
        with case(kind), pytest.raises(TypeError, match=message):
            small(name).fit(given)


@each_class
@pytest.mark.parametrize("factor", [1e150, 1e-150])
def test_scale_does_not_matter(name, factor):
    model = small(name)
    if not METHODS[name].inverse_transform:
        return
    X = table()
    plain = clone(model).fit(X)
    if name in PRICED_IN_UNITS:
        model.set_params(alpha=model.alpha * factor)
    scaled = clone(model).fit(X * factor)
    unit = 1.0 if name in GIVE_SHARES else factor
    expected = plain.inverse_transform(codes_of(plain, X))
    np.testing.assert_allclose(
        scaled.inverse_transform(codes_of(scaled, X * factor)) / unit,
        expected,
        rtol=1e-6,
        atol=1e-14 * np.abs(expected).max(),  # a sum that is 0 is 0 up to rounding
    )


@each_class
def test_missing_values_are_learned_from_or_refused_by_name(name):
    pd = pytest.importorskip("pandas")
    incomplete = pd.DataFrame(table(missing=0.2), columns=["age", "b", "c", "d", "e"])
    if METHODS[name].nan:
        model = small(name).fit(incomplete)
        if METHODS[name].transform:
            assert np.isfinite(model.transform(incomplete)).all()
    else:
        with pytest.raises(ValueError, match=r"NaN in 5 of 5 columns \(first: 'age'\)"):
            small(name).fit(incomplete)


# ---- the capability table ------------------------------------------------------------------------


@each_class
def test_every_claim_of_the_method_table_is_true(name):
    row, X = METHODS[name], table()
    model = small(name).fit(X)
    assert row.family in CLASSES[name].__module__

    def works(call):
        try:
            call()
        except (TypeError, ValueError, AttributeError):
            return False
        return True

    assert row.nan == works(lambda: small(name).fit(table(missing=0.1)))
    assert row.sparse == works(lambda: small(name).fit(sp.csr_array(X)))
    assert row.weights == works(lambda: small(name).fit(X, sample_weight=np.ones(60)))
    assert row.stream == works(lambda: small(name).fit(lowdim.stream(lambda: iter([X]))))
    assert row.partial_fit == works(lambda: small(name).partial_fit(X))
    assert row.transform == works(lambda: model.transform(X))
    assert row.inverse_transform == works(lambda: model.inverse_transform(codes_of(model, X)))
    assert row.impute == works(lambda: model.impute(X))
    assert row.predict == works(lambda: model.predict(X))
    assert row.score == works(lambda: model.score(X))
    assert row.sample == works(lambda: model.sample(3))
