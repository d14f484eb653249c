"""Text files that turn out otherwise far down, and readers that take them piece by piece."""

from lowdim.tables.formats import csv, sample


def small_pieces(monkeypatch, size=64):
    monkeypatch.setattr(csv, "PIECE_BYTES", size)
    monkeypatch.setattr(sample, "SAMPLE_BYTES", size)
    monkeypatch.setattr(sample, "LOOK_BYTES", 0)
    monkeypatch.setattr(csv, "COLUMN_BYTES", 1)


def deep(value, n=100):
    """A table whose last row holds a value of another kind than the rows before it."""
    return (
        "a,b,c\n"
        + "".join(f"{i},1.5,x\n" for i in range(n))
        + value
        + "".join(f"{i},1.5,x\n" for i in range(n))
    )
