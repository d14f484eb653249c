"""What methods of one name do alike in every class: draw, fill in, score."""

from __future__ import annotations

import numpy as np
import pytest

from tests.estimators.examples import CLASSES, METHODS, quiet, small, table

pytestmark = quiet


def classes_with(method):
    return pytest.mark.parametrize("name", [n for n in CLASSES if getattr(METHODS[n], method)])


# ---- sample --------------------------------------------------------------------------------------


def rows_of(drawn):
    return drawn[0] if isinstance(drawn, tuple) else drawn  # mixtures also give the component


@classes_with("sample")
def test_a_seeded_model_draws_the_same_rows_unless_another_seed_is_given(name):
    model = small(name).fit(table())
    model.random_state = 7
    drawn = rows_of(model.sample(20))
    np.testing.assert_array_equal(rows_of(model.sample(20)), drawn)
    np.testing.assert_array_equal(rows_of(model.sample(20, random_state=7)), drawn)
    assert not np.array_equal(rows_of(model.sample(20, random_state=8)), drawn)
    model.random_state = None
    assert not np.array_equal(rows_of(model.sample(20)), rows_of(model.sample(20)))
    model.random_state = np.random.default_rng(7)
    np.testing.assert_array_equal(rows_of(model.sample(20)), drawn)
    assert not np.array_equal(rows_of(model.sample(20)), drawn)  # the generator has moved on
