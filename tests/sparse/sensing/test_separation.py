import numpy as np
import pytest

from lowdim import sparse


def spikes_and_waves(rng, D=64):
    spikes, code = np.zeros(D), np.zeros(D)
    spikes[rng.choice(D, 3, replace=False)] = rng.choice([-1, 1], 3) * rng.uniform(1, 2, 3)
    code[rng.choice(D, 3, replace=False)] = rng.choice([-1, 1], 3) * rng.uniform(1, 2, 3)
    return spikes, sparse.basis("dct", D).synthesize(code)


def test_spikes_and_waves_come_apart(rng):
    spikes, waves = spikes_and_waves(rng)  # 6 atoms; coherence promises 3
    parts = sparse.separate(spikes + waves, ["identity", "dct"])
    assert np.allclose(parts, [spikes, waves], atol=1e-7)


def test_noise_is_left_out(rng):
    spikes, waves = spikes_and_waves(rng)
    x = spikes + waves + 0.01 * rng.normal(size=64)
    parts = sparse.separate(x, ["identity", "dct"], noise=0.1)
    assert np.linalg.norm(x - parts.sum(axis=0)) == pytest.approx(0.1, rel=1e-6)
    assert np.linalg.norm(parts - [spikes, waves]) < 0.5


def test_a_picture_is_cartoon_and_texture():
    """Fig. 9.13: blocks are sparse in Haar, a pattern of cosines is sparse in the DCT."""
    cartoon = np.zeros((64, 64))
    cartoon[16:48, 8:40] = 2.0
    cartoon[32:40, 48:64] = -1.0
    code = np.zeros((64, 64))
    code[20, 31], code[7, 45] = 30.0, -25.0
    texture = sparse.basis("dct", (64, 64)).synthesize(code.ravel()).reshape(64, 64)
    parts = sparse.separate(cartoon + texture, ["haar", sparse.basis("dct", (64, 64))])
    assert parts.shape == (2, 64, 64)
    assert np.allclose(parts.sum(axis=0), cartoon + texture, atol=1e-6)
    assert np.linalg.norm(parts[0] - cartoon) < 0.03 * np.linalg.norm(cartoon)
    assert np.linalg.norm(parts[1] - texture) < 0.03 * np.linalg.norm(texture)


def test_a_constant_goes_to_the_first_basis_that_has_it():
    x = np.full(16, 3.0)
    for bases in (["haar", "dct"], ["dct", "haar", "dft"]):
        parts = sparse.separate(x, bases)
        assert np.allclose(parts[0], x) and np.allclose(parts[1:], 0)
    assert np.allclose(sparse.separate(x, ["identity", "haar", "dct"])[1], x)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"signal": [1.0, np.nan]}, "signal has NaN or infinity; .* lowdim.inpaint"),
        ({"signal": np.zeros((4, 4, 3))}, "one by one"),
        ({"bases": "dct"}, "bases='dct' must be a list"),
        ({"bases": []}, "must be a list"),
        ({"bases": ["dct", "nothing"]}, "kind='nothing' is not known"),
        ({"bases": [sparse.basis("dct", 8)]}, r"is for signals of shape \(8,\)"),
        ({"noise": -0.1}, "noise=-0.1 must be at least 0"),
    ],
)
def test_bad_input(changed, message):
    settings = {"signal": np.ones(4), "bases": ["identity", "dct"], **changed}
    with pytest.raises(ValueError, match=message):
        sparse.separate(settings.pop("signal"), settings.pop("bases"), **settings)
