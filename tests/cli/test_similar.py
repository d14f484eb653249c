"""`lowdim similar`: the words nearest to a word."""

import pytest

from tests.report.words.planted import planted_vectors


@pytest.fixture
def vectors(tmp_path):
    found = planted_vectors(nasty=False)
    found.save(tmp_path / "v.lowdim")
    found.save_word2vec_format(tmp_path / "v.txt")
    return found


@pytest.mark.parametrize("name", ["v.lowdim", "v.txt"])
def test_it_prints_what_the_vectors_answer(run, vectors, name):
    lines = run("similar", name, "ship", "-n", 4).stdout.splitlines()
    expected = vectors.most_similar("ship", topn=4)
    assert [line.split() for line in lines[1:]] == [[w, f"{c:.4f}"] for w, c in expected]
    assert lines[0].split() == ["word", "cosine"]


def test_words_can_be_added_and_taken_away(run, vectors):
    said = run("similar", "v.lowdim", "king", "woman", "--minus", "man", "-n", 1).stdout
    assert said.split()[-2] == "queen"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["v.txt", "shipp"], "v.txt: 'shipp' is not one of the 46 words; near it are 'ship'"),
        (["v.txt", "ship", "--minus", "mann"], "near it are 'man'"),
        (["v.txt"], "Name a word"),
        (["nowhere.txt", "ship"], "There is no file nowhere.txt"),
        (["v.npy", "ship"], "Such files end in .txt"),
        (["pca.lowdim", "ship"], "is a PCA, which has no word vectors"),
        (["broken.txt", "ship"], "broken.txt"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(refused, vectors, tmp_path, arguments, said):
    import numpy as np

    import lowdim

    lowdim.PCA(1).fit(np.eye(3)).save(tmp_path / "pca.lowdim")
    np.save(tmp_path / "v.npy", np.eye(2))
    (tmp_path / "broken.txt").write_text("2 3\nship 1 2 3\nboat 1 x 3\n")
    assert said in refused("similar", *arguments)


def test_words_that_move_the_cursor_do_not(run, tmp_path):
    import lowdim

    lowdim.WordVectors(["a", "\x1b[2Jb"], [[1.0, 0.0], [1.0, 0.1]]).save(tmp_path / "n.lowdim")
    assert "\x1b" not in run("similar", "n.lowdim", "a").stdout
