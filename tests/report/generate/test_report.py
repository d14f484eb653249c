"""The door of the page: tables, images and texts, and what is refused."""

import numpy as np
import pytest

import lowdim


def test_a_report_says_what_it_holds(rng, tmp_path):
    X = rng.normal(size=(40, 2))
    report = lowdim.sample_page(X, X[:20], name="/some/where/X.npy")
    assert repr(report).startswith("SamplePage(X.npy: rows told right: 0.")
    report.save(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")
    assert "2 texts" in repr(lowdim.sample_page(None, ["a b", "c"], name="t"))


@pytest.mark.parametrize(
    ("real", "fake", "error"),
    [
        (np.zeros((20, 4, 4)), np.zeros((20, 4, 5)), "give one shape"),
        (np.zeros((5, 4, 4)), np.zeros((20, 4, 4)), "real has 5 images; give 10 at least"),
        (np.zeros((20, 4, 4, 2)), np.zeros((20, 4, 4, 2)), "give images of shape"),
        (None, np.zeros((20, 4, 4)), "give real images to compare with"),
        ("text", [""], "all its texts are empty"),
    ],
)
def test_what_does_not_fit_is_refused(real, fake, error):
    with pytest.raises(ValueError, match=error):
        lowdim.sample_page(real, fake)


def test_text_is_compared_with_text():
    with pytest.raises(TypeError, match="real is of type ndarray"):
        lowdim.sample_page(np.zeros(3), ["a"])
