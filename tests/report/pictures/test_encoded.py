import base64
import io

import numpy as np
from PIL import Image

from lowdim.report.pictures import encoded
from lowdim.report.pictures.encoded import atoms_picture, data_uri


def opened(uri):
    return np.array(Image.open(io.BytesIO(base64.b64decode(uri.split(",")[1]))))


def test_pictures_are_those_that_were_given(rng, monkeypatch):
    x = rng.integers(0, 256, (9, 8, 3), dtype=np.uint8)
    assert np.array_equal(opened(data_uri(x, 255.0)), x)
    assert np.array_equal(opened(data_uri(x.astype(np.uint16) * 257, 65535.0)), x)
    assert opened(data_uri(np.array([[0.0, 1.0, np.nan]]), 1.0)).tolist() == [[0, 255, 255]]
    monkeypatch.setattr(encoded, "MOST", 4)
    assert opened(data_uri(x, 255.0)).shape == (3, 3, 3)


def test_atoms_in_rows(rng):
    canvas = atoms_picture(rng.normal(size=(20, 3, 4)))
    assert canvas.shape == (2 * 4 - 1, 16 * 5 - 1)
    assert canvas.min() == 0 and canvas.max() == 1
