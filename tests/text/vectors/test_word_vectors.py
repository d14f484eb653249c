"""`WordVectors`: golden values, the answers of gensim's KeyedVectors, and the door."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim import WordVectors, config_context
from tests.text.vectors.examples import gensim_twin, random_vectors

# ---- golden values -------------------------------------------------------------------------------


@pytest.fixture
def remark():
    """003 remark 5.3: equal inner products, different directions."""
    return WordVectors(["x1", "x2", "x3"], [[1.0, 0.0], [1.0, 0.1], [1.0, 10.0]], [5, 4, 3])


def test_cosines_of_the_lecture_notes(remark):
    assert_allclose(remark.similarity("x1", "x2"), 0.995037, atol=5e-7)
    assert_allclose(remark.similarity("x1", "x3"), 0.099504, atol=5e-7)
    assert [word for word, _ in remark.most_similar("x1")] == ["x2", "x3"]
    assert_allclose(remark.distances("x1"), [0, 1 - 0.995037, 1 - 0.099504], atol=5e-7)


def test_words_and_vectors_are_what_was_given(remark):
    assert len(remark) == 3 and "x1" in remark and "x9" not in remark and 2 in remark
    assert list(remark) == remark.index_to_key == ["x1", "x2", "x3"]
    assert remark.key_to_index == {"x1": 0, "x2": 1, "x3": 2} and remark.vector_size == 2
    assert_array_equal(remark["x2"], [1, 0.1])
    assert_array_equal(remark[["x3", "x1"]], [[1, 10], [1, 0]])
    assert remark.get_vecattr("x2", "count") == 4 and type(remark.get_vecattr(0, "count")) is int
    assert remark.get_index("x3") == 2 and remark.get_index("x9", -7) == -7
    assert repr(remark) == "<WordVectors: 3 words, 2 dimensions, float64>"


def test_analogies_by_hand():
    words = ["man", "woman", "king", "queen", "tree"]
    wv = WordVectors(words, [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [0, -1, -1]])
    for method in ("3cosadd", "3cosmul", "pair"):
        assert wv.analogy("man", "king", "woman", method=method)[0][0] == "queen"
    units = wv.get_normed_vectors()
    step = units[2] - units[0]
    to_queen = units[3] - units[1]
    cosine = step @ to_queen / np.linalg.norm(step) / np.linalg.norm(to_queen)
    assert_allclose(wv.analogy("man", "king", "woman", 1, "pair")[0][1], cosine)
    assert wv.doesnt_match(["man", "woman", "king", "tree"]) == "tree"


def test_float32_stays_and_other_numbers_become_float64(rng):
    for given, kept in [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
    ]:
        wv = WordVectors(["a", "b"], np.array([[1, 2], [3, 4]], given))
        assert wv.vectors.dtype == kept and wv.similarity("a", "b").dtype == kept
        assert wv.nearest(topn=1).similarity.dtype == kept
        assert wv.most_similar("a", topn=None).dtype == kept


def test_vectors_are_taken_as_they_are_and_cannot_be_changed(rng):
    X = rng.normal(size=(4, 2))
    wv = WordVectors("a b c d".split(), X)
    assert np.shares_memory(wv.vectors, X) and X.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        wv["a"][0] = 1.0


# ---- gensim --------------------------------------------------------------------------------------

deprecated = pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")


def same_list(ours, theirs):
    assert [word for word, _ in ours] == [word for word, _ in theirs]
    assert all(type(word) is str and type(value) is float for word, value in ours)
    assert_allclose([v for _, v in ours], [v for _, v in theirs], rtol=1e-5, atol=1e-6)


QUERIES = {
    "a word": {"positive": "w3"},
    "words": {"positive": ["w3", "w5"], "negative": ["w9"]},
    "the negative alone": {"negative": ["w9"]},
    "weights": {"positive": [("w3", 0.3), "w5"], "negative": [("w9", -2.0)]},
    "numbers": {"positive": [3, 5]},
    "few": {"positive": ["w3"], "topn": 2},
    "all": {"positive": ["w3"], "topn": 1000},
    "none": {"positive": ["w3"], "topn": 0},
    "the first words": {"positive": ["w33"], "restrict_vocab": 12},
    "some words": {"positive": ["w33"], "clip_start": 5, "clip_end": 40},
}


@pytest.mark.parametrize("name", QUERIES)
def test_most_similar_is_that_of_gensim(rng, name):
    wv = random_vectors(rng)
    same_list(wv.most_similar(**QUERIES[name]), gensim_twin(wv).most_similar(**QUERIES[name]))


@deprecated
def test_similarities_of_all_words_are_those_of_gensim(rng):
    wv = random_vectors(rng)
    twin, x = gensim_twin(wv), rng.normal(size=8).astype(np.float32)
    for ours, theirs in [
        (wv.most_similar("w1", topn=None), twin.most_similar("w1", topn=None)),
        (wv.most_similar_cosmul(["w1"], topn=None), twin.most_similar_cosmul(["w1"], topn=None)),
        (wv.distances("w2"), twin.distances("w2")),
        (wv.distances(x, ["w3", "w1"]), twin.distances(x, ["w3", "w1"])),
        (wv.similarity("w1", "w2"), twin.similarity("w1", "w2")),
        (wv.distance("w1", "w2"), twin.distance("w1", "w2")),
        (wv.n_similarity(["w1", "w2"], ["w4"]), twin.n_similarity(["w1", "w2"], ["w4"])),
        (wv.get_vector("w5", norm=True), twin.get_vector("w5", norm=True)),
        (wv.get_normed_vectors(), twin.get_normed_vectors()),
        (wv[["w1", "w2"]], twin[["w1", "w2"]]),
        (wv.get_mean_vector(["w1", "w7", x]), twin.get_mean_vector(["w1", "w7", x])),
        (
            wv.get_mean_vector(["w1", "no"], [0.5, 1], post_normalize=True),
            twin.get_mean_vector(["w1", "no"], [0.5, 1], post_normalize=True),
        ),
    ]:
        assert ours.dtype == np.float32
        assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@deprecated
def test_other_answers_are_those_of_gensim(rng):
    wv = random_vectors(rng)
    twin, x = gensim_twin(wv), rng.normal(size=8).astype(np.float32)
    same_list(wv.similar_by_vector(x, 4), twin.similar_by_vector(x, 4))
    same_list(wv.similar_by_word("w4", 3), twin.similar_by_word("w4", 3))
    same_list(wv.similar_by_key("w4", 3, 20), twin.similar_by_key("w4", 3, 20))
    query = (["w1", "w2"], ["w3"])
    same_list(wv.most_similar_cosmul(*query), twin.most_similar_cosmul(*query))
    same_list(wv.analogy("w3", "w1", "w2"), twin.most_similar(*query))
    same_list(wv.analogy("w3", "w1", "w2", 5, "3cosmul"), twin.most_similar_cosmul(*query, topn=5))
    words = ["w1", "w5", "w8", "w9"]
    assert wv.doesnt_match(words) == twin.doesnt_match(words)
    for use_norm in (True, False):
        ours, theirs = (v.rank_by_centrality(words, use_norm) for v in (wv, twin))
        same_list([(w, s) for s, w in ours], [(w, s) for s, w in theirs])
    assert wv.closer_than("w1", "w2") == twin.closer_than("w1", "w2")
    assert wv.rank("w1", "w2") == twin.rank("w1", "w2")
    assert wv.most_similar_to_given("w1", words[1:]) == twin.most_similar_to_given("w1", words[1:])
    assert wv.get_vecattr("w7", "count") == twin.get_vecattr("w7", "count")
    assert ("w3" in twin, 70 in twin, 3 in twin) == ("w3" in wv, 70 in wv, 3 in wv)


# ---- properties ----------------------------------------------------------------------------------


def test_nearest_words_are_those_of_most_similar(rng):
    wv = random_vectors(rng)
    index, similarity = wv.nearest(topn=5)
    assert index.shape == similarity.shape == (60, 5)
    for i in (0, 17, 59):
        expected = wv.most_similar(f"w{i}", topn=5)
        assert [wv.index_to_key[j] for j in index[i]] == [word for word, _ in expected]
        assert_allclose(similarity[i], [value for _, value in expected], atol=1e-6)
    some = wv.nearest(["w17", "w0"], topn=5)
    assert_array_equal(some.index, index[[17, 0]])
    assert_array_equal(wv.nearest("w17", topn=5).index, index[[17]])
    by_vector = wv.nearest(2 * wv[["w17", "w0"]], topn=6)  # here a word is its own neighbour
    assert_array_equal(by_vector.index, np.column_stack([[17, 0], index[[17, 0]]]))


def test_there_are_no_more_neighbours_than_other_words(rng):
    wv = random_vectors(rng, n=4)
    assert wv.nearest(topn=10).index.shape == (4, 3)
    assert np.all(np.sort(np.column_stack([np.arange(4), wv.nearest().index])) == np.arange(4))
    assert WordVectors(["a"], [[1.0]]).nearest().index.shape == (1, 0)


def test_threads_do_not_change_results(rng):
    wv = random_vectors(rng, n=700)
    found = []
    for threads in (1, 2, 5):
        with config_context(threads=threads):
            found.append([*wv.nearest(topn=3), wv.most_similar("w1", topn=None)])
    for other in found[1:]:
        for left, right in zip(found[0], other, strict=True):
            assert_array_equal(left, right)


@pytest.mark.parametrize("scale", [1e-25, 1e25])
def test_units_do_not_count(rng, scale):
    wv = random_vectors(rng)
    scaled = WordVectors(wv.index_to_key, wv.vectors * np.float32(scale))
    assert_array_equal(scaled.nearest().index, wv.nearest().index)
    assert_allclose(scaled.similarity("w1", "w2"), wv.similarity("w1", "w2"), rtol=1e-5)
    assert [w for w, _ in scaled.most_similar("w1")] == [w for w, _ in wv.most_similar("w1")]


def test_a_vector_of_zeros_is_like_no_other():
    wv = WordVectors(["a", "b", "c"], [[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    assert wv.most_similar("b") == [("a", 0.0), ("c", -1.0)]
    assert wv.similarity("a", "b") == 0 and wv.n_similarity(["a"], ["b"]) == 0
    assert_array_equal(wv.most_similar("a", topn=None), [0, 0, 0])
    assert wv.analogy("a", "b", "c", method="pair") == []


def test_files_keep_every_bit(rng, tmp_path):
    wv = random_vectors(rng)
    wv.save(tmp_path / "a.lowdim")
    wv.save(tmp_path / "b.lowdim")
    assert (tmp_path / "a.lowdim").read_bytes() == (tmp_path / "b.lowdim").read_bytes()
    again = lowdim.load(tmp_path / "a.lowdim")
    assert again.index_to_key == wv.index_to_key
    assert_array_equal(again.vectors, wv.vectors)
    assert_array_equal(again.counts, wv.counts)
    assert_array_equal(copy.deepcopy(wv).vectors, wv.vectors)


# ---- the door ------------------------------------------------------------------------------------

ASKED = {
    "[]": lambda wv: wv["w33x"],
    "list": lambda wv: wv[["w3", "w33x"]],
    "get_vector": lambda wv: wv.get_vector("w33x"),
    "get_vecattr": lambda wv: wv.get_vecattr("w33x", "count"),
    "most_similar": lambda wv: wv.most_similar(["w3"], ["w33x"]),
    "most_similar_cosmul": lambda wv: wv.most_similar_cosmul("w33x"),
    "similarity": lambda wv: wv.similarity("w3", "w33x"),
    "distances": lambda wv: wv.distances("w3", ["w33x"]),
    "n_similarity": lambda wv: wv.n_similarity(["w33x"], ["w3"]),
    "doesnt_match": lambda wv: wv.doesnt_match(["w33x"]),
    "rank": lambda wv: wv.rank("w3", "w33x"),
    "nearest": lambda wv: wv.nearest(["w33x"]),
    "analogy": lambda wv: wv.analogy("w3", "w4", "w33x", method="pair"),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_unknown_word_is_a_key_error_with_near_spellings(rng, name):
    with pytest.raises(KeyError, match="'w33x' is not one of the 60 words; near it are 'w33'"):
        ASKED[name](random_vectors(rng))


def test_unknown_words_among_others_are_left_out_and_named(rng):
    wv = random_vectors(rng)
    with pytest.warns(UserWarning, match="'no' has no vector and is left out"):
        assert wv.doesnt_match(["w1", "no"]) == "w1"
    with pytest.warns(UserWarning, match="'no', 'na' have no vectors and are left out"):
        assert_allclose(wv.n_similarity(["w1", "no", "na"], ["w1"]), 1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((["a"], [[1.0], [2.0]]), ValueError, r"vectors has shape \(2, 1\); 1 words need 1 rows"),
        ((["a"], [1.0]), ValueError, "vectors has shape"),
        ((["a"], np.empty((1, 0))), ValueError, "no columns"),
        ((["a", "b"], [[1.0], [np.nan]]), ValueError, r"The vector of 'b' \(row 1\) has NaN"),
        ((["a"], [["x"]]), ValueError, "vectors"),
        (([1], [[1.0]]), TypeError, "not text"),
        ((["a"], [[1.0]], [-1]), ValueError, r"counts\[0\]=-1 is no count"),
        ((["a"], [[1.0]], [np.nan]), ValueError, "is no count"),
        ((["a"], [[1.0]], [1, 2]), ValueError, r"counts has shape \(2,\); 1 words"),
    ],
)
def test_what_makes_no_word_vectors_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        WordVectors(*arguments)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda wv: wv.most_similar(), ValueError, "no word to be like"),
        (lambda wv: wv.most_similar_cosmul(negative="w1"), ValueError, "no word to be like"),
        (lambda wv: wv.most_similar([np.ones(3)]), ValueError, r"shape \(3,\) was given where one"),
        (lambda wv: wv.similar_by_vector([np.nan] * 8), ValueError, "NaN or infinite"),
        (lambda wv: wv.analogy("w1", "w2", "w3", method="4"), ValueError, "method='4'"),
        (lambda wv: wv.nearest(topn=0), ValueError, "topn=0"),
        (lambda wv: wv.get_mean_vector([]), ValueError, "no words"),
        (lambda wv: wv.get_mean_vector(["w1"], [1, 2]), ValueError, "weights of shape"),
        (lambda wv: wv.get_vecattr("w1", "sample_int"), KeyError, "'count' alone"),
        (lambda wv: wv.doesnt_match([]), ValueError, "There are no words"),
        (lambda wv: wv[-1], KeyError, "-1 is neither a word nor a number from 0 to 59"),
        (lambda wv: wv.most_similar_to_given("w1", []), ValueError, "no word to choose from"),
    ],
    ids=range(12),
)
def test_what_cannot_be_answered_is_refused(rng, ask, error, message):
    with pytest.raises(error, match=message):
        ask(random_vectors(rng))


def test_counts_that_are_not_known_are_said_to_be_missing():
    with pytest.raises(KeyError, match="have no counts"):
        WordVectors(["a"], [[1.0]]).get_vecattr("a", "count")
