"""Texts and tests of word vectors are read, and a wrong line is named."""

import gzip

import pytest

from lowdim.datasets import (
    load_analogies,
    load_brown,
    load_dictionary,
    load_wikipedia,
    load_word_similarity,
)


@pytest.fixture
def file(tmp_path):
    def write(content, name="f.txt"):
        content = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def test_articles_have_titles_and_texts(file):
    found = load_wikipedia(file(gzip.compress(b"Tea\ttea is hot\nCup\ta cup\n"), "w.txt.gz"))
    assert found.title == ["Tea", "Cup"] and found.text == ["tea is hot", "a cup"]


def test_sentences_have_categories_and_files(file):
    found = load_brown(file("news\tca01\tThe jury said .\n\nlore\tcf02\tNo .\n"))
    assert found == (["news", "lore"], ["ca01", "cf02"], ["The jury said .", "No ."])


def test_analogies_come_by_section(file):
    text = ": capitals\nAthens Greece Oslo Norway\n: plural\ncat cats dog dogs\n"
    expected = {
        "capitals": [("Athens", "Greece", "Oslo", "Norway")],
        "plural": [("cat", "cats", "dog", "dogs")],
    }
    assert load_analogies(file(text)) == expected
    table = "type,word1,word2,word3,target\nplural,cat,cats,dog,dogs\n"
    assert load_analogies(file(table, "msr.csv")) == {"plural": expected["plural"]}


def test_similarities_come_by_data_set(file):
    table = "dataset,word1,word2,score\nmen,tea,cup,7.5\nrw,a,b,1\nmen,x,y,2\n"
    found = load_word_similarity(file(table, "s.csv"))
    assert found == {"men": [("tea", "cup", 7.5), ("x", "y", 2.0)], "rw": [("a", "b", 1.0)]}
    lines = "# made up\nWord 1\tWord 2\tHuman\ntea\tcup\t7.5\n"
    assert load_word_similarity(file(lines, "ws.tsv")) == {"ws": [("tea", "cup", 7.5)]}
    assert load_word_similarity(file("word1,word2,score\na,b,1\n", "t.csv")) == {
        "t": [("a", "b", 1)]
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.csv", "en,fr,both\ndog,chien,1\ndog,toutou,0\n"),
        ("d.csv", "dog,chien\ndog,toutou\n"),
        ("d.csv", "Source,Target\ndog,chien\ndog,toutou\n"),
        ("d.csv", '"dog","chien"\n"dog","toutou"\n'),
        ("muse.txt", "dog chien\ndog\ttoutou\n"),
    ],
)
def test_dictionaries_have_several_answers(file, name, text):
    assert load_dictionary(file(text, name)) == [("dog", "chien"), ("dog", "toutou")]


WRONG = {
    "no title": (load_wikipedia, "f", "a\tb\nno tab\n", "line 2: 'no tab' is not a title"),
    "no file": (load_brown, "f", "news\tThe jury .\n", "line 1: .* is not a category"),
    "no section": (load_analogies, "f", "a b c d\n", "line 1: .* the name of a section"),
    "three words": (load_analogies, "f", ": s\na b c\n", "line 2: 'a b c' is not four words"),
    "four columns": (load_analogies, "f.csv", "t,a,b,c\n", "line 1: 't,a,b,c' is not type"),
    "no score": (load_word_similarity, "f", "a\tb\t1\na\tb\tx\n", "line 2: 'a,b,x' is not two"),
    "two columns": (load_word_similarity, "f.csv", "a,b\n", "line 1: 'a,b' is not two words"),
    "one word": (load_dictionary, "f", "dog\n", "line 1: 'dog' is not a word and its translation"),
    "encoding": (load_dictionary, "f", b"a b\nca\xe7 d\n", "line 2: this is not in UTF-8"),
    "cut": (load_dictionary, "f.gz", gzip.compress(b"a b\n" * 99)[:-10], "damaged or cut short"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_line_is_named(file, name):
    load, path, text, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        load(file(text, path))


def test_the_published_files_are_read(data_dir):
    analogies = load_analogies(data_dir / "questions-words.txt.gz")
    assert len(analogies) == 14 and sum(map(len, analogies.values())) == 19544
    assert sum(map(len, load_analogies(data_dir / "msr_analogies.csv.gz").values())) == 8000
    assert len(load_word_similarity(data_dir / "word_similarity.csv")["men"]) == 3000
    assert len(load_dictionary(data_dir / "dict_en_fr.csv.gz")) == 13663
    brown = load_brown(data_dir / "brown_corpus.tsv.gz")
    assert len(brown.text) == 57340 and len(set(brown.category)) == 15
