"""Units of X do not matter: from 1e-150 to 1e150 a fit learns the same, in other units."""

from __future__ import annotations

import numpy as np
import pytest

from tests.estimators.examples import (
    CONFIGURED,
    DEFAULTS,
    GIVE_SHARES,
    METHODS,
    PRICED_IN_UNITS,
    codes_of,
    quiet,
    short,
    table,
)
from tests.estimators.test_empty_rows import seeded

pytestmark = quiet

# A product with 1e30 rounds every entry by 1e-16 of it, and iterations that stop at their tolerance
# carry that on: 1e-6. Powers of two round nothing, in float32 (7 digits) neither; there, what is in
# float64 inside is not rounded the same way: 1e-4.
SCALES = {
    np.float64: ((1e30, 1e150, 1e-150), 1e-6),
    np.float32: ((2.0**50, 2.0**-100), 1e-4),  # 1e15, 1e-30
}
FARTHEST = {np.float64: (1e200, 1e-200), np.float32: (1e30, 1e-30)}
SCORES = ("score", "score_samples", "score_entries")
IN_UNITS_OF_X = ("inverse_transform", "impute")
WITHOUT_UNITS = ("predict", "predict_proba")

each_dtype = pytest.mark.parametrize("dtype", SCALES, ids=lambda dtype: dtype.__name__)


def has_units(model):
    """Whether an argument of the model is in units of X: then results depend on them."""
    return (
        getattr(model, "feedback", None) == "implicit"  # values say how often
        or getattr(model, "components", None) in ("poisson", "multinomial")  # counts
        or type(model).__name__ == "LatentDirichletAllocation"  # counts
        or type(model).__name__ == "GloVe"  # x_max is a count
        or (type(model).__name__ == "OnlineRegression" and model.alpha > 0)  # squares of X
        or getattr(model, "covariance_type", None) == "unit"  # of variance 1
        or type(model).__name__ in ("MLPClassifier", "MLPRegressor")  # W x: weights start,
        # and steps go, by lengths that know no units of x, as in scikit-learn's
        or getattr(model, "weighting", None) == "log-entropy"  # log(1 + count)
        or (type(model).__name__, getattr(model, "whiten", True))
        == ("FastICA", False)  # variance 1
    )


def cases():
    """Every model, with missing values where it takes them; those with defaults without, too."""
    for model in DEFAULTS + CONFIGURED:
        if has_units(model):
            continue
        takes_missing = (
            METHODS[type(model).__name__].nan and model.__sklearn_tags__().input_tags.allow_nan
        )
        if takes_missing:
            yield pytest.param(model, 0.15, id=f"{model!r}-missing")
        if model in DEFAULTS or not takes_missing:
            yield pytest.param(model, 0.0, id=f"{model!r}-complete")


each_case = pytest.mark.parametrize(("model", "missing"), list(cases()))


def results(model, X):
    """What the model says of rows."""
    found = {
        method: getattr(model, method)(X)
        for method in ("impute", *WITHOUT_UNITS)
        if hasattr(model, method)
    }
    if METHODS[type(model).__name__].inverse_transform:
        found["inverse_transform"] = model.inverse_transform(codes_of(model, X))
    return found


def assert_proportional(Z, other, rtol):
    """Each column of the one is a multiple of that of the other: codes may have units, or none."""
    for z, y in zip(Z.T.astype(float), other.T.astype(float), strict=True):
        unit, other_unit = np.abs(z).max(), np.abs(y).max()
        if unit > 0:
            np.testing.assert_allclose(y / other_unit, z / unit, rtol=0, atol=rtol)


@each_dtype
@each_case
def test_units_do_not_matter(model, missing, dtype):
    X = table(missing=missing, dtype=dtype)
    plain = seeded(model)
    plain.fit(X)
    factors, rtol = SCALES[dtype]
    in_units = () if type(model).__name__ in GIVE_SHARES else IN_UNITS_OF_X
    expected = results(plain, X)
    for factor in factors:
        scaled_X = X * dtype(factor)
        scaled = seeded(model)
        if type(model).__name__ in PRICED_IN_UNITS:
            scaled.set_params(alpha=model.alpha * factor)
        scaled.fit(scaled_X)
        for method, value in results(scaled, scaled_X).items():
            value = value / dtype(factor) if method in in_units else value
            atol = rtol * np.abs(expected[method]).max()
            message = f"{method}, X * {factor:g}"
            np.testing.assert_allclose(value, expected[method], rtol=0, atol=atol, err_msg=message)
        if hasattr(model, "transform"):
            assert_proportional(plain.transform(X), scaled.transform(scaled_X), rtol)


@each_dtype
@each_case
def test_scores_are_finite_wherever_rows_are(model, missing, dtype):
    if type(model).__name__ == "KMeans":
        return  # its score is a sum of squares, of 1e400
    X = table(missing=missing, dtype=dtype)
    for factor in FARTHEST[dtype]:
        scaled = short(seeded(model), max_iter=10).fit(X * dtype(factor))
        for method in SCORES:
            if hasattr(model, method):
                score = getattr(scaled, method)(X * dtype(factor))
                assert np.isfinite(score).all(), f"{method}, X * {factor:g}"
        assert np.isfinite(scaled.__dict__.get("history_", 0.0)).all()
