import pytest

from lowdim import sparse


@pytest.mark.parametrize("kind", ["DCT", "fourier", None, 3])
def test_an_unknown_kind_says_what_there_is(kind):
    with pytest.raises(ValueError, match="is not known; choose one of identity, dft, dct"):
        sparse.basis(kind, 8)


@pytest.mark.parametrize("kind", ["dct-overcomplete", "grassmannian"])
def test_redundancy_is_checked(kind):
    assert sparse.basis(kind, 8, redundancy=3).shape == (8, 24)
    with pytest.raises(ValueError, match="redundancy=0"):
        sparse.basis(kind, 8, redundancy=0)


def test_block_is_checked():
    with pytest.raises(ValueError, match="block=0"):
        sparse.basis("dct", 8, block=0)
