import numpy as np
import pytest

from lowdim.sparse.compression.bands import fixed_bands
from lowdim.sparse.compression.coding import Reader, Writer, opened, squeezed

KINDS = {"bior4.4": (37, 50), "dct": (40, 33), "dft": (15, 8), "haar": (100,), "identity": (1,)}


def written(transform, planes):
    writer = Writer()
    for bands in planes:
        writer.add(transform, bands)
    return writer.packed()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.0, 0.7, 30.0, 1e6, 1e17])
def test_numbers_come_back(rng, kind, scale):
    transform = fixed_bands(kind, KINDS[kind], None, 8)
    planes = [
        [np.rint(scale * rng.laplace(size=s)).astype(np.int64) for s in transform.shapes]
        for _ in range(2)
    ]
    reader = Reader(written(transform, planes), [transform, transform])
    for bands in planes:
        for band, again in zip(bands, reader.bands(transform), strict=True):
            assert np.array_equal(band, again)
    reader.end()


def test_numbers_that_lie_together_cost_less(rng):
    transform = fixed_bands("bior4.4", (128, 128), 3, None)
    x = np.zeros((128, 128))
    x[40:80, 40:80] = 100.0
    bands = [np.rint(band / 4).astype(np.int64) for band in transform.analyze(x)]
    mixed = [rng.permutation(band.ravel()).reshape(band.shape) for band in bands]
    assert len(written(transform, [bands])) < 0.7 * len(written(transform, [mixed]))


@pytest.mark.parametrize("damage", ["cut", "flip", "longer", "other"])
def test_damaged_streams_are_noticed_or_decode_to_something(rng, damage):
    transform = fixed_bands("haar", (32, 32), 2, None)
    bands = [rng.integers(-3, 4, s) for s in transform.shapes]
    stream = bytearray(written(transform, [bands]))
    if damage == "cut":
        stream = stream[: len(stream) // 2]
    elif damage == "flip":
        stream[len(stream) // 2] ^= 255
    elif damage == "longer":
        stream = squeezed(bytes(100_000))
    else:
        stream = squeezed(bytes(20))
    with pytest.raises(ValueError, match="cannot be read"):
        reader = Reader(bytes(stream), [transform])
        reader.bands(transform)
        reader.end()


def test_no_more_is_unpacked_than_is_promised():
    assert opened(squeezed(bytes(100)), 100) == bytes(100)
    with pytest.raises(ValueError, match="do not end"):
        opened(squeezed(bytes(10**6)), 100)
