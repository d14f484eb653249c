import numpy as np
import pytest

from lowdim.text.embeddings.word2vec.noise import add_noise, move_noise, noise_scores


@pytest.fixture
def tables(rng):
    H, N, C = (rng.normal(size=shape).astype(np.float32) for shape in ((12, 7), (8, 7), (20, 7)))
    return H, N, C


@pytest.mark.parametrize("python", [False, True], ids=["compiled", "plain"])
def test_scores_are_a_product(tables, python):
    H, N, _ = tables
    x = np.zeros(6 * 8, dtype=np.float32)  # with room for one row more: they go by twos
    (noise_scores.python if python else noise_scores)(H, 3, 5, N, x)
    np.testing.assert_allclose(x.reshape(6, 8)[:5], H[3:8] @ N.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("python", [False, True], ids=["compiled", "plain"])
def test_two_rows_move_by_sums_of_noise(tables, python, rng):
    _, N, C = tables
    g, old = rng.normal(size=20).astype(np.float32), C.copy()
    (add_noise.python if python else add_noise)(C, 6, 3, N, g, 4)
    np.testing.assert_allclose(C[6], old[6] + g[4:12] @ N, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(C[3], old[3] + g[12:20] @ N, rtol=1e-4, atol=1e-5)
    others = [row for row in range(len(C)) if row not in (3, 6)]
    np.testing.assert_array_equal(C[others], old[others])


@pytest.mark.parametrize("python", [False, True], ids=["compiled", "plain"])
def test_rows_of_noise_move_by_sums_of_rows_also_twice(tables, python, rng):
    H, N, C = tables
    noise = np.array([[0, 0, 0, 0], [3, 9, 3, 1]], dtype=np.int32)
    g, old = rng.normal(size=(8, 4)).astype(np.float32), C.astype(np.float64)
    (move_noise.python if python else move_noise)(C, noise, 1, H, 2, 8, g.reshape(-1), N[:4].copy())
    np.add.at(old, noise[1], g.T @ H[2:10])
    np.testing.assert_allclose(C, old, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("python", [False, True], ids=["compiled", "plain"])
def test_noise_that_no_row_meets_is_not_written_to(tables, python):
    # another thread may be at work on these words; -0 + 0 is 0, so that adding nothing shows
    H, N, C = tables
    C = np.full_like(C, -0.0)
    noise = np.array([[3, 9, 3, 1]], dtype=np.int32)
    g = np.zeros(32, dtype=np.float32)
    (move_noise.python if python else move_noise)(C, noise, 0, H, 0, 0, g, N[:4].copy())
    assert np.signbit(C).all()
