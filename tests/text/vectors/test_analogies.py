"""Many analogies at once: against asking one by one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim import config_context
from lowdim.text.vectors import analogies
from lowdim.text.vectors.analogies import Questions, answered


def one_by_one(units, questions, multiply):
    """The answer of each question by sorting all scores."""
    right = []
    for asked, d in zip(questions.asked, questions.answer, strict=True):
        best = np.argmax(scores_of(units, asked, questions.same, multiply))
        right.append(questions.same[best] == d)
    return np.array(right)


def scores_of(units, asked, same, multiply):
    near_a, near_b, near_c = (units @ units[k] for k in asked)
    scores = near_b + near_c - near_a
    if multiply:
        scores = (1 + near_b) / 2 * (1 + near_c) / 2 / ((1 + near_a) / 2 + 1e-6)
    scores[np.isin(same, asked)] = -np.inf
    return scores


def planted(rng, n=40, d=6, n_questions=300, dtype=np.float64, multiply=False):
    """Random vectors, and questions of which about half have the right answer."""
    units = rng.normal(size=(n, d))
    units = (units / np.linalg.norm(units, axis=1, keepdims=True)).astype(dtype)
    same = np.where(np.arange(n) % 7 == 6, np.arange(n) - 1, np.arange(n))  # some written alike
    asked = np.array([rng.choice(n, 3, replace=False) for _ in range(n_questions)])
    asked = same[asked]
    answer = same[rng.integers(n, size=n_questions)]
    questions = Questions(asked, answer, same)
    for k in range(0, n_questions, 2):  # the best answer
        answer[k] = same[np.argmax(scores_of(units, asked[k], same, multiply))]
    return units, questions


@pytest.mark.parametrize("multiply", [False, True], ids=["add", "multiply"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_answers_are_those_of_asking_one_by_one(rng, monkeypatch, multiply, dtype):
    monkeypatch.setattr(analogies, "MOST_WORDS", 9)
    monkeypatch.setattr(analogies, "BLOCK", 100)
    units, questions = planted(rng, n=150, dtype=dtype, multiply=multiply)
    found = answered(units, questions, multiply=multiply)
    expected = one_by_one(units.astype(np.float64), questions, multiply)
    assert_array_equal(found, expected)
    assert 120 < found.sum() < 200


def test_the_kernel_is_its_python(rng):
    units, questions = planted(rng)
    expected = answered(units, questions, multiply=False)
    compiled = analogies._count_better
    try:
        analogies._count_better = compiled.python
        assert_array_equal(answered(units, questions, multiply=False), expected)
    finally:
        analogies._count_better = compiled


def test_batches_and_threads_do_not_change_answers(rng, monkeypatch):
    units, questions = planted(rng)
    expected = answered(units, questions, multiply=False)
    for most in (3, 10, 1000):
        monkeypatch.setattr(analogies, "MOST_WORDS", most)
        monkeypatch.setattr(analogies, "MOST_QUESTIONS", most)
        for threads in (1, 2, 5):
            with config_context(threads=threads):
                assert_array_equal(answered(units, questions, multiply=False), expected)


def test_vectors_that_are_all_alike_answer_nothing():
    """Of equal scores the first word wins: no credit for a collapsed model."""
    units = np.ones((6, 2)) / np.sqrt(2)
    asked = np.array([[0, 1, 2], [1, 2, 3]])
    found = answered(units, Questions(asked, np.array([4, 0]), np.arange(6)), multiply=False)
    assert_array_equal(found, [False, True])  # the first that is left is 3, and 0


def test_what_is_asked_with_is_no_answer():
    units = np.eye(4)
    questions = Questions(np.array([[0, 1, 2]]), np.array([1]), np.arange(4))
    assert not answered(units, questions, multiply=False).any()


def test_no_questions_have_no_answers():
    none = Questions(np.empty((0, 3), int), np.empty(0, int), np.arange(2))
    assert len(answered(np.eye(2), none, multiply=False)) == 0
