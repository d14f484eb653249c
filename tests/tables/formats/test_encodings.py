"""How characters are written is found from marks, zero bytes, and what decodes to words."""

import sys

import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats.encodings import first_invalid, found_encoding

WESTERN = "stadt;wert\nKöln;1,5\nMünchen;2\nGroß-Gerau;3\nÖhringen;4\nÜbersee;5\nÄ;6\n"
FRENCH = "nom,lieu\nHélène,Orléans\nFrançois,Besançon\nJérôme,Nîmes\nZoé,Sète\nGaël,Où\n"
POLISH = "imię,miasto\nŁukasz,Łódź\nŻaneta,Gdańsk\nŚwiętosława,Częstochowa\nJoanna,Poznań\n"
RUSSIAN = "имя,город\nИван,Москва\nОльга,Новосибирск\nПётр,Санкт-Петербург\nМария,Омск\n"
JAPANESE = "名前,都市\n田中太郎,東京\n鈴木花子,大阪\n佐藤,札幌\n高橋一郎,名古屋\n"


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("a,b\n1,2\n", "ascii", "utf-8"),
        (WESTERN, "utf-8", "utf-8"),
        (WESTERN, "utf-8-sig", "utf-8"),
        (WESTERN, "utf-16", "utf-16"),
        (WESTERN, "utf-16-le", "utf-16-le"),
        (WESTERN, "utf-16-be", "utf-16-be"),
        (JAPANESE, "utf-16-le", "utf-16-le"),
        (WESTERN, "utf-32", "utf-32"),
        (WESTERN, "latin-1", "cp1252"),
        (WESTERN, "cp1252", "cp1252"),
        (FRENCH, "latin-1", "cp1252"),
        ("item,price\ncafé,5 €\n“quoted” – dash,6 €\n", "cp1252", "cp1252"),
        ("t,unit\n" + "20,°C\n" * 20, "latin-1", "cp1252"),
        (POLISH, "cp1250", "cp1250"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (JAPANESE, "shift_jis", "cp932"),
    ],
)
def test_the_encoding_is_found_and_gives_the_text_back(text, encoding, found):
    content = text.encode(encoding)
    assert found_encoding(content, "t.csv") == found
    assert content.decode(found).removeprefix("\ufeff") == text


def test_a_character_that_is_cut_at_the_end_does_not_matter():
    assert found_encoding("a,é".encode()[:-1], "t.csv") == "utf-8"


def test_bytes_that_cp1252_does_not_have_make_it_latin_1():
    assert found_encoding(b"a,b\n1,\x81\xe9\n", "t.csv") == "latin-1"


@pytest.mark.parametrize("content", [b"a,b\n1,\0\n", b"\0" * 100, bytes(range(256)) * 4])
def test_zero_bytes_that_are_no_utf_16_are_refused(content):
    with pytest.raises(
        TableError, match=r"t\.csv is not a text table: it has zero bytes.*encoding"
    ):
        found_encoding(content, "t.csv")


def test_without_charset_normalizer_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert found_encoding(FRENCH.encode("cp1252"), "t.csv") == "cp1252"
    with pytest.raises(ImportError, match=r'needs charset-normalizer: pip install "lowdim\[io\]"'):
        found_encoding(RUSSIAN.encode("cp1251"), "t.csv")


def test_the_first_bytes_that_are_not_utf8_are_found():
    assert first_invalid("né".encode() + b"x\xff\xfe") == 4
    assert first_invalid("né".encode()) == 3
