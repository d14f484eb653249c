import tracemalloc

import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.compression import plan as plans
from tests.sparse.pictures.examples import picture

X = np.array([4.0, 2, 5, 5, 1, 3, 0, 8])


def test_golden_haar():
    """Coefficients 9.899, 1.414, -2, -2, 1.414, 0, -1.414, -5.657: 98 and 32 of 144 are kept."""
    c = lowdim.compress(X, "haar", keep=2)
    assert c.reconstruct() == pytest.approx([3.5, 3.5, 3.5, 3.5, 3.5, 3.5, -0.5, 7.5])
    assert c.error == pytest.approx(14)
    assert c.energy_kept == pytest.approx(130 / 144)
    assert lowdim.compress(X, "haar", epsilon=1.9).n_kept == 4


@pytest.mark.parametrize("basis", ["haar", "sym4", "dct", "dft", "hadamard", "lapped", "identity"])
@pytest.mark.parametrize("shape", [(64,), (32, 64)])
def test_the_error_is_the_energy_of_what_was_dropped(rng, basis, shape):
    x = rng.normal(size=shape)
    c = lowdim.compress(x, basis, keep=100 if len(shape) == 2 else 9, block=None, level=None)
    level = {"level": c.level} if c.level else {}
    z = np.sort(np.abs(sparse.basis(basis, shape, **level).analyze(x.ravel())))
    assert c.error == pytest.approx(np.sum(z[: -c.n_kept] ** 2), rel=1e-6)
    assert c.error == pytest.approx(np.sum((x - c.reconstruct()) ** 2), rel=1e-9)


@pytest.mark.parametrize("basis", ["bior4.4", "haar", "dct", "pca", "dft"])
@pytest.mark.parametrize("channels", [None, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_psnr_is_reached_and_hardly_more(rng, basis, channels, dtype):
    x = picture(rng, 33, 47, channels=channels, dtype=dtype)
    c = lowdim.compress(x, basis, psnr=35.0)
    again = c.reconstruct()
    assert again.dtype == dtype and again.shape == x.shape
    assert c.psnr == pytest.approx(sparse.psnr(x, again, peak=1.0 if dtype == np.float32 else None))
    assert 35 <= c.psnr < 35.3


def test_bytes_are_not_exceeded_and_nearly_used(rng):
    x = picture(rng, 128, 128)
    for nbytes in (1500, 3000):
        c = lowdim.compress(x, nbytes=nbytes)
        assert 0.97 * nbytes <= c.nbytes <= nbytes
    with pytest.raises(ValueError, match="nbytes=300 is less than the"):
        lowdim.compress(x, nbytes=300)


def test_more_is_better(rng):
    x = picture(rng, 64, 64)
    errors = [lowdim.compress(x, keep=k).error for k in (0.01, 0.05, 0.2, 1.0)]
    assert errors == sorted(errors, reverse=True) and errors[-1] == 0
    largest, first = (lowdim.compress(x, keep=200, selection=s) for s in ("largest", "first"))
    assert largest.error < first.error and largest.n_kept == first.n_kept == 200


def test_scales_are_those_of_the_figure(rng):
    """The coarsest scales of a picture that has nothing else are all of it."""
    x = np.kron(rng.normal(size=(8, 8)), np.ones((8, 8)))
    assert lowdim.compress(x, "haar", scales=3, level=6).error == pytest.approx(0, abs=1e-9)
    assert lowdim.compress(x, "haar", scales=2, level=6).error > 1


def test_components_of_a_picture_beat_cosines_with_as_many(rng):
    x = picture(rng, 64, 64, dtype=np.float64)
    pca = lowdim.compress(x, "pca", rank=4)
    dct = lowdim.compress(x, "dct", keep=4 * 64, selection="first")
    assert pca.n_kept == dct.n_kept == 256
    assert pca.error < dct.error
    assert pca.nbytes > dct.nbytes  # its basis counts


@pytest.mark.parametrize("target", [{"keep": 0.05}, {"epsilon": 0.01}, {"psnr": 40.0}])
def test_auto_finds_the_basis_of_a_signal(rng, target):
    t = np.arange(256)
    wave = np.cos(np.pi * (t + 0.5) * 9 / 256)
    assert lowdim.compress(wave, "auto", **target).basis == "dct"
    steps = np.repeat([0.1, 1.0, 0.1], [30, 8, 218])
    assert lowdim.compress(steps, "auto", **target).basis == "haar"


def test_large_pictures_are_cut_and_signals_are_not_cut_in_blocks(rng, monkeypatch):
    monkeypatch.setattr(plans, "TILE", 64)
    x = picture(rng, 130, 70)
    c = lowdim.compress(x, psnr=34.0)
    assert c.psnr >= 34 and c.reconstruct().shape == x.shape
    assert lowdim.compress(x, keep=333).n_kept == 333
    long = np.sin(np.arange(1000) / 30)
    assert lowdim.compress(long, "dct", keep=0.03).energy_kept > 0.99


@pytest.mark.parametrize("basis", ["bior4.4", "haar", "dct", "dft", "hadamard", "lapped"])
def test_very_long_signals_are_cut_in_pieces(rng, monkeypatch, basis):
    monkeypatch.setattr(plans, "TILE", 16)  # pieces of 256 numbers at the most
    x = np.cumsum(rng.normal(size=1000))
    assert len(lowdim.compress(x, basis, psnr=30.0)._contents.streams) == 4
    assert 30 <= lowdim.compress(x, basis, psnr=30.0).psnr < 30.3
    assert lowdim.compress(x, basis, keep=100).n_kept == 100
    assert lowdim.compress(x, basis, keep=100, selection="first").n_kept == 100
    assert lowdim.compress(x, basis, nbytes=3000).nbytes <= 3000
    # what a piece of its own is, a piece of a long signal is
    pieces = [lowdim.compress(x[i : i + 256], basis, epsilon=2.0) for i in range(0, 1000, 256)]
    whole = lowdim.compress(x, basis, epsilon=2.0)
    joined = np.concatenate([piece.reconstruct() for piece in pieces])
    assert np.array_equal(whole.reconstruct(), joined)


def test_memory_does_not_grow_with_the_transform_of_a_signal(rng, monkeypatch):
    monkeypatch.setattr(plans, "TILE", 64)
    monkeypatch.setattr("lowdim.sparse.pictures.strips.STRIP_PIXELS", 2**14)
    monkeypatch.setattr("lowdim.sparse.pictures.quality.STRIP", 2**14)
    x = np.cumsum(rng.normal(size=2**20)).astype(np.float32)
    lowdim.compress(x[: 2**14], epsilon=5.0)  # imports
    peaks = []
    for n in (2**18, 2**20):
        tracemalloc.start()
        with lowdim.config_context(threads=1):
            lowdim.compress(x[:n], epsilon=5.0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # for each number: itself again (4 bytes), whether it is kept (1), and what is kept (1); a
    # transform of the whole takes 8 bytes several times
    assert peaks[1] - peaks[0] < 7 * (2**20 - 2**18)


@pytest.mark.parametrize("size", [(1,), (2,), (1, 1), (1, 9), (3, 2), (17, 1, 3)])
@pytest.mark.parametrize("basis", ["bior4.4", "dct", "pca", "svd", "hadamard"])
@pytest.mark.filterwarnings("ignore:rank=")
def test_tiny_ones(rng, size, basis):
    x = rng.integers(0, 256, size, dtype=np.uint8)
    if len(size) == 1 and basis in ("pca", "svd"):
        return
    c = lowdim.compress(x, basis, psnr=30.0)
    assert c.psnr >= 30 and c.reconstruct().shape == x.shape


def test_constant_and_extreme_ones():
    flat = np.full((20, 30), 77, np.uint8)
    assert np.abs(lowdim.compress(flat, psnr=40.0).reconstruct() - 77.0).max() <= 2
    for scale in (1e-150, 1e150):
        x = scale * np.sin(np.arange(64.0))
        again = lowdim.compress(x, "dct", psnr=40.0).reconstruct()
        assert sparse.psnr(x / scale, again / scale) >= 39.9


@pytest.mark.parametrize("basis, unit", [("bior4.4", 1e150), ("svd", 1e30), ("pca", 1e30)])
def test_values_that_are_too_large(basis, unit):
    x = np.outer(np.linspace(0, 1, 16), np.linspace(0, 1, 16))
    large = lowdim.compress(x * unit, basis, psnr=40)
    assert large.psnr >= 40 and np.isfinite(large.reconstruct()).all()
    with pytest.raises(ValueError, match=r"values as large as 1e\+.*divide it by its largest"):
        lowdim.compress(x * unit * 10, basis, psnr=40)


def test_bad_targets():
    with pytest.raises(ValueError, match="no target; choose one of keep, epsilon, psnr, nbytes"):
        lowdim.compress(X)
    with pytest.raises(ValueError, match="targets keep=3 and psnr=30"):
        lowdim.compress(X, keep=3, psnr=30)
    for bad in ({"keep": 0}, {"keep": 9}, {"keep": 1.5}, {"keep": -0.1}, {"psnr": -3.0},
                {"psnr": np.nan}, {"epsilon": -1.0}, {"nbytes": 2.5}, {"keep": True}):  # fmt: skip
        with pytest.raises(ValueError, match=f"{next(iter(bad))}="):
            lowdim.compress(X, "haar", **bad)


def test_what_does_not_go_together(rng):
    x = picture(rng)
    cases = [
        (X, {"basis": "wave", "keep": 2}, "basis='wave' is not known"),
        (X, {"basis": "svd", "rank": 2}, "needs a picture"),
        (X, {"basis": "pca", "rank": 2}, "needs a picture"),
        (x, {"rank": 3}, "rank=3 is for basis='svd' and 'pca'"),
        (x, {"basis": "svd", "rank": 41}, "choose at most 40"),
        (x, {"basis": "svd", "keep": 3}, "choose rank, epsilon"),
        (x, {"basis": "dct", "scales": 1}, "is for wavelets"),
        (x, {"scales": 99}, "there are 2 scales"),
        (x, {"psnr": 30, "selection": "first"}, "goes with keep"),
        (x, {"psnr": 30, "selection": "last"}, "selection='last'"),
        (x, {"psnr": 30, "color": "cmyk"}, "color='cmyk'"),
        (x, {"psnr": 30, "level": 9}, "choose at most 6"),
        (x, {"psnr": 30, "basis": "dct", "block": 65}, "at most 64"),
        (x, {"basis": "pca", "rank": 2, "block": None}, "learns from blocks"),
        (x, {"basis": "auto", "rank": 2}, "name the basis"),
        (np.array([1.0, np.nan]), {"keep": 1}, "lowdim.inpaint"),
    ]
    for signal, settings, message in cases:
        with pytest.raises(ValueError, match=message):
            lowdim.compress(signal, **settings)
