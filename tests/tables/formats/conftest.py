"""What the tests of all formats share."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from lowdim.tables.formats import fold_chunks


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def values():
    """All values of a table by column, or all rows of a matrix."""

    def read(table, columns=None):
        chunks = fold_chunks(table, list, lambda found, chunk: [*found, chunk], columns)
        if isinstance(chunks[0], pa.Table):
            return pa.concat_tables(chunks).to_pydict()
        return sp.vstack(chunks) if sp.issparse(chunks[0]) else np.concatenate(chunks)

    return read
