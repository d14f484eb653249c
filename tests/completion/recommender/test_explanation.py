"""What ratings contribute to a score: they add up, and each is what would be lost without it."""

import numpy as np
import pytest

from lowdim import ALS, Recommender


@pytest.mark.parametrize(
    "model",
    [
        ALS(3, penalty=0.05, random_state=0),
        ALS(3, penalty=2.0, weighted_penalty=False, scale="columns", random_state=0),
        ALS(3, non_negative=True, random_state=0),
        ALS(3, feedback="implicit", alpha=2.0, random_state=0),
        ALS(20, solver="cg", random_state=0),
    ],
    ids=["weighted", "plain", "non-negative", "implicit", "cg"],
)
def test_contributions_add_up_to_the_score(ratings, model):
    recommender = Recommender(model).fit(ratings)
    if recommender.model.non_negative:
        assert (recommender.model_.row_factors_ == 0).any()
    for user, item in ((f"user{u}", f"item{u % 40}") for u in range(60)):
        why = recommender.explain(user, item)
        assert why.score == pytest.approx(recommender.predict(user, item), rel=1e-10)
        total = why.baseline + why.contributions["contribution"].sum()
        assert total == pytest.approx(why.score, rel=1e-8)
        assert abs(why.rest) < 1e-8


def test_a_contribution_is_what_is_lost_when_a_rating_is_the_items_mean(fitted):
    why = fitted.explain("user3", "item5")
    row = fitted.ratings_[[fitted.user_ids_.tolist().index("user3")]]
    items = fitted.item_ids_.tolist()
    for line in why.contributions:
        e = np.flatnonzero(row.indices == items.index(line["item"]))[0]
        without = row.copy()
        without.data[e] = fitted.model_.mean_[row.indices[e]]  # then y = 0
        score = fitted.model_.inverse_transform(fitted.model_.transform(without))[
            0, items.index("item5")
        ]
        assert why.score - score == pytest.approx(line["contribution"], abs=1e-8)


def test_explanations_list_the_largest_first_and_print(fitted):
    why = fitted.explain("user3", "item5", n=4)
    assert len(why.contributions) == 4
    assert (np.diff(np.abs(why.contributions["contribution"])) <= 0).all()
    assert why.contributions.columns == ["item", "title", "rating", "contribution"]
    assert "for everyone\nitem" in str(why)
