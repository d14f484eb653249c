"""Separator, quotes, comments, names and units are found from the content."""

import pytest

from lowdim.tables.formats.detect import find_layout
from lowdim.tables.formats.form import TextFormat

BLANKS = "whitespace"


def found(text, **form):
    return find_layout(text.encode(), TextFormat(**form))


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n", ","),
        ("a;b;c\n1,5;2,5;3\n4,5;5,25;6\n", ";"),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n7,5;8,5;9,5\n", ";"),
        ("a\tb\n1\t2\n3\t4\n", "\t"),
        ("name\tplace\tn\nAnn\tParis, France\t1\nBob\tRome, Italy\t2\n", "\t"),
        ("id|name|x\n1|Ann|2.5\n2|Bob|3.5\n", "|"),
        ("id|name|x\n1|Smith, Ann|2.5\n2|Doe, Bob|3.5\n", "|"),
        ("   a     b      c\n 1.0   2.0    3.0\n10.5   2.25 100.0\n", BLANKS),
        (" 1.0   2.0    3.0\n10.5   2.25 100.0\n 3.0   1.0   0.5\n", BLANKS),
        ('18.0   8   307.0\t"buick skylark"\n15.0   8   350.0\t"ford torino"\n', BLANKS),
        ("1,5 2,5 3,5\n4,5 5,5 6,5\n1,2 3,4 5,6\n", BLANKS),
        ("a b c\n1 1.5 2.5 3.5\n2 4.5 5.5 6.5\n", BLANKS),
        ('name,quote\n"Smith, Ann","said ""no"""\n"Doe, Bob","yes, sir"\n', ","),
        ('id,text\n1,"a\nb"\n2,"c\nd,e"\n3,f\n', ","),
        ("name,n\nO'Brien,1\nD'Angelo,2\nIt's,3\n", ","),
        ("when,value\n2020-01-01 10:00:00,1.5\n2020-01-01 11:00:00,2.5\n", ","),
        ("Datum;Wert;Ort\n31.12.2020;1.234,56;Bonn\n01.01.2021;2.345,67;Rom\n", ";"),
        ('name,amount\nA,"1,200"\nB,"3,450"\nC,"12,000"\n', ","),
        ("# made by x; version 2\n# date: 2020, May\na,b\n1,2\n3,4\n", ","),
        ("id,url,n\n1,http://a.b/c?d=e;f=g,5\n2,http://x.y/z?q=1;r=2,6\n", ","),
        ('id,review\n1,"Good; really good | yes"\n2,"Bad; a mess"\n3,"So-so, but ok"\n', ","),
        ("39, State-gov, 77516, <=50K\n50, Self-emp, 83311, <=50K\n38, Private, 2, >50K\n", ","),
        ("a,b,c,d\n1,,3,\n,2,,4\n1,2,3,4\n", ","),
        ("id,tags,n\n1,red;green,3\n2,blue;red,4\n3,green;blue,5\n", ","),
        ("id\ttags\n1\ta,b\n2\tc,d\n3\te,f\n", "\t"),
        ("path|size\n/usr/lib, old|5\n/home/x y|6\n/tmp|7\n", "|"),
        ("Report of 2020\n\nname,x,y\na,1,2\nb,3,4\nc,5,6\n", ","),
        ("a,b,c\n1,2,3\n4,5\n7,8,9\n1,1,1\n", ","),
        ("x\n1.5\n2.5\n3.5\n", ""),
        ("x\n1,5\n2,5\n3,5\n4,5\n", ""),
        ("name\nJohn Smith\nJane Doe\nMary Ann Miller\nBob\n", ""),
    ],
)
def test_the_separator_is_found(text, separator):
    form = found(text).form
    assert (form.separator, form.quote) == (separator, '"')


def test_single_quotes_are_found_where_fields_stand_between_them():
    assert found("id,text,n\n1,'a, b',3\n2,'c, d',4\n3,'e',5\n").form.quote == "'"


def test_what_is_said_is_not_questioned():
    layout = found("a;b\n1;2\n", separator="|", quote="", decimal=",", header=False)
    assert layout.width == 1 and layout.header is None
    form = layout.form
    assert (form.separator, form.quote, form.decimal, form.header) == ("|", "", ",", False)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("a,b\nx,y\nz,w\n", ["a", "b"]),
        ("1,2\n3,4\n", None),
        ("Ann,1\nBob,2\n", None),
        ("x,y,a\nz,w,b\nx,y,a\nx,w,b\n", None),
        ("1,2,3\n4,5,6\n", None),
        (
            "country,1990,1991,1992\nA,1.5,2.5,3.5\nB,4.5,5.5,6.5\n",
            ["country", "1990", "1991", "1992"],
        ),
        ("0,1,2\n0.5,1.5,2.5\n3.5,4.5,5.5\n", ["0", "1", "2"]),
        (",x\n0,1.5\n1,2.5\n", ["", "x"]),
        ("day,x\n2020-01-01,1\n", ["day", "x"]),
        ("2020-01-01,1\n2020-01-02,2\n", None),
        ("a,b\nNA,\n1,2\n", ["a", "b"]),
        ("a,b\n", ["a", "b"]),
        ("1,2\n", None),
    ],
)
def test_a_row_of_names_is_distinguished_from_values(text, header):
    assert found(text).header == header


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("h,w\ncm,kg\n1,2\n3,4\n", ["cm", "kg"]),
        ("name,h\n,(cm)\nx,2\ny,4\n", ["", "(cm)"]),
        ("t,p\n[°C],[hPa]\n1,2\n3,4\n", ["[°C]", "[hPa]"]),
        ("a,b\nm/s,count\n1,2\n3,4\n", ["m/s", "count"]),
        ("a,b\nunknown,NA\n1,2\n3,4\n", None),
        ("a,b\nNA,?\n1,2\n3,4\n", None),
        ("a,b\n1,kg\n1,2\n3,4\n", None),
        ("a,b\nx,y\nz,w\n", None),
        ("a,b\ncm,kg\n", None),
    ],
)
def test_units_are_found_above_numbers(text, units):
    layout = found(text)
    assert layout.units == units and layout.form.units == (units is not None)


def test_rows_start_after_comments_titles_names_and_units():
    text = "# c\n\nh,w\ncm,kg\n1,2\n3,4\n"
    layout = found(text)
    assert text.encode()[layout.skip :] == b"1,2\n3,4\n" and layout.form.comment == "#"
    titled = "Report\n\nname,x,y\na,1,2\nb,3,4\n"
    layout = found(titled)
    assert (layout.lead, titled[layout.skip :]) == (1, "a,1,2\nb,3,4\n")


def test_names_in_a_comment_are_taken_as_numpy_writes_them():
    assert found("# x y\n1.5 2.5\n3.5 4.5\n").header == ["x", "y"]
    assert found("# made in May\n1,2\n3,4\n").header is None


def test_a_mark_of_comments_that_begins_values_as_well_marks_only_what_is_above():
    layout = found("# tags\ntag,n\n#a,1\n#b,2\nc,3\n")
    assert layout.form.comment == "" and layout.header == ["tag", "n"]
    assert found("#a,1\n#b,2\n").form.comment == ""


def test_a_header_that_is_one_short_leaves_out_the_names_of_rows_or_an_empty_end():
    assert found("a b c\nr1 1 2 3\nr2 4 5 6\n").width == 4
    assert not found("a,b,c\nr1,1,2,3\nr2,4,5,6\n").ends_empty
    assert found("a,b,c\n1,2,3,\n4,5,6,\n").ends_empty


def test_lines_may_end_in_carriage_returns_alone():
    layout = found("a,b\r1,2\r3,4\r")
    assert layout.newline == b"\r" and layout.header == ["a", "b"] and layout.skip == 4
