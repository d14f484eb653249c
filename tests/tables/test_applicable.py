"""Not applicable is not missing: found, said, and left empty."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lowdim import PCA, ProbabilisticPCA, TableEncoder, TableModel


@pytest.fixture
def storms(rng):
    """The category is there for hurricanes only; wind and pressure go together."""
    n = 600
    status = rng.choice(["hurricane", "tropical storm", "depression"], size=n)
    strong = np.where(status == "hurricane", 2.0, np.where(status == "depression", -1.0, 0.0))
    wind = 60 + 20 * strong + 5 * rng.normal(size=n)
    category = np.clip(np.rint(1 + (wind - 80) / 12), 1, 5)
    category[status != "hurricane"] = np.nan
    return pd.DataFrame(
        {
            "status": status,
            "wind": wind,
            "pressure": 1010 - wind / 2 + rng.normal(size=n),
            "category": category,
        }
    )


def test_a_column_that_another_one_rules_is_found_and_said(storms):
    column = TableEncoder().fit(storms).columns_["category"]
    rule = column.not_applicable
    assert (rule.guide, rule.applies) == ("status", ("hurricane",))
    assert rule.sentence() == "missing where 'status' is not 'hurricane': not applicable there"
    assert rule.sentence() in repr(TableEncoder().fit(storms).columns_)


def test_half_a_percent_of_exceptions_does_no_harm(storms):
    table = storms.copy()
    odd = table.index[table["status"] == "depression"][:2]
    table.loc[odd, "category"] = 1.0
    assert TableEncoder().fit(table).columns_["category"].not_applicable is not None
    odd = table.index[table["status"] == "depression"][:20]
    table.loc[odd, "category"] = 1.0
    assert TableEncoder().fit(table).columns_["category"].not_applicable is None


def test_values_missing_at_random_have_no_rule(storms, rng):
    table = storms.drop(columns="category")
    table.loc[rng.random(len(table)) < 0.2, "wind"] = np.nan
    assert all(c.not_applicable is None for c in TableEncoder().fit(table).columns_)


def test_a_rare_level_in_which_all_is_missing_is_no_rule(storms):
    table = storms.drop(columns="category")
    table["pressure"] = table["pressure"].where(np.arange(len(table)) > 3)
    table["status"] = table["status"].where(np.arange(len(table)) > 3, "rare")
    assert TableEncoder().fit(table).columns_["pressure"].not_applicable is None


def test_columns_missing_together_in_many_rows_have_a_rule(storms, rng):
    table = storms.drop(columns="category")
    early = np.arange(len(table)) < 200
    table["size"] = np.where(early, np.nan, rng.normal(size=len(table)))
    table["reach"] = np.where(early, np.nan, rng.normal(size=len(table)))
    columns = TableEncoder().fit(table).columns_
    assert columns["size"].not_applicable.guide == "reach"
    assert "missing where 'reach' is missing too" in columns["size"].not_applicable.sentence()
    few = table.copy()
    few.loc[10:, ["size", "reach"]] = rng.normal(size=(len(table) - 10, 2))
    assert all(c.not_applicable is None for c in TableEncoder().fit(few).columns_)


def test_numbers_can_rule_too(rng):
    children = rng.integers(0, 4, size=400)
    age = np.where(children == 0, np.nan, rng.normal(28.0, 4.0, size=400))
    table = pd.DataFrame({"children": children, "age at first": age, "x": rng.normal(size=400)})
    rule = TableEncoder().fit(table).columns_["age at first"].not_applicable
    assert (rule.guide, rule.levels) == ("children", ("0",))


def test_cells_that_do_not_apply_stay_empty(storms, rng):
    table = storms.copy()
    lost = rng.random(len(table)) < 0.1
    table.loc[lost & (table["status"] == "hurricane"), "wind"] = np.nan
    model = TableModel(ProbabilisticPCA(2)).fit(table)
    filled = model.impute(table)
    assert filled["category"].isna().equals(table["status"] != "hurricane")
    assert not filled["wind"].isna().any()
    assert not model.impute(table, fill_not_applicable=True)["category"].isna().any()
    std = model.impute(table, return_std=True)[1]
    assert std["category"].isna().equals(table["status"] != "hurricane")


def test_decoded_tables_leave_them_empty(storms):
    encoder = TableEncoder().fit(storms)
    Z = np.nan_to_num(encoder.transform(storms))
    decoded = encoder.inverse_transform(Z)
    assert decoded["category"].isna().equals(decoded["status"] != "hurricane")
    everything = encoder.set_params(fill_not_applicable=True).inverse_transform(Z)
    assert not everything["category"].isna().any()
    drawn = TableModel(PCA(2)).fit(storms).sample(50, random_state=0)
    assert drawn["category"].isna().equals(drawn["status"] != "hurricane")


def test_chunks_find_the_same_rules(storms):
    encoder = TableEncoder()
    for part in np.array_split(np.arange(len(storms)), 4):
        encoder.partial_fit(storms.iloc[part].reset_index(drop=True))
    assert encoder.columns_["category"].not_applicable == (
        TableEncoder().fit(storms).columns_["category"].not_applicable
    )
