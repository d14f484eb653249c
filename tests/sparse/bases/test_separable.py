import numpy as np
import pytest

from lowdim import sparse


@pytest.mark.parametrize("kind", ["dft", "dct", "hadamard", "dct-overcomplete"])
def test_atoms_of_pictures_are_products_of_those_of_signals(kind):
    rows, columns = sparse.basis(kind, 4).matrix(), sparse.basis(kind, 8).matrix()
    np.testing.assert_allclose(
        sparse.basis(kind, (4, 8)).matrix(), np.kron(rows, columns), atol=1e-14
    )
