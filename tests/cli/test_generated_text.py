"""`lowdim generate` of text: more of it, from a file or from a saved model."""

import gzip

import pytest

from lowdim.cli import generated_text
from lowdim.cli.generated_text import TextWish, is_prose

TEXT = (
    "ROMEO:\nwhat light is that, my love?\n\nJULIET:\nit is the east, and so on it goes!\n\n" * 12
)


@pytest.fixture
def text(write, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(generated_text, "STEPS", 30)
    return write("play.txt", TEXT)


def test_texts_begin_with_the_prompt_and_have_their_length(run, text):
    result = run("generate", text, "--prompt", "ROMEO:", "--length", 40, "-n", 3)
    texts = result.stdout.removesuffix("\n").split(f"\n{generated_text.RULE}\n")
    assert [len(one) for one in texts] == [46] * 3
    assert all(one.startswith("ROMEO:") for one in texts) and len(set(texts)) == 3
    assert set("".join(texts)) <= set(TEXT)
    assert "3 texts of 40 characters" in result.stderr and "bits each" in result.stderr


def test_a_saved_model_writes_the_same_and_a_page_shows_it(run, text, tmp_path):
    run("generate", text, "--length", 30, "--model", "m", "-o", "a.txt", "--page", "p.html", "-q")
    run("generate", "m", "--length", 30, "-o", "b.txt", "-q")
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "b.txt").read_text()
    assert '<section id="texts"' in (tmp_path / "p.html").read_text()


def test_what_is_prose(tmp_path):
    for name, words, expected in (
        ("a.txt", "To be,\nor not\nto be, that\n", True),
        ("b.txt", "a,b\n1,2\n3,4\n", False),
        ("c.txt", "a b\n1 2\n3 4\n", False),
        ("d.csv", "To be, or\nnot", False),
        ("e.txt", "", True),
    ):
        (tmp_path / name).write_text(words)
        assert is_prose(str(tmp_path / name)) is expected
    (tmp_path / "f.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert is_prose(str(tmp_path / "f.txt.gz"))
    assert not is_prose(str(tmp_path / "absent.txt"))
    assert TextWish(None, 3, None).said and not TextWish(None, None, None).said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--prompt", "ROMEO§"], "--prompt has '§', which play.txt never has"),
        (["--length", "0"], "'--length'"),
        (["--temperature", "-1"], "'--temperature'"),
        (["--holes"], "--holes goes with a table, not with texts"),
        (["--method", "vae"], "--method goes with a table, not with texts"),
        (["--given", "a=b"], "--given goes with a table"),
        (["--image-shape", "8x8"], "--image-shape goes with images"),
        (["-o", "play.txt"], "play.txt"),
        (["--page", "p.png"], "p.png"),
    ],
)
def test_bad_options_are_named_before_any_work(refused, text, options, words):
    assert words in refused("generate", text, *options)


def test_too_little_text_is_refused(refused, write):
    pytest.importorskip("torch")
    assert "has 5 characters; a model of text needs 100" in refused(
        "generate", write("s.txt", "to be"), "--length", 5
    )


def test_text_options_do_not_go_with_tables(refused, run, mixed):
    run("complete", mixed, "-k", 1, "--model", "m.lowdim", "-q")
    assert "go with a text" in refused("generate", "m.lowdim", "--prompt", "a")


def test_what_only_the_end_has_is_not_read(run, tmp_path):
    (tmp_path / "end.txt").write_text("to be or not to be, " * 20 + "§")
    run("generate", "end.txt", "--length", 5, "--steps", 3, "-o", "t.txt", "--page", "t.html")
    assert "written texts" in (tmp_path / "t.html").read_text()


def test_a_prompt_of_what_only_the_end_has_is_refused_before_learning(refused, tmp_path):
    (tmp_path / "end.txt").write_text("to be or not to be, " * 20 + "§")
    assert "--prompt has '§'" in refused("generate", "end.txt", "--prompt", "§", "--length", 5)
