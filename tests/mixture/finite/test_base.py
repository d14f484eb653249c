"""What mixtures of independent columns have in common."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import lowdim
from lowdim import MixtureModel
from lowdim.mixture.collapse import CollapsedComponentWarning
from tests.mixture.finite.examples import Exponential, each_name, planted

# ---- a planted truth -----------------------------------------------------------------------------


@each_name
def test_samples_look_like_the_rows(rng, name):
    X, _ = planted(rng, name)
    model = MixtureModel(name, n_components=3, random_state=0).fit(X)
    S, component = model.sample(3000, random_state=1)
    assert S.shape == (3000, 12)
    assert (np.diff(component) >= 0).all()
    assert adjusted_rand_score(component, model.predict(S)) > 0.9
    # a row's log-likelihood has a standard deviation of about 3; 6 standard errors of 600 rows
    if name != "multinomial":  # whose totals vary in samples, but not in X
        assert model.score(S) == pytest.approx(model.score(X), abs=1.0)
    np.testing.assert_array_equal(S, model.sample(3000, random_state=1)[0])


# ---- a family of one's own -----------------------------------------------------------------------


def test_what_a_family_lacks_is_said_before_any_row_is_read(rng):
    X = rng.exponential(size=(40, 2))
    model = MixtureModel(Exponential(), random_state=0, max_iter=2, tol=1.0).fit(X)
    seen = []

    def read():
        seen.append(1)
        yield X

    stream = lowdim.stream(read)
    before = len(seen)
    with pytest.raises(NotImplementedError, match=r"return_std needs Exponential\.variance"):
        model.impute(stream, return_std=True)
    assert len(seen) == before
    np.testing.assert_array_equal(model.impute(stream), X)  # this one needs no variance


# ---- the door ------------------------------------------------------------------------------------


def test_more_components_than_rows_are_refused():
    X = np.eye(3)
    with pytest.raises(ValueError, match="n_components=4 is more than the 3 rows of X"):
        MixtureModel(n_components=4).fit(X)
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 rows of X"):
        MixtureModel(n_components=3).fit(X, sample_weight=[1, 1, 0])


def test_an_empty_component_is_reported():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.warns(CollapsedComponentWarning, match="1 of 3 components lost all their rows"):
        MixtureModel(n_components=3, random_state=0, smoothing=0.0).fit(X)
