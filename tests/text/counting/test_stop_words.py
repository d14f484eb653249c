"""Lists of words by language, and stems."""

import pickle
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor

import pytest

from lowdim.text.counting.stop_words import Stemmer, is_language, stop_list


def test_lists_are_taken_as_they_are():
    assert stop_list(None) is None
    assert stop_list(["a", "b"]) == {"a", "b"}
    assert "the" in stop_list("english")


def test_a_language_is_asked_for_by_its_code(monkeypatch):
    lists = types.SimpleNamespace(
        has_lang=lambda code: code == "de",
        stopwords=lambda code: {"und", "oder"},
        langs=lambda: ["de"],
    )
    monkeypatch.setitem(sys.modules, "stopwordsiso", lists)
    assert stop_list("de") == {"und", "oder"}
    assert is_language("de") and not is_language("english") and not is_language(["de"])
    with pytest.raises(ValueError, match=r"not a built-in stop list: xx.*stopwordsiso: de"):
        stop_list("xx")


def test_without_the_package_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    with pytest.raises(ValueError, match=r"not a built-in stop list: de.*pip install stopwordsiso"):
        stop_list("de")


def test_each_word_is_stemmed_once():
    asked = []

    def stem(word):
        asked.append(word)
        return word[:3]

    stemmer = Stemmer(stem)
    assert stemmer(["argue", "argued", "argue"]) == ["arg", "arg", "arg"]
    assert stemmer(["argue"]) == ["arg"]
    assert asked == ["argue", "argued"]


def test_stemmers_are_asked_by_one_thread_at_a_time():
    inside = []

    def stem(word):
        inside.append(word)
        time.sleep(0.001)
        assert inside == [word]
        inside.clear()
        return word[:2]

    stemmer = Stemmer(stem)
    lists = [[f"{a}{b}{c}" for a in "ab" for b in "cd" for c in "ef"]] * 4
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(stemmer, lists):
            assert found == [word[:2] for word in lists[0]]


def test_stemmers_can_be_pickled():
    assert pickle.loads(pickle.dumps(Stemmer(str.upper)))(["a"]) == ["A"]


def test_languages_of_snowball_are_known():
    pytest.importorskip("snowballstemmer")
    assert Stemmer("english")(["argue", "argued", "arguing"]) == ["argu"] * 3
    with pytest.raises(ValueError, match=r"stemmer='klingon' is not a language.*english"):
        Stemmer("klingon")


def test_without_snowball_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ImportError, match=r"lowdim\[text\]"):
        Stemmer("english")
