"""torch at one thread, as within our own: its threads cost more than they save on small rows."""

import pytest


@pytest.fixture
def one_thread():
    from lowdim.deep.engine import one_torch_thread

    with one_torch_thread():
        yield
