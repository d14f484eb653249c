"""Recommendations from tables of ratings: by the ids of users and items, not by numbers."""

from lowdim.completion.recommender.estimator import Recommender as Recommender
