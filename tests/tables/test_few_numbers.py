"""Columns of few whole numbers: the counts say what the values would."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables import few_numbers, survey
from lowdim.tables.few_numbers import counted, levels, sums
from lowdim.tables.numbers import Moments, number_sums
from lowdim.tables.survey import Settings, look, merged

EXPECTED = (0.0, 9.0)


def test_counts_of_grades():
    few = counted(np.array([[3.0, 1.0, np.nan, 3.0, 3.0]]), {0: (1, 3)})
    assert levels(few) == {0: {1.0: 1, 3.0: 3}}
    found = sums(few)
    assert found.values.count == 4 and found.values.mean == 2.5 and found.values.square == 3.0
    assert found.values.cube == pytest.approx(-3.0)  # (-1.5)^3 + 3 * 0.5^3
    assert (found.low, found.high, found.least_positive, found.zeros) == (1, 3, 1, 0)
    assert found.whole and found.unit == 1


@given(
    st.lists(st.one_of(st.integers(-8, 17), st.just(None)), min_size=1, max_size=50).filter(
        lambda values: any(value is not None for value in values)
    )
)
def test_sums_are_those_of_the_values(values):
    x = np.array([np.nan if value is None else value for value in values], float)
    few = counted(x[None], {0: EXPECTED})  # 30 numbers have room, from -10 on
    assert few.places == [0]
    found, wanted = sums(few), number_sums(x[:, None])
    for name in wanted._fields:
        a, b = getattr(found, name), getattr(wanted, name)
        for one, other in zip(a, b, strict=True) if isinstance(b, Moments) else [(a, b)]:
            # 50 values below 10: their cubes add up to less than 1e5, with 16 digits
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-10, err_msg=name)


@pytest.mark.parametrize(
    "values", [[1, 2.5], [1, 20], [1, -11], [1, np.inf], [1, -np.inf], [np.nan], [1e300], [1e18]]
)
def test_what_is_not_expected_is_not_counted(values):
    X = np.array([np.resize(values, 4), [0.0, 1.0, 2.0, 9.0]])
    few = counted(X, {0: EXPECTED, 1: EXPECTED})
    assert few.places == [1]
    assert levels(few) == {1: {0.0: 1, 1.0: 1, 2.0: 1, 9.0: 1}}


def test_a_wide_range_is_not_counted_beside_a_narrow_one():
    X = np.array([[0.0, 1.0], [0.0, few_numbers.MOST_COUNTED]])
    few = counted(X, {0: (0, 1), 1: (0, few_numbers.MOST_COUNTED)})
    assert few.places == [0]


def test_nothing_expected_is_nothing_counted():
    assert counted(np.ones((2, 3)), {}).places == []


def test_what_rows_before_say_saves_work_and_changes_nothing(rng, monkeypatch):
    n = 4 * survey.SAMPLE
    last = np.arange(n) >= 3 * n // 4
    frame = pd.DataFrame(
        {
            "grade": rng.integers(1, 7, n),
            "with gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 100, n)),
            "fraction at the end": np.where(last, 0.5, rng.integers(0, 3, n)),
            "large at the end": np.where(last, 1e6, rng.integers(0, 3, n)),
            "nothing at the end": np.where(last, np.nan, rng.integers(0, 3, n)),
            "measured": rng.normal(size=n),
        }
    )
    parts = [frame.iloc[a : a + n // 4].reset_index(drop=True) for a in range(0, n, n // 4)]
    names, settings = list(frame.columns), Settings()
    alone = knowing = look(parts[0], names, settings)
    looked_at = []
    plain_sums = survey.number_sums
    monkeypatch.setattr(
        survey, "number_sums", lambda X, *args: looked_at.append(X.shape[1]) or plain_sums(X, *args)
    )
    for part in parts[1:]:
        knowing = merged(knowing, look(part, names, settings, knowing))
    assert looked_at == [1, 1, 4]
    for part in parts[1:]:
        alone = merged(alone, look(part, names, settings))
    assert alone.columns == knowing.columns
    for a, b in zip(alone.numbers.values, knowing.numbers.values, strict=True):
        # sums of n cubes of at most 1e6, which is most of them: 16 digits less those of n
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-9)
    assert alone.numbers.whole.tolist() == knowing.numbers.whole.tolist()
