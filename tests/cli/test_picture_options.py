import click
import numpy as np
import pytest

from lowdim.cli.picture_options import (
    Bytes,
    Share,
    check_paths,
    picture_line,
    quality_text,
    read_reference,
)


@pytest.mark.parametrize("text, value", [("5%", 0.05), ("0.05", 0.05), ("2000", 2000), ("1", 1)])
def test_shares(text, value):
    found = Share().convert(text, None, None)
    assert found == pytest.approx(value) and type(found) is type(value)


@pytest.mark.parametrize(
    "text, value", [("40k", 40_000), ("1.5M", 1_500_000), ("2kib", 2048), ("7", 7)]
)
def test_sizes(text, value):
    assert Bytes().convert(text, None, None) == value


def test_what_is_no_amount():
    for kind, text in ((Share(), "many"), (Bytes(), "big"), (Bytes(), "k")):
        with pytest.raises(click.BadParameter, match="such as"):
            kind.convert(text, None, None)


def test_an_output_is_no_input(tmp_path):
    path = str(tmp_path / "x.png")
    with pytest.raises(ValueError, match="is the same file as PICTURE"):
        check_paths({"PICTURE": path}, {"--output": str(tmp_path / "." / "x.png")})
    with pytest.raises(ValueError, match="is the same file as --output"):
        check_paths({}, {"--output": path, "--plot": path})
    with pytest.raises(ValueError, match="there is no folder"):
        check_paths({}, {"--output": str(tmp_path / "no" / "x.png")})


def test_what_is_said(tmp_path):
    x = np.zeros((12, 20, 3), np.uint8)
    np.save(tmp_path / "x.npy", x)
    assert picture_line(str(tmp_path / "x.npy"), x).startswith("x.npy: 12 x 20, colour, 8 bit, 8")
    assert quality_text(x, x + 1) == "PSNR 48.13 dB, SSIM 0.8667"
    with pytest.raises(ValueError, match="the picture has"):
        read_reference(str(tmp_path / "x.npy"), x[:5])
