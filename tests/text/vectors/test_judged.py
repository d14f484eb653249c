"""How good word vectors are: by hand, and as gensim says it."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lowdim import WordVectors
from lowdim.datasets import load_analogies
from tests.text.vectors.examples import gensim_twin

# ---- by hand -------------------------------------------------------------------------------------


def test_purity_by_hand():
    words = list("abcdef")
    angles = np.array([0.0, 0.1, 0.2, 2.0, 2.1, 2.2])
    wv = WordVectors(words, np.column_stack([np.cos(angles), np.sin(angles)]) * [[3.0]] * 2)
    assert wv.evaluate_categories(words, [1, 1, 1, 2, 2, 2]) == 1.0
    assert wv.evaluate_categories(words, [1, 1, 2, 2, 2, 2]) == pytest.approx(5 / 6)
    assert wv.evaluate_categories([*words, "unknown"], ["x"] * 3 + ["y"] * 3 + ["z"]) == 1.0


def test_pairs_by_hand():
    wv = WordVectors(list("abcd"), [[1.0, 0], [1, 1], [0, 1], [-1, 1]])
    pairs = [("A", "b", 3.0), ("a", "c", 2.0), ("a", "d", 1.0), ("a", "no", 9.0)]
    pearson, spearman, unknown = wv.evaluate_word_pairs(pairs)
    cosines = [np.sqrt(0.5), 0.0, -np.sqrt(0.5)]
    assert_allclose(pearson[0], np.corrcoef(cosines, [3, 2, 1])[0, 1])
    assert (spearman[0], unknown) == (pytest.approx(1.0), 25.0)
    pearson, _, unknown = wv.evaluate_word_pairs(pairs, dummy4unknown=True)
    assert_allclose(pearson[0], np.corrcoef([*cosines, 0.0], [3, 2, 1, 9])[0, 1])
    assert unknown == 25.0


# ---- gensim --------------------------------------------------------------------------------------


@pytest.fixture
def example(rng, tmp_path):
    """Vectors with planted steps, words in several cases, and a file of questions."""
    n, d = 80, 10
    vectors = rng.normal(size=(n, d))
    step = rng.normal(size=d)
    vectors[1:60:2] = vectors[0:60:2] + step + 0.4 * rng.normal(size=(30, d))
    words = [f"w{i}" for i in range(n)]
    for j in (61, 63, 65):  # the same words in capitals, and nearly the same vectors
        words[j] = words[j - 60].upper()
        vectors[j] = vectors[j - 60] + 0.1 * rng.normal(size=d)
    lines = []
    for name in ("first", "second"):
        lines.append(f": {name}")
        for _ in range(60):
            i, j = 2 * rng.integers(0, 32, size=2)
            lines.append(f"w{i} W{i + 1} w{j} w{j + 1}")
        lines.append("w1 w2 w3 unknown")
    (tmp_path / "q.txt").write_text("\n".join(lines) + "\n")
    return WordVectors(words, vectors.astype(np.float32)), tmp_path / "q.txt"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"case_insensitive": False},
        {"dummy4unknown": True},
        {"restrict_vocab": 30},
        {"restrict_vocab": 62, "dummy4unknown": True},
    ],
    ids=["default", "cases", "unknown", "few", "both"],
)
def test_analogies_are_those_of_gensim(example, arguments):
    wv, path = example
    ours = wv.evaluate_word_analogies(path, **arguments)
    theirs = gensim_twin(wv).evaluate_word_analogies(str(path), **arguments)
    assert ours == theirs and type(ours[0]) is float
    assert ours == wv.evaluate_word_analogies(load_analogies(path), **arguments)


def test_products_of_cosines_answer_too(example):
    wv, path = example
    _, sections = wv.evaluate_word_analogies(
        path, similarity_function="most_similar_cosmul", case_insensitive=False
    )
    for key in ("correct", "incorrect"):
        for a, b, c, d in sections[-1][key]:
            answer = wv.most_similar_cosmul([b, c], [a], topn=1)[0][0]
            assert (answer == d) == (key == "correct")


@pytest.mark.parametrize(
    "arguments",
    [{}, {"dummy4unknown": True}, {"restrict_vocab": 40}],
    ids=["default", "unknown", "few"],
)
def test_pairs_are_those_of_gensim(example, rng, tmp_path, arguments):
    wv, _ = example
    lines = ["# made up", "Word 1\tWord 2\tHuman (mean)", "", "W1\tW2\t3\t4"]
    for i, j in rng.permutation(90)[:86].reshape(-1, 2):  # not twice the same: 1 is then rounded
        lines.append(f"w{i}\tW{j}\t{rng.normal():.3f}")
    text = "\n".join(lines) + "\n"
    (tmp_path / "p.tsv").write_text(text)
    (tmp_path / "p.tsv.gz").write_bytes(gzip.compress(text.encode()))
    ours = wv.evaluate_word_pairs(tmp_path / "p.tsv", **arguments)
    theirs = gensim_twin(wv).evaluate_word_pairs(str(tmp_path / "p.tsv"), **arguments)
    for left, right in zip(ours, theirs, strict=True):
        assert type(left) is type(right)
        assert_allclose(left, right, rtol=1e-5, atol=1e-7)
    assert wv.evaluate_word_pairs(tmp_path / "p.tsv.gz", **arguments)[1] == ours[1]


def test_a_table_of_one_data_set_will_do(example, tmp_path):
    wv, _ = example
    (tmp_path / "p.csv").write_text("dataset,word1,word2,score\nx,w1,w2,3\nx,w3,w4,4\nx,w5,w6,9\n")
    expected = wv.evaluate_word_pairs([("w1", "w2", 3), ("w3", "w4", 4), ("w5", "w6", 9)])
    assert wv.evaluate_word_pairs(tmp_path / "p.csv") == expected
    (tmp_path / "p.csv").write_text("dataset,word1,word2,score\nx,w1,w2,3\ny,w3,w4,4\n")
    with pytest.raises(ValueError, match=r"has 2 data sets \('x', 'y'\); choose one"):
        wv.evaluate_word_pairs(tmp_path / "p.csv")


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda wv: wv.evaluate_word_analogies({}), ValueError, "no questions"),
        (lambda wv: wv.evaluate_word_analogies({"s": []}), ValueError, "no questions"),
        (lambda wv: wv.evaluate_word_analogies({"s": [("w1", "w2", "w3")]}), ValueError, "4 words"),
        (lambda wv: wv.evaluate_word_analogies([1]), TypeError, "give the path"),
        (
            lambda wv: wv.evaluate_word_analogies({"s": []}, similarity_function="x"),
            ValueError,
            "similarity_function='x'",
        ),
        (lambda wv: wv.evaluate_word_pairs([("w1", "no", 1.0)]), ValueError, "0 of the 1 pairs"),
        (lambda wv: wv.evaluate_word_pairs({"men": []}), TypeError, r"pairs\['men'\]"),
        (lambda wv: wv.evaluate_word_pairs([(1, 2, 3.0)]), TypeError, "what is no word: 1"),
        (lambda wv: wv.evaluate_categories(["w1"], [1, 2]), ValueError, "1 words and 2 labels"),
        (lambda wv: wv.evaluate_categories(["no"], [1]), ValueError, "None of the words"),
    ],
    ids=range(10),
)
def test_what_cannot_be_judged_is_refused(example, ask, error, message):
    with pytest.raises(error, match=message):
        ask(example[0])


def test_unknown_questions_have_no_score(example):
    score, sections = example[0].evaluate_word_analogies({"s": [("no", "na", "ne", "ni")]})
    assert score == 0.0 and sections[-1]["correct"] == sections[-1]["incorrect"] == []
