"""Noise: from counts, or given."""

import numpy as np
import pytest

from lowdim.text.embeddings.skip_gram.noise import noise_of
from lowdim.text.embeddings.skip_gram.start import Margins

MARGINS = Margins(np.array([0.5, 0.5]), np.array([0.81, 0.19, 0.0]))


def test_powers_of_counts_favour_rare_contexts():
    q = noise_of(None, Margins(np.ones(1), np.array([0.99, 0.01])), 0.75).by_context
    # 002 s.17: with 3/4, what is seen once in a hundred is drawn three times in a hundred
    np.testing.assert_allclose(q, [0.969, 0.031], atol=1e-3)
    np.testing.assert_allclose(noise_of(None, MARGINS, 1.0).by_context, MARGINS.by_column)
    np.testing.assert_allclose(noise_of(None, MARGINS, 0.0).by_context, [0.5, 0.5, 0.0])


def test_what_is_given_is_divided_by_its_sum():
    noise = noise_of([1e300, 3e300, 0.0], MARGINS, 0.75)
    np.testing.assert_allclose(noise.by_context, [0.25, 0.75, 0.0])
    assert noise.by_pair is None
    table = noise_of([[1.0, 1.0, 0.0], [2.0, 4.0, 0.0]], MARGINS, 0.75)
    np.testing.assert_allclose(table.by_pair, np.array([[1, 1, 0], [2, 4, 0]]) / 8.0)
    np.testing.assert_allclose(table.by_context, [3 / 8, 5 / 8, 0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], "3 contexts, or for each of the 2 x 3 pairs"),
        ([1.0, -1.0, 1.0], "negative, NaN or infinite"),
        ([1.0, np.nan, 1.0], "negative, NaN or infinite"),
        ([1.0, 0.0, 1.0], "0 for 1 of the contexts that were seen .first: 1"),
        ([0.0, 0.0, 0.0], "0 for 2 of the contexts"),
    ],
    ids=["too few", "negative", "NaN", "none where seen", "none"],
)
def test_what_is_no_noise_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        noise_of(given, MARGINS, 0.75)
