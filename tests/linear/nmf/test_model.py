import numpy as np
import pytest

from lowdim import NMF, MiniBatchNMF
from tests.linear.nmf.examples import parts

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
each = pytest.mark.parametrize("cls", [NMF, MiniBatchNMF])


@quietly
@each
def test_columns_of_the_same_parts_are_similar(cls):
    H = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0]])
    X = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 1.0], [1.0, 1.0]]) @ H
    model = cls(2, tol=1e-8, max_iter=500).fit(X)
    (nearest, cosine), *_ = model.similar_terms(0, n=3)
    assert nearest == 1 and cosine == pytest.approx(1.0, abs=1e-3)
    names = ["cat", "dog", "sun", "moon"]
    assert next(name for name, _ in model.similar_terms("sun", names=names)) == "moon"
    with pytest.raises(ValueError, match="'tree' is none of the 4 terms"):
        model.similar_terms("tree", names=names)


@quietly
@each
def test_the_scale_of_a_component_does_not_make_columns_similar(cls, rng):
    model = cls(3).fit(parts(rng))
    before = model.similar_terms(0)
    factor = np.array([1.0, 10.0, 0.1])
    model.components_ = model.components_ * factor[:, None]
    model._mean_code = model._mean_code / factor
    after = model.similar_terms(0)
    assert [name for name, _ in after] == [name for name, _ in before]
    np.testing.assert_allclose([c for _, c in after], [c for _, c in before])


def test_names_of_a_frame_are_known(rng):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(parts(rng, d=3), columns=["a", "b", "c"])
    assert {name for name, _ in NMF(2).fit(frame).similar_terms("a")} == {"b", "c"}
