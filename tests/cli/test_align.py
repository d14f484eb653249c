"""`lowdim align`: one set of vectors in the space of another."""

import numpy as np
import pytest

import lowdim
from tests.report.words.planted import planted_vectors, turned


@pytest.fixture
def vectors(tmp_path):
    """French words are English ones with an f before."""
    english = planted_vectors()
    french = turned(english)
    french = lowdim.WordVectors([f"f{w}" for w in english.index_to_key], french.vectors)
    english.save(tmp_path / "en.lowdim")
    french.save(tmp_path / "fr.lowdim")
    words = english.index_to_key
    lines = ["fr,en", *(f"f{w},{w}" for w in words[:36]), "unheard,man"]
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "test.csv").write_text("fr,en\n" + "".join(f"f{w},{w}\n" for w in words[36:]))
    return english


def test_turned_vectors_lie_on_their_partners(run, vectors, tmp_path):
    said = run("align", "fr.lowdim", "en.lowdim", "pairs.csv", "-o", "out.lowdim").stdout
    assert "pairs    36" in said and "out.lowdim" in said
    found = lowdim.load(tmp_path / "out.lowdim")
    assert found.index_to_key == [f"f{w}" for w in vectors.index_to_key]
    target = vectors.normalized(("unit", "center", "unit")).vectors
    np.testing.assert_allclose(found.vectors, target, atol=0.05)


def test_pairs_that_were_kept_out_are_found(run, vectors):
    words = ["align", "fr.lowdim", "en.lowdim", "pairs.csv", "--test", "test.csv", "-o", "o.txt"]
    lines = run(*words).stdout.splitlines()
    assert lines[-3].split() == ["1", "100.0%"] and lines[-1].split() == ["10", "100.0%"]


def test_pairs_may_be_the_other_way_round(run, vectors, tmp_path):
    lines = (tmp_path / "pairs.csv").read_text().splitlines()
    swapped = [",".join(line.split(",")[::-1]) for line in lines]
    (tmp_path / "swapped.csv").write_text("\n".join(swapped))
    words = ["align", "fr.lowdim", "en.lowdim"]
    run(*words, "pairs.csv", "-o", "a.bin", "-q")
    run(*words, "swapped.csv", "--swap", "-o", "b.bin", "-q")
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()


def test_without_pairs_words_written_alike_are_pairs(run, vectors, tmp_path):
    turned(vectors).save(tmp_path / "turned.lowdim")
    said = run("align", "turned.lowdim", "en.lowdim", "-o", "out.vec").stdout
    assert f"pairs    {len(vectors)}" in said


def test_the_two_make_one_page(run, vectors, tmp_path):
    turned(vectors).save(tmp_path / "turned.lowdim")
    run("align", "turned.lowdim", "en.lowdim", "-o", "out.lowdim", "-q")
    run("words", "out.lowdim", "--against", "en.lowdim", "-o", "both.html")
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "near each other already" in page and 'id="against"' in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fr.lowdim", "en.lowdim", "pairs.csv", "-o", "en.lowdim"], "would destroy it"),
        (["fr.lowdim", "en.lowdim", "nowhere.csv", "-o", "o.txt"], "nowhere.csv: No such file"),
        (["fr.lowdim", "en.lowdim", "empty.csv", "-o", "o.txt"], "empty.csv has no pairs of words"),
        (["fr.lowdim", "en.lowdim", "bad.csv", "-o", "o.txt"], "bad.csv, line 1"),
        (["fr.lowdim", "en.lowdim", "pairs.csv", "-o", "o.csv"], "End --output in"),
        (["fr.lowdim", "en.lowdim", "-o", "o.txt"], "pairs"),
        (["fr.lowdim", "nowhere.vec", "-o", "o.txt"], "There is no file nowhere.vec"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(refused, vectors, tmp_path, arguments, said):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "bad.csv").write_text("alone\n")
    assert said in refused("align", *arguments)
