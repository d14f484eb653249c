"""Tables with columns of several types: types, labels, and what is filled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import lowdim
from lowdim import MixedMixture, MixtureModel
from tests.mixture.finite.examples import fit_some, mixed_table, planted, with_missing

# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gaussian", "poisson", "bernoulli", "categorical"])
def test_a_table_of_one_type_is_a_mixture_model(rng, name):
    X, _ = planted(rng, name)
    X = with_missing(rng, X)
    one = fit_some(X, name)
    other = MixedMixture(3, columns={name: range(12)}, tol=0, max_iter=8, random_state=0).fit(X)
    # columns are copied on the way, so that products are rounded differently; log densities of
    # size 100 have errors of 1e-14, and eight iterations may magnify them, tenfold each
    close = {"rtol": 1e-6, "atol": 1e-12}
    for key in one.parameter_names_:
        np.testing.assert_allclose(getattr(one, f"{key}_"), other.parameters_[name][key], **close)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), **close)
    np.testing.assert_allclose(one.impute(X), other.impute(X), **close)


def incomplete_table(rng, table, share=0.15):
    table = table.astype({"round": "boolean"})
    for name in table.columns.drop("code"):
        table.loc[rng.random(len(table)) < share, name] = None
    return table


# ---- a planted truth -----------------------------------------------------------------------------


def test_a_mixed_table_is_recovered_where_neither_type_alone_suffices(rng):
    table, kind = mixed_table(rng)
    incomplete = incomplete_table(rng, table)
    codes = {"categorical": ["code"]}
    both = MixedMixture(3, columns=codes, random_state=0).fit(incomplete)
    assert adjusted_rand_score(kind, both.predict(incomplete)) > 0.85
    numbers, words = ["length", "width"], ["color", "round", "shape", "code"]
    alone = MixedMixture(3, random_state=0)
    # each type alone can at best separate two of three kinds: adjusted Rand index 0.57
    assert adjusted_rand_score(kind, alone.fit_predict(incomplete[numbers])) < 0.7
    alone.set_params(columns=codes)
    assert adjusted_rand_score(kind, alone.fit_predict(incomplete[words])) < 0.7


# ---- data frames ---------------------------------------------------------------------------------


def test_columns_go_by_their_type_unless_columns_says(rng):
    table, _ = mixed_table(rng)
    model = MixedMixture(2, random_state=0).fit(table)
    assert {k: v.tolist() for k, v in model.columns_.items()} == {
        "gaussian": [0, 1, 5],
        "categorical": [2, 3, 4],
    }
    assert [known.tolist() for known in model.categories_] == [
        ["blue", "red"],
        [False, True],
        ["long", "short"],
    ]
    model.set_params(columns={"categorical": "code", "poisson": [1]}).fit(
        table.assign(width=table["width"].abs())
    )
    assert {k: v.tolist() for k, v in model.columns_.items()} == {
        "gaussian": [0],
        "poisson": [1],
        "categorical": [2, 3, 4, 5],
    }
    assert model.categories_[3].tolist() == [4.0, 7.0]


def test_pandas_polars_and_codes_give_one_model(rng):
    pl = pytest.importorskip("polars")
    table, _ = mixed_table(rng)
    incomplete = incomplete_table(rng, table)
    settings = {"tol": 0, "max_iter": 8, "random_state": 0}
    pandas = MixedMixture(3, columns={"categorical": ["code"]}, **settings).fit(incomplete)
    frame = pl.from_pandas(incomplete)
    polars = MixedMixture(3, columns={"categorical": ["code"]}, **settings).fit(frame)
    close = {"rtol": 1e-9, "atol": 1e-12}  # values lie differently in memory
    np.testing.assert_allclose(
        pandas.predict_proba(incomplete), polars.predict_proba(frame), **close
    )
    codes = np.column_stack(
        [
            incomplete["length"],
            incomplete["width"],
            incomplete["color"].map({"blue": 0.0, "red": 1.0}),
            incomplete["round"].map({False: 0.0, True: 1.0}),
            incomplete["shape"].map({"long": 0.0, "short": 1.0}).astype(float),
            incomplete["code"],
        ]
    ).astype(float)
    array = MixedMixture(3, columns={"categorical": [2, 3, 4, 5]}, **settings).fit(codes)
    np.testing.assert_allclose(
        array.predict_proba(codes), pandas.predict_proba(incomplete), **close
    )
    filled = polars.impute(frame)
    assert isinstance(filled, pl.DataFrame)
    assert filled.columns == frame.columns
    assert filled.null_count().sum_horizontal().item() == 0
    assert filled["shape"].to_list() == pandas.impute(incomplete)["shape"].to_list()


def test_a_filled_frame_has_its_own_labels(rng):
    table, _ = mixed_table(rng)
    incomplete = incomplete_table(rng, table)
    model = MixedMixture(3, random_state=0).fit(incomplete)
    filled, doubt = model.impute(incomplete, return_std=True)
    assert not filled.isna().any().any()
    assert (filled.index == table.index).all()
    assert filled["shape"].dtype == "category"
    seen = incomplete.notna()
    for name in table:
        assert (filled[name][seen[name]] == table[name][seen[name]]).all()
    assert (filled["shape"] == table["shape"]).mean() > 0.95
    assert ((doubt > 0) == ~seen.to_numpy()).all()
    rows, component = model.sample(50, random_state=0)
    again = pd.DataFrame(rows, columns=model.feature_names_in_)
    assert set(again["color"]) <= {"blue", "red"}
    assert set(again["round"]) <= {False, True}
    assert len(component) == 50


def test_an_unknown_category_counts_as_missing(rng):
    table, _ = mixed_table(rng)
    model = MixedMixture(3, random_state=0).fit(table)
    green, unknown = table.assign(color="green"), table.assign(color=None)
    unknown["color"] = unknown["color"].astype(object)
    np.testing.assert_array_equal(model.predict_proba(green), model.predict_proba(unknown))
    X, _ = planted(rng, "categorical")
    codes = MixtureModel("categorical", n_components=3, random_state=0).fit(X)
    other = X.copy()
    other[:, 0] = 55.0
    incomplete = X.copy()
    incomplete[:, 0] = np.nan
    np.testing.assert_array_equal(codes.predict_proba(other), codes.predict_proba(incomplete))


def test_a_saved_mixed_model_knows_its_labels(rng, tmp_path):
    table, _ = mixed_table(rng)
    model = MixedMixture(3, columns={"categorical": ["code"]}, random_state=0).fit(table)
    model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    np.testing.assert_array_equal(back.predict_proba(table), model.predict_proba(table))
    pd.testing.assert_frame_equal(back.impute(table), model.impute(table))
    codes = MixtureModel("categorical", random_state=0).fit(table[["code"]])
    codes.save(tmp_path / "codes.lowdim")
    back = lowdim.load(tmp_path / "codes.lowdim")
    np.testing.assert_array_equal(back.predict(table[["code"]]), codes.predict(table[["code"]]))


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"normal": ["length"]}, "family 'normal'; choose from 'gaussian'"),
        ({"poisson": ["weight"]}, r"'weight', which is no column of X \(length, width"),
        ({"poisson": [17]}, "number 17, but X has 6 columns"),
        ({"poisson": [-1]}, "-1 is too small"),
        ({"poisson": [5], "categorical": ["code"]}, "column 'code' twice"),
        ({"gaussian": ["color"]}, "'color' is 'gaussian', but it holds text"),
    ],
)
def test_columns_that_do_not_fit_the_table_are_refused(rng, columns, message):
    table, _ = mixed_table(rng, n=30)
    with pytest.raises(ValueError, match=message):
        MixedMixture(columns=columns).fit(table)


def test_names_need_a_table_with_names(rng):
    with pytest.raises(ValueError, match="X has no names; give numbers"):
        MixedMixture(columns={"poisson": ["a"]}).fit(rng.normal(size=(20, 3)))


def test_a_model_of_text_refuses_numbers(rng):
    table, _ = mixed_table(rng)
    model = MixedMixture(random_state=0).fit(table)
    with pytest.raises(ValueError, match="fitted to a data frame with text"):
        model.predict(np.zeros((3, 6)))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[table.columns[::-1]])
    with pytest.raises(ValueError, match=r"'color' holds numbers"):
        model.predict(table.assign(color=1.0))
