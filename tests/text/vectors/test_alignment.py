"""Two sets of word vectors in one space: planted rotations, translations and shifts."""

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim import Alignment, WordVectors, config_context
from lowdim.text import align
from lowdim.text.vectors import alignment
from lowdim.text.vectors.alignment import density, rotation


def orthogonal(rng, d, e=None):
    """Random orthonormal rows (d <= e) or columns."""
    e = d if e is None else e
    Q = np.linalg.qr(rng.normal(size=(max(d, e), min(d, e))))[0]
    return Q.T if d < e else Q


def turned(rng, n=120, d=6, noise=0.0, dtype=np.float64):
    """English vectors, French ones that are the same turned by Q, in another order, and Q."""
    X, Q = rng.normal(size=(n, d)), orthogonal(rng, d)
    order = rng.permutation(n)
    Y = (X @ Q + noise * rng.normal(size=(n, d)))[order]
    english = WordVectors([f"e{i}" for i in range(n)], X.astype(dtype))
    french = WordVectors([f"f{i}" for i in order], Y.astype(dtype))
    return english, french, Q


def right_pairs(first, last):
    return [(f"e{i}", f"f{i}") for i in range(first, last)]


# ---- the rotation --------------------------------------------------------------------------------


def test_a_quarter_turn_by_hand():
    X = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert_allclose(rotation(X, np.array([[0.0, 1.0], [-2.0, 0.0]])), [[0, 1], [-1, 0]], atol=1e-15)


@pytest.mark.parametrize("sizes", [(5, 5), (3, 6), (6, 3)], ids=["same", "larger", "smaller"])
def test_the_rotation_is_the_best_isometry(rng, sizes):
    d, e = sizes
    X, Y, w = rng.normal(size=(40, d)), rng.normal(size=(40, e)), rng.random(40)
    Q = rotation(X, Y, w)
    product = Q @ Q.T if d <= e else Q.T @ Q
    assert_allclose(product, np.eye(min(d, e)), atol=1e-12)

    def agreement(R):  # what is largest: for d <= e the sum of squares is a constant less this
        return np.sum(w[:, None] * (X @ R) * Y)

    for _ in range(30):
        near = Q + 0.05 * rng.normal(size=Q.shape)
        U, _, Vt = np.linalg.svd(near, full_matrices=False)
        assert agreement(U @ Vt) <= agreement(Q) + 1e-10
    if d == e:
        twin = scipy.linalg.orthogonal_procrustes(X * w[:, None], Y)[0]
        assert_allclose(Q, twin, atol=1e-10)


def test_pieces_and_units_do_not_count(rng, monkeypatch):
    X, Y = rng.normal(size=(50, 4)), rng.normal(size=(50, 4))
    expected = rotation(X, Y)
    monkeypatch.setattr(alignment, "PIECE", 7)
    assert_allclose(rotation(X * 1e-150, Y * 1e-150), expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_planted_rotation_is_found(rng, dtype):
    english, french, Q = turned(rng, dtype=dtype)
    found = align(english, french, right_pairs(0, 20))
    assert found.rotation_.dtype == dtype and found.transform().vectors.dtype == dtype
    assert_allclose(found.rotation_, Q, atol=1e-5 if dtype == np.float32 else 1e-10)
    assert found.evaluate(right_pairs(20, 120), topn=1) == {1: 1.0}
    assert found.translate("e7", topn=1, retrieval="cosine") == [("f7", pytest.approx(1, abs=1e-5))]
    assert (
        len(found.pairs_) == 20 and repr(found) == "<Alignment: 120 words to 120 words by 20 pairs>"
    )


@pytest.mark.parametrize("sizes", [(4, 7), (7, 4)], ids=["larger", "smaller"])
def test_vectors_of_other_sizes_are_laid_into_each_other(rng, sizes):
    d, e = sizes
    small = rng.normal(size=(60, min(sizes)))
    large = small @ orthogonal(rng, min(sizes), max(sizes))
    X, Y = (small, large) if d < e else (large, small)
    english = WordVectors([f"e{i}" for i in range(60)], X)
    french = WordVectors([f"f{i}" for i in range(60)], Y)
    found = align(english, french, right_pairs(0, 30))
    assert found.rotation_.shape == (d, e)
    assert_allclose(found.transform().vectors, found.target_.vectors, atol=1e-10)


def test_pairs_of_no_weight_do_not_count(rng):
    english, french, _ = turned(rng)
    wrong = [(f"e{i}", f"f{i + 1}") for i in range(50)]
    weights = np.r_[np.ones(20), np.zeros(50)]
    found = align(english, french, right_pairs(0, 20) + wrong, weights=weights)
    assert_allclose(found.rotation_, align(english, french, right_pairs(0, 20)).rotation_)


def test_words_that_are_written_alike_are_pairs(rng):
    X, Q = rng.normal(size=(30, 4)), orthogonal(rng, 4)
    left = WordVectors([f"w{i}" for i in range(30)], X)
    right = WordVectors([f"w{i}" for i in range(20)] + [f"v{i}" for i in range(10)], X @ Q)
    found = align(left, right, normalize=())
    assert len(found.pairs_) == 20
    assert_allclose(found.rotation_, Q, atol=1e-10)


def test_refining_finds_the_pairs_that_were_not_given(rng):
    english, french, Q = turned(rng, n=400, d=8, noise=0.3)
    few = right_pairs(0, 12)
    rough, fine = (align(english, french, few, refine=n) for n in (0, 5))
    errors = [np.linalg.norm(found.rotation_ - Q) for found in (rough, fine)]
    assert errors[1] < errors[0] / 2
    assert len(fine.pairs_) > 100
    rest = right_pairs(12, 400)
    assert fine.evaluate(rest)[1] > rough.evaluate(rest)[1]


def test_mutual_neighbours_are_those_of_all_scores(rng):
    english, french, Q = turned(rng, n=50, d=3, noise=0.5)
    left, right = (alignment._Side.of(wv, ("unit",)) for wv in (english, french))
    Z, Y = left.vectors @ Q, right.vectors
    csls = 2 * Z @ Y.T - density(Z, Y, 5)[:, None] - density(Y, Z, 5)
    forward, backward = csls.argmax(axis=1), csls.argmax(axis=0)
    expected = [i for i in range(50) if backward[forward[i]] == i]
    found = alignment._mutual(left, right, Q, 5)
    assert_array_equal(found.source, expected)
    assert_array_equal(found.target, forward[expected])


# ---- answers -------------------------------------------------------------------------------------


def test_translations_are_ranked_by_csls(rng):
    english, french, _ = turned(rng, n=60, d=3, noise=0.4)
    found = align(english, french, right_pairs(0, 30), csls_k=4)
    Z, Y = found.transform().get_normed_vectors(), found.target_.get_normed_vectors()
    cosines = Z @ Y.T
    r_x = np.sort(cosines, axis=1)[:, -4:].mean(axis=1)
    r_y = np.sort(cosines, axis=0)[-4:].mean(axis=0)
    csls = 2 * cosines - r_x[:, None] - r_y
    for i, answers in enumerate(found.translate(["e0", "e9"], topn=3).values()):
        row = csls[[0, 9][i]]
        best = np.argsort(-row)[:3]
        assert [word for word, _ in answers] == [french.index_to_key[j] for j in best]
        assert_allclose([score for _, score in answers], row[best], atol=1e-10)


def test_a_word_with_several_translations_counts_once():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.2]])
    source = WordVectors(["dog", "cat", "tea"], X)
    target = WordVectors(["chien", "chat", "toutou"], X)
    found = Alignment(source, target, np.eye(2), [], (), csls_k=1)
    pairs = [("dog", "toutou"), ("dog", "chien"), ("cat", "chien"), ("unknown", "chat")]
    assert found.evaluate(pairs, (1, 3), "cosine") == {1: 0.5, 3: 1.0}
    by_dict = {"dog": ["toutou", "chien"], "cat": "chien"}
    assert found.evaluate(by_dict, (1, 3), "cosine") == {1: 0.5, 3: 1.0}


def test_a_word_whose_meaning_moved_is_found(rng):
    X, Q = rng.normal(size=(200, 8)), orthogonal(rng, 8)
    Y = X @ Q
    Y[17] = -Y[17]
    words = [f"w{i}" for i in range(200)]
    found = align(WordVectors(words, X), WordVectors([*words[:-1], "other"], Y))
    moved = found.shift()
    assert moved[0][0] == "w17" and moved[0][1] > 1.5 and len(moved) == 199
    assert moved[1][1] < 0.1
    assert found.shift("w17") == moved[0][1]
    assert [word for word, _ in found.shift(["w3", "w17"])] == ["w17", "w3"]


def test_other_words_of_the_source_are_mapped_alike(rng):
    english, french, _ = turned(rng)
    found = align(english, french, right_pairs(0, 30))
    few = WordVectors(["x", "y"], english.vectors[[3, 9]], [2, 1])
    mapped = found.transform(few)
    assert mapped.index_to_key == ["x", "y"] and mapped.counts.tolist() == [2, 1]
    assert_allclose(mapped.vectors, found.transform().vectors[[3, 9]], atol=1e-12)


def test_threads_do_not_change_bits(rng):
    english, french, _ = turned(rng, n=600, noise=0.3)
    results = []
    for threads in (1, 2, 5):
        with config_context(threads=threads):
            found = align(english, french, right_pairs(0, 50), refine=2)
            results.append((found.rotation_, found._nearest(np.arange(600), 3, "csls")[1]))
    for rotation_, scores in results[1:]:
        assert_array_equal(rotation_, results[0][0])
        assert_array_equal(scores, results[0][1])


def test_files_keep_the_alignment(rng, tmp_path):
    english, french, _ = turned(rng)
    found = align(english, french, right_pairs(0, 30), csls_k=3)
    found.save(tmp_path / "a.lowdim")
    again = lowdim.load(tmp_path / "a.lowdim")
    assert again.translate(["e1", "e2"]) == found.translate(["e1", "e2"])
    assert again.pairs_ == found.pairs_ and again.csls_k == 3 and again.normalize == found.normalize


def test_pairs_come_from_files_and_vectors_from_models(rng, tmp_path):
    english, french, _ = turned(rng)

    class Model:
        def __init__(self, wv):
            self.wv = wv

    (tmp_path / "d.csv").write_text("en,fr\n" + "".join(f"e{i},f{i}\n" for i in range(30)))
    found = align(Model(english), Model(french), tmp_path / "d.csv")
    assert_array_equal(found.rotation_, align(english, french, right_pairs(0, 30)).rotation_)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pairs": [("x", "y")]}, ValueError, r"None of the 1 pairs .*\(the first: 'x' and 'y'\)"),
        ({"pairs": []}, ValueError, "There are no pairs"),
        ({}, ValueError, "No word is written alike"),
        ({"pairs": ["ab"]}, TypeError, "'ab' is no pair of words"),
        ({"pairs": [("e1", 2)]}, TypeError, "is no pair of words"),
        ({"pairs": [("e1", "f1")], "weights": [1, 2]}, ValueError, "1 pairs need 1 weights"),
        ({"pairs": [("e1", "f1")], "weights": [-1]}, ValueError, "weights are 0 or more"),
        ({"pairs": [("e1", "f1")], "weights": [0]}, ValueError, "All weights"),
        ({"pairs": [("e1", "f1")], "normalize": ["x"]}, ValueError, "normalize=.'x'"),
        ({"pairs": [("e1", "f1")], "refine": -1}, ValueError, "refine=-1"),
        ({"pairs": [("e1", "f1")], "csls_k": 0}, ValueError, "csls_k=0"),
        ({"source": np.eye(3)}, TypeError, "source is a ndarray; give WordVectors"),
    ],
    ids=range(12),
)
def test_what_cannot_be_aligned_is_refused(rng, arguments, error, message):
    english, french, _ = turned(rng, n=10)
    with pytest.raises(error, match=message):
        align(**({"source": english, "target": french} | arguments))


def test_questions_without_answers_are_refused(rng):
    english, french, _ = turned(rng, n=10)
    found = align(english, french, right_pairs(0, 9))
    with pytest.raises(KeyError, match="'e99' is not one of the 10 words; near it are 'e9'"):
        found.translate("e99")
    with pytest.raises(ValueError, match="retrieval='x'"):
        found.translate("e1", retrieval="x")
    with pytest.raises(ValueError, match="topn=0"):
        found.evaluate(right_pairs(0, 3), topn=0)
    with pytest.raises(KeyError, match="'e1' is not one of the 10 words"):
        found.shift(["e1"])
    with pytest.raises(ValueError, match="wv has vectors of 2 numbers"):
        found.transform(WordVectors(["a"], [[1.0, 2.0]]))
    with pytest.raises(ValueError, match="rotation has shape"):
        Alignment(english, french, np.eye(3), [], ())
