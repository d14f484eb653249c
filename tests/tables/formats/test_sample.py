"""The first rows of a text file, and a look further down."""

from lowdim.tables.formats import open_file, sample


def test_a_look_at_the_end_of_the_file_saves_reading_it_twice(write, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_BYTES", 256)
    table = open_file(write("t.csv", "a,b\n" + "1,2\n" * 1000 + "x,3\n"), stream=True)
    assert str(table.schema.field("a").type).startswith(("string", "dictionary"))
