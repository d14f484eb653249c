import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.maps import walks
from lowdim.maps.walks import conjugate_gradients, joined_weights, landmark_affinities


def graph(rng, n=60, links=6):
    """Symmetric weights of which all rows are joined."""
    W = np.zeros((n, n))
    for i in range(n):
        W[i, rng.choice(n, links, replace=False)] = rng.random(links)
        W[i, (i + 1) % n] = 0.5
    np.fill_diagonal(W, 0.0)
    return W + W.T


def closed_form(W, landmarks):
    """Where walks end, by the inverse of the absorbing chain, landmark by landmark."""
    T = W / W.sum(axis=1, keepdims=True)
    P = np.zeros((len(landmarks), len(landmarks)))
    for a, i in enumerate(landmarks):
        ends = np.array([j for j in landmarks if j != i])
        passed = np.setdiff1d(np.arange(len(W)), ends)  # its own landmark, too
        Q, R = T[np.ix_(passed, passed)], T[np.ix_(passed, ends)]
        reached = np.linalg.solve(np.eye(len(passed)) - Q, R)
        P[a, np.searchsorted(landmarks, ends)] = reached[np.searchsorted(passed, i)]
    return P


def test_a_line_of_three_landmarks():
    # 0 - 1 - 2 - 3 - 4, landmarks 0, 2, 4: from the middle as often to each end
    W = sp.csr_array(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1))
    P = landmark_affinities(W, np.array([0, 2, 4]))
    np.testing.assert_allclose(P.toarray(), [[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]], atol=1e-12)
    # in the joined graph, steps of two are as likely as two resistors in a row let through
    np.testing.assert_allclose(joined_weights(W, np.array([0, 2, 4]))[0, 1], 0.5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
def test_walks_end_where_the_closed_form_says(rng, dtype):
    W = graph(rng)
    landmarks = np.sort(rng.choice(60, 8, replace=False))
    P = landmark_affinities(sp.csr_array(W.astype(dtype)), landmarks)
    assert P.dtype == dtype
    assert P.has_sorted_indices
    np.testing.assert_allclose(
        P.toarray(), closed_form(W, landmarks), atol={np.float64: 1e-6, np.float32: 1e-4}[dtype]
    )
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-5)


def test_walks_that_are_drawn_end_there(rng):
    W = graph(rng, n=30, links=3)
    landmarks = np.sort(rng.choice(30, 4, replace=False))
    T = np.cumsum(W / W.sum(axis=1, keepdims=True), axis=1)
    P = landmark_affinities(sp.csr_array(W), landmarks).toarray()
    n = 20000
    at = np.full(n, landmarks[0])
    walking = np.ones(n, dtype=bool)
    while walking.any():
        steps = (rng.random(walking.sum())[:, None] > T[at[walking]]).sum(axis=1)
        at[walking] = np.minimum(steps, 29)
        walking = ~np.isin(at, landmarks[1:])
    drawn = np.array([(at == j).mean() for j in landmarks])
    np.testing.assert_allclose(P[0], drawn, atol=5 * 0.5 / np.sqrt(n))


def test_long_walks_are_solved_by_factors(rng, monkeypatch):
    W = sp.csr_array(np.diag(np.ones(199), 1) + np.diag(np.ones(199), -1))
    landmarks = np.array([0, 60, 199])
    expected = [[0, 1, 0], [139 / 199, 0, 60 / 199], [0, 1, 0]]
    np.testing.assert_allclose(landmark_affinities(W, landmarks).toarray(), expected, atol=1e-6)
    monkeypatch.setattr(walks, "STEPS", 3)
    np.testing.assert_allclose(landmark_affinities(W, landmarks).toarray(), expected, atol=1e-6)


def test_parts_without_landmarks_and_landmarks_alone(rng, monkeypatch):
    W = np.zeros((90, 90))
    for first in (0, 30, 60):
        W[first : first + 30, first : first + 30] = graph(rng, n=30)
    landmarks = np.array([3, 8, 20, 40])  # one alone in the second part, none in the third
    expected = np.zeros((4, 4))
    expected[:3, :3] = closed_form(W[:30, :30], landmarks[:3])
    for steps in (walks.STEPS, 1):
        monkeypatch.setattr(walks, "STEPS", steps)
        P = landmark_affinities(sp.csr_array(W), landmarks)
        np.testing.assert_allclose(P.toarray(), expected, atol=1e-6)


def test_rows_that_are_all_landmarks_keep_their_own_links(rng):
    W = graph(rng, n=20)
    P = landmark_affinities(sp.csr_array(W), np.arange(20)).toarray()
    np.testing.assert_allclose(P, W / W.sum(axis=1, keepdims=True), rtol=1e-12)


def test_the_diagonal_and_the_unit_of_weights_do_not_matter(rng):
    W = graph(rng)
    landmarks = np.array([1, 5, 30, 44])
    plain = landmark_affinities(sp.csr_array(W), landmarks).toarray()
    other = landmark_affinities(sp.csr_array(1e-9 * (W + 3 * np.eye(60))), landmarks).toarray()
    np.testing.assert_allclose(other, plain, atol=1e-7)


def test_blocks_and_threads_change_nothing(rng, monkeypatch):
    W, landmarks = sp.csr_array(graph(rng)), np.sort(rng.choice(60, 12, replace=False))
    whole = landmark_affinities(W, landmarks).toarray()
    monkeypatch.setattr(walks, "MOST_COLUMNS", 5)
    results = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            results.append(landmark_affinities(W, landmarks).toarray())
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_allclose(results[0], whole, atol=1e-7)


def test_conjugate_gradients_solve_each_column(rng):
    W = graph(rng)
    root = np.sqrt(1.2 * W.sum(axis=1))
    G = W / root / root[:, None]
    B = rng.normal(size=(60, 4))
    B[:, 2] = 0.0
    X = conjugate_gradients(sp.csr_array(G), B)
    np.testing.assert_allclose(X, np.linalg.solve(np.eye(60) - G, B), atol=1e-6)
