import numpy as np

import lowdim
from lowdim.report.pictures.page import page


def test_sections_of_a_compressed_picture(rng):
    x = rng.integers(0, 256, (24, 30), dtype=np.uint8)
    c = lowdim.compress(x, "pca", rank=3)
    text = page(lowdim.picture_page(x, c.reconstruct(), name="a <b>.png", compressed=c))
    for section in ("compare", "changes", "curve", "atoms", "script"):
        assert f'<section id="{section}"' in text
    assert "a &lt;b&gt;.png" in text and "<b>.png" not in text.split("<script")[0]
    assert text.split("<script>")[0].count("data:image/png;base64,") == 3
    assert "http://" not in text.split("<script")[0] and "style=" not in text.split("<script")[0]


def test_without_a_curve_or_atoms(rng):
    x = rng.integers(0, 256, (24, 30), dtype=np.uint8)
    text = page(lowdim.picture_page(x, x))
    assert '<section id="curve"' not in text and '<section id="atoms"' not in text
