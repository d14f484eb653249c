"""A small table with a truth to find, and its page with everything in it."""

from contextlib import contextmanager

import pytest

import lowdim
from lowdim.report.maps import changes
from tests.report.samples import planted_table

MAPS = ("pca", "mds", "sammon", "tsne", "umap")


@contextmanager
def few_rows_again():
    """In it maps are made again from few rows only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "CHANGED_ROWS", 50)
        yield


def planted_report(maps=MAPS, **settings):
    """The page of maps of the planted table, hostile names and all."""
    with few_rows_again():
        return lowdim.map_table(planted_table(), "word", maps=maps, id="name", **settings)
