import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.affinities.given import given_conditional, given_joint

FORMS = {"dense": np.asarray, "csr": sp.csr_array, "csc": sp.csc_array, "coo": sp.coo_array}
each_form = pytest.mark.parametrize("form", FORMS)


def as_dense(P):
    return P.toarray() if sp.issparse(P) else P


def likeness(rng, n=20):
    S = rng.random((n, n)) * (rng.random((n, n)) < 0.5)
    np.fill_diagonal(S, 1.0)
    S[:, 0] += 0.1
    S[0, 1] = 0.3
    return S


@each_form
def test_rows_of_conditional_affinities_sum_to_1(rng, form):
    S = likeness(rng)
    expected = S * (1 - np.eye(20))
    expected /= expected.sum(axis=1, keepdims=True)
    for unit in (1.0, 1e150, 1e-150):
        P = as_dense(given_conditional(FORMS[form](S * unit)))
        np.testing.assert_allclose(P, expected, rtol=1e-12)


@each_form
def test_joint_affinities_are_symmetric_and_sum_to_1(rng, form):
    S = likeness(rng)
    expected = (S + S.T) * (1 - np.eye(20))
    expected /= expected.sum()
    for unit in (1.0, 1e150, 1e-150):
        P = given_joint(FORMS[form](S * unit))
        np.testing.assert_allclose(as_dense(P), expected, rtol=1e-12)
    if form != "dense":
        assert P.has_sorted_indices


def test_what_was_given_is_not_changed(rng):
    S = likeness(rng)
    sparse, copy = sp.csr_array(S), S.copy()
    given_joint(S), given_conditional(S), given_joint(sparse), given_conditional(sparse)
    np.testing.assert_array_equal(S, copy)
    np.testing.assert_array_equal(sparse.toarray(), copy)


@pytest.mark.parametrize("door", [given_conditional, given_joint], ids=["conditional", "joint"])
@each_form
def test_bad_affinities_are_refused(rng, door, form):
    S, make = likeness(rng), FORMS[form]
    with pytest.raises(ValueError, match=r"shape \(20, 19\).*n x n"):
        door(make(S[:, 1:]))
    with pytest.raises(ValueError, match=r'negative.*metric="precomputed"'):
        door(make(S - 0.2))
    S[2, 3] = np.nan
    with pytest.raises(ValueError, match="NaN or infinite"):
        door(make(S))


def test_rows_without_affinities_are_refused(rng):
    S = likeness(rng)
    S[5] = 0.0
    S[5, 5] = 1.0
    with pytest.raises(ValueError, match=r"no affinity above 0 in row 5"):
        given_conditional(S)
    with pytest.raises(ValueError, match="no affinity above 0 beside the diagonal"):
        given_joint(np.eye(4))
