"""A model of text that several modules ask."""

import pytest

from tests.deep.transformer.examples import TEXT, TINY


@pytest.fixture(scope="module")
def text_model():
    pytest.importorskip("torch")
    import lowdim

    return lowdim.CausalTransformer(context=8, max_iter=2, **TINY).fit(TEXT)
