import numpy as np

from lowdim import sparse
from lowdim.report.pictures import figures


def test_a_curve_for_each_basis(rng):
    x = rng.integers(0, 256, (32, 32), dtype=np.uint8)
    p = figures.curves(sparse.rate_distortion(x, ["haar", "dct"], n_points=2), "curve")
    assert [item.label.value for item in p.legend[0].items] == ["haar", "dct"]


def test_all_changes_are_counted(rng):
    x = rng.integers(0, 200, (30, 30), dtype=np.uint8)
    for y in (x, x + np.uint8(3), x.astype(float) + 0.1):
        p = figures.changes(x, y, "changes")
        share = p.renderers[0].data_source.data["share"]
        assert abs(share.sum() - 100) < 1e-9
