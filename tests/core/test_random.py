"""random_state in all its forms becomes a Generator."""

import numpy as np
import pytest

from lowdim.core.random import generator_of, random_generator


def test_the_same_int_gives_the_same_numbers():
    numbers = [random_generator(state).normal(size=3) for state in (5, np.int64(5), np.uint8(5))]
    np.testing.assert_array_equal(numbers[0], np.random.default_rng(5).normal(size=3))
    np.testing.assert_array_equal(numbers[0], numbers[1])
    np.testing.assert_array_equal(numbers[0], numbers[2])
    assert random_generator(6).normal() != random_generator(5).normal()


def test_none_gives_new_numbers_each_time():
    assert random_generator().normal() != random_generator(None).normal()


def test_a_generator_is_used_as_it_is_and_moves_on():
    generator = np.random.default_rng(5)
    assert random_generator(generator) is generator


def test_a_random_state_lends_a_seed_and_moves_on():
    first, second = np.random.RandomState(5), np.random.RandomState(5)
    numbers = random_generator(first).normal(size=3)
    np.testing.assert_array_equal(numbers, random_generator(second).normal(size=3))
    assert random_generator(first).normal() != numbers[0]


def test_a_negative_int_is_refused():
    with pytest.raises(ValueError, match=r"random_state=-1 is negative; choose an int from 0 up"):
        random_generator(-1)


@pytest.mark.parametrize("state", ["7", 7.0, True, [1, 2], np.random.PCG64(3)])
def test_anything_else_is_refused_and_its_type_named(state):
    name = type(state).__name__
    with pytest.raises(
        ValueError, match=f"is a {name}; choose an int, a numpy Generator, a Random"
    ):
        random_generator(state)


def test_a_method_that_draws_takes_the_seed_of_the_constructor_unless_it_is_given_one():
    class Model:
        random_state = 5

    numbers = np.random.default_rng(5).normal(size=3)
    np.testing.assert_array_equal(generator_of(Model()).normal(size=3), numbers)
    assert generator_of(Model(), 6).normal() == random_generator(6).normal()
    assert generator_of(object()).normal() != generator_of(object()).normal()
