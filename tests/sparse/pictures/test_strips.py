import numpy as np
import pytest

from lowdim.sparse.pictures.strips import pieces, strips, tiles, with_margin


@pytest.mark.parametrize("size", [(1,), (10,), (7, 3), (1000, 7), (3, 5000)])
def test_strips_cover_everything_once(size):
    seen = np.zeros(size, int)
    for rows in strips(size, pixels=50):
        seen[rows] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("size", [(9,), (64, 64), (65, 200), (1000, 129), (3, 700)])
def test_tiles_cover_everything_once_and_none_is_too_large(size):
    seen = np.zeros(size, int)
    for tile in tiles(size, 128):
        seen[tile] += 1
        assert len(size) == 1 or all(part.stop - part.start <= 128 for part in tile)
    assert (seen == 1).all()


@pytest.mark.parametrize("size", [(9,), (64,), (65,), (1000,), (65, 200)])
def test_pieces_of_signals_are_no_longer_than_a_tile_has_pixels(size):
    seen = np.zeros(size, int)
    for piece in pieces(size, 8):
        seen[piece] += 1
        assert np.prod([part.stop - part.start for part in piece]) <= 64
    assert (seen == 1).all()


def test_margins_end_at_the_picture():
    assert with_margin(slice(0, 4), 3, 10) == slice(0, 7)
    assert with_margin(slice(4, 9), 3, 10) == slice(1, 10)
