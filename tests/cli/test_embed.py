"""`lowdim embed`: from a text to vectors."""

import gzip
import json

import numpy as np
import pytest

import lowdim
from lowdim.cli.embed_methods import METHODS
from tests.cli.vectors import planted_text
from tests.report.words.planted import SEA, SKY


@pytest.fixture
def text(tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(planted_text()))
    return "text.txt"


EPOCHS = {"skipgram": 40, "cbow": 40, "glove": 25, "softmax": 20}


@pytest.mark.parametrize("method", METHODS)
def test_words_of_one_subject_get_vectors_alike(run, text, tmp_path, method):
    epochs = ["--epochs", EPOCHS[method]] if method in EPOCHS else []
    said = run("embed", text, "-o", "v.lowdim", "--method", method, "-d", 8, *epochs)
    vectors = lowdim.load(tmp_path / "v.lowdim")
    assert vectors.vectors.shape == (30, 8) and "30 different words" in said.stdout
    inside = np.mean([vectors.similarity(SEA[0], word) for word in SEA[1:]])
    outside = np.mean([vectors.similarity(SEA[0], word) for word in SKY])
    assert inside > outside + 0.4


@pytest.mark.parametrize("name", ["v.txt", "v.vec.gz", "v.bin", "v.lowdim"])
def test_the_ending_says_the_form(run, text, name):
    run("embed", text, "-o", name, "--method", "pmi", "-d", 4, "-q")
    said = run("similar", name, "ship", "-n", 3).stdout
    assert len(said.splitlines()) == 4 and set(said.split()[2::2]) <= set(SEA)


def test_the_same_seed_gives_the_same_file(run, text, tmp_path):
    for name in ("a.bin", "b.bin"):
        run("embed", text, "-o", name, "--method", "pmi", "-d", 4, "--seed", 3, "-q")
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()


def test_options_reach_the_model(run, text, tmp_path):
    words = "--method pmi -d 3 --window 2 --min-count 90".split()
    run("embed", text, "-o", "v.lowdim", *words)
    model = lowdim.PMIVectors(3, window=2, min_count=90, random_state=0).fit(planted_text())
    found = lowdim.load(tmp_path / "v.lowdim")
    assert found.index_to_key == model.wv.index_to_key and len(found) < 30
    np.testing.assert_allclose(found.vectors, model.wv.vectors, rtol=1e-6)


def test_several_files_patterns_and_folders_are_one_text(run, tmp_path):
    lines = planted_text()
    (tmp_path / "folder").mkdir()
    for i in range(3):
        (tmp_path / "folder" / f"{i}.txt").write_text("\n".join(lines[100 * i : 100 * i + 100]))
    folder = ["folder/0.txt", "folder/1.txt", "folder/2.txt"]
    for name, files in {"a": folder, "b": ["folder/*.txt"]}.items():
        run("embed", *files, "-o", f"{name}.bin", "--method", "pmi", "-d", 4, "-q")
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    said = run("embed", "folder", "-o", "c.bin", "--method", "pmi", "-d", 4).stdout
    assert "seen 3,000 times" in said


def test_a_column_of_a_table_is_a_text(run, tmp_path):
    records = [json.dumps({"body": line, "title": "x"}) for line in planted_text()]
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress("\n".join(records).encode()))
    run("embed", "t.jsonl.gz", "--text", "body", "-o", "v.lowdim", "--method", "pmi", "-d", 4)
    assert "ship" in lowdim.load(tmp_path / "v.lowdim")


def test_a_page_comes_with_it(run, text, tmp_path):
    said = run("embed", text, "-o", "v.bin", "--method", "pmi", "-d", 4, "--page", "w.html").stdout
    page = (tmp_path / "w.html").read_text(encoding="utf-8")
    assert "<title>v.bin: how words are related</title>" in page and "w.html" in said
    assert "times seen" in page  # which the file does not keep


def test_quiet_says_nothing(run, text):
    assert run("embed", text, "-o", "v.txt", "--method", "pmi", "-d", 2, "-q").output == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.txt", "-o", "v.txt"], "There is no file nowhere.txt"),
        (["no*.txt", "-o", "v.txt"], "There is no file no*.txt"),
        (["text.txt", "-o", "text.txt"], "text.txt is read; writing it would destroy it"),
        (["text.txt", "-o", "v.csv"], "End --output in .txt, .vec, .bin or .lowdim"),
        (["text.txt", "-o", "-"], "not written to standard output"),
        (["text.txt", "-o", "v.txt", "--page", "w.pdf"], "End --page in .html"),
        (["text.txt", "-o", "nowhere/v.txt"], "There is no folder"),
        (["text.txt"], "'-o'"),
        (["text.txt", "-o", "v.txt", "--min-count", "999"], "is the commonest with"),
        (["text.txt", "-o", "v.txt", "--method", "elmo"], "elmo"),
        (["text.txt", "-o", "v.txt", "-d", "0"], "0 is not in the range"),
        (["text.txt", "-o", "v.txt", "--epochs", "3"], "--epochs does not go with --method pmi"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(refused, text, tmp_path, arguments, said):
    method = [] if "--method" in arguments else ["--method", "pmi"]
    assert said in refused("embed", *arguments, *method)
    assert (tmp_path / "text.txt").read_text() == "\n".join(planted_text())


@pytest.mark.parametrize("method", ["softmax"])
def test_a_warning_names_the_option_and_not_the_argument(run, text, method):
    said = run("embed", text, "-o", "v.lowdim", "--method", method, "-d", 8, "--epochs", 2)
    assert "Raise --epochs." in said.stderr and "max_iter" not in said.stderr
