import json
import zipfile

import numpy as np
import pytest

import lowdim
from lowdim.sparse.compression import plan as plans
from tests.sparse.pictures.examples import picture

TARGETS = [
    ("bior4.4", {"psnr": 33.0}),
    ("haar", {"keep": 0.1}),
    ("dct", {"epsilon": 20.0}),
    ("pca", {"psnr": 33.0}),
    ("pca", {"rank": 3}),
    ("svd", {"rank": 4}),
]


@pytest.mark.parametrize("basis, target", TARGETS)
@pytest.mark.parametrize("tile", [64, 1024])
def test_a_file_gives_the_same_again(rng, tmp_path, monkeypatch, basis, target, tile):
    monkeypatch.setattr(plans, "TILE", tile)
    c = lowdim.compress(picture(rng, 70, 90, channels=3), basis, **target)
    c.save(tmp_path / "x.lowdim")
    again = lowdim.load(tmp_path / "x.lowdim")
    assert (tmp_path / "x.lowdim").stat().st_size == c.nbytes == again.nbytes
    assert np.array_equal(again.reconstruct(), c.reconstruct())
    for name in (
        "n_kept",
        "error",
        "energy_kept",
        "psnr",
        "ssim",
        "basis",
        "shape",
        "dtype",
        "step",
    ):
        assert getattr(again, name) == getattr(c, name)
    assert repr(again) == repr(c) and f"in {basis}" in repr(c)


@pytest.mark.parametrize("target", [{"psnr": 33.0}, {"keep": 0.1}])
def test_files_of_signals_are_of_one_piece_or_of_several(rng, tmp_path, monkeypatch, target):
    x = np.cumsum(rng.normal(size=900))
    one = lowdim.compress(x, **target)  # as all signals were stored once
    one.save(tmp_path / "one.lowdim")
    expected = {"one": one.reconstruct()}
    monkeypatch.setattr(plans, "TILE", 16)
    several = lowdim.compress(x, **target)
    several.save(tmp_path / "several.lowdim")
    expected["several"] = several.reconstruct()
    assert len(several._contents.streams) == 4
    for name, signal in expected.items():
        again = lowdim.load(tmp_path / f"{name}.lowdim")
        assert np.array_equal(again.reconstruct(), signal)


def changed(path, change):
    """The same file with other fields, in an undamaged zip."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(parts["lowdim.json"])
    change(document["tree"]["fields"])
    parts["lowdim.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), part)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [60000, 60000]},
        {"shape": [40, 56, 9]},
        {"shape": [40]},
        {"shape": [31, 56]},
        {"shape": "large"},
        {"basis": "os.system"},
        {"basis": "svd"},
        {"basis": "pca"},
        {"basis": ["haar"]},
        {"color": "pink"},
        {"level": 40},
        {"level": None},
        {"level": 31},
        {"step": 0.0},
        {"step": "1"},
        {"dtype": "|O"},
        {"error": "none"},
        {"ssim": [1]},
        {"lengths": [1, 2]},
        {"stream": None},
    ],
    ids=str,
)
def test_damaged_files_are_refused(rng, tmp_path, change):
    path = tmp_path / "x.lowdim"
    lowdim.compress(picture(rng), psnr=30.0).save(path)
    changed(path, lambda fields: fields.update(change))
    with pytest.raises(lowdim.LoadError):
        lowdim.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"bits": "many"},
        {"bits": []},
        {"bits": [[]]},
        {"bits": [[3, 3]]},
        {"bits": [[-1] * 64]},
        {"mean_step": 0.0},
        {"rounded": None},
        {"block": None},
        {"block": 4},
    ],
    ids=lambda change: str(change)[:30],
)
def test_damaged_atoms_are_refused(rng, tmp_path, change):
    path = tmp_path / "x.lowdim"
    lowdim.compress(picture(rng), "pca", psnr=30.0).save(path)
    changed(path, lambda fields: fields.update(change))
    with pytest.raises(lowdim.LoadError):
        lowdim.load(path)


def test_the_stored_basis_is_small(rng):
    x = picture(rng, 64, 64, channels=3)
    fields = lowdim.compress(x, "pca", psnr=38.0)._fields()
    k = len(fields["bits"][0])
    assert fields["rounded"].nbytes < 0.2 * (3 * k * 64 * 4)  # of float32


def test_a_missing_field_and_a_cut_file(rng, tmp_path):
    path = tmp_path / "x.lowdim"
    c = lowdim.compress(picture(rng), psnr=30.0)
    c.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(lowdim.LoadError):
        lowdim.load(path)
    path.write_bytes(whole)
    changed(path, lambda fields: fields.pop("color"))
    with pytest.raises(lowdim.LoadError):
        lowdim.load(path)


def test_atoms_are_there_if_they_were_learnt(rng):
    x = picture(rng)
    assert lowdim.compress(x, "pca", rank=3).atoms().shape == (1, 3, 8, 8)
    assert lowdim.compress(x, "dct", keep=0.1).atoms() is None
