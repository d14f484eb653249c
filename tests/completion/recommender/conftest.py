"""Ratings of forty films, and a recommender that has learned from them."""

import pytest

from lowdim import ALS, Recommender
from lowdim.datasets import load_ratings


@pytest.fixture(scope="package")
def ratings():
    return load_ratings()


@pytest.fixture(scope="package")
def fitted(ratings):
    return Recommender(ALS(3, penalty=0.05, random_state=0)).fit(ratings)


@pytest.fixture(scope="package")
def scores(fitted):
    """The matrix of all scores, which the recommender never makes."""
    return fitted.model_.complete()
