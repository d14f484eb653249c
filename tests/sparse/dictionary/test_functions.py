import numpy as np
import pytest

from lowdim import DictionaryLearning, dict_learning, dict_learning_online

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_codes_are_those_of_the_lasso_for_the_atoms(rng):
    X = rng.normal(size=(30, 6))
    Z, D, errors, n_iter = dict_learning(
        X, 4, alpha=0.3, max_iter=20, random_state=0, return_n_iter=True
    )
    assert len(errors) == n_iter
    C = (X - Z @ D) @ D.T  # Karush, Kuhn, Tucker
    assert np.abs(C).max() <= 0.3 + 1e-8
    np.testing.assert_allclose(C[Z != 0], 0.3 * np.sign(Z[Z != 0]), atol=1e-8)
    model = DictionaryLearning(4, alpha=0.3, max_iter=20, random_state=0).fit(X)
    np.testing.assert_array_equal(model.components_, D)


def test_online_gives_codes_if_asked(rng):
    X = rng.normal(size=(30, 6))
    Z, D = dict_learning_online(X, 4, alpha=0.3, batch_size=10, random_state=0)
    assert Z.shape == (30, 4)
    alone = dict_learning_online(X, 4, alpha=0.3, batch_size=10, random_state=0, return_code=False)
    np.testing.assert_array_equal(alone, D)


@pytest.mark.parametrize("learn", [dict_learning, dict_learning_online])
def test_an_unknown_method_is_refused(rng, learn):
    with pytest.raises(ValueError, match="method='omp' is not known"):
        learn(rng.normal(size=(9, 3)), 2, alpha=1.0, method="omp")
