"""torch: what is said without it, devices, threads, and generators that follow from numbers."""

import sys

import pytest

from lowdim.deep.engine import device_of, one_torch_thread, torch_for, torch_generator

torch = pytest.importorskip("torch")


def test_without_torch_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"VAE needs torch.*pip install 'lowdim\[deep\]'"):
        torch_for("VAE")


def test_a_device_that_is_not_there_is_refused():
    assert device_of("cpu").type == "cpu"
    with pytest.raises(ValueError, match=r"device='nowhere' cannot be used here .* choose 'cpu'"):
        device_of("nowhere")


def test_torch_has_one_thread_meanwhile():
    before = torch.get_num_threads()
    with one_torch_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_generators_follow_from_their_numbers():
    a, b, c = (torch.rand(3, generator=torch_generator(*key)) for key in ((1, 2), (1, 2), (2, 1)))
    assert torch.equal(a, b) and not torch.equal(a, c)
