"""CompletionSearch: folds of entries, paths of warm starts, and the right choice."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import lowdim
from lowdim import ALS, PCA, SVP, CompletionSearch, SoftImpute
from lowdim.completion.entries import Entries, observed
from lowdim.selection.search import paths, walked
from lowdim.selection.splits import entry_folds


def planted(rng, n=80, d=50, k=2, part=0.5, noise=0.2):
    U = rng.normal(size=(n, k))
    U -= U.mean(axis=0)  # entries have mean 0: to take out the mean is no further component
    X = U @ rng.normal(size=(k, d)) + noise * rng.normal(size=(n, d))
    return np.where(rng.random((n, d)) < part, X, np.nan)


def test_folds_hold_out_every_entry_once_unless_it_is_the_last_of_its_kind(rng):
    X = observed(planted(rng))
    hidden = np.zeros(X.shape)
    for train, test in entry_folds(X, 4, rng):
        assert train.nnz + test.nnz == X.nnz
        np.testing.assert_array_equal((train + test).toarray(), X.toarray())
        assert (np.diff(train.indptr) > 0).all()
        hidden += test.toarray() != 0
    np.testing.assert_array_equal(hidden, X.toarray() != 0)

    alone = np.full((10, 10), np.nan)
    alone[:9, :9], alone[9, 9] = 1.0, 5.0
    for train, test in entry_folds(observed(alone), 2, rng):
        assert train.toarray()[9, 9] == 5.0
        assert test.toarray()[9, 9] == 0.0


def test_paths_go_from_simple_to_rich():
    grid = [
        {"penalty": p, "max_rank": r, "center": c}
        for p in (0.1, 1.0)
        for r in (None, 2)
        for c in ("rows", None)
    ]
    ordered = [[grid[i] for i in path] for path in paths(grid)]
    assert len(ordered) == 2
    for path in ordered:
        assert len({params["center"] for params in path}) == 1
        assert [params["max_rank"] for params in path] == [2, 2, None, None]
        assert [params["penalty"] for params in path] == [1.0, 0.1, 1.0, 0.1]


def test_a_walk_with_warm_starts_meets_the_models_of_cold_ones(rng):
    X = planted(rng)
    path = [{"penalty": penalty} for penalty in (0.5, 0.2, 0.1)]
    model = SoftImpute(tol=1e-7, max_iter=2000)
    for (warm, seconds), params in zip(walked(model, path, X), path, strict=True):
        cold = clone(model).set_params(**params).fit(X)
        np.testing.assert_allclose(warm.complete(), cold.complete(), atol=5e-3)
        assert seconds > 0


def test_it_finds_the_planted_rank(rng):
    search = CompletionSearch(SVP(), {"n_components": [1, 2, 3, 5]}, cv=3, random_state=0)
    search.fit(planted(rng))
    assert search.best_params_ == {"n_components": 2}
    assert search.best_estimator_.n_components == 2
    assert not search.best_estimator_.warm_start


def test_results_have_the_form_of_grid_search_cv(rng):
    X = planted(rng)
    grid = [{"penalty": [0.5, 0.1]}, {"max_rank": [1]}]
    search = CompletionSearch(SoftImpute(), grid, cv=3, random_state=0).fit(X)
    results = search.cv_results_
    splits = np.array([results[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
    assert results["rank_test_score"][search.best_index_] == 1
    assert results["params"] == [{"penalty": 0.5}, {"penalty": 0.1}, {"max_rank": 1}]
    assert results["param_penalty"].mask.tolist() == [False, False, True]
    assert search.best_score_ == results["mean_test_score"].max() < 0
    assert (results["mean_fit_time"] > 0).all()
    assert search.n_splits_ == 3


def test_the_score_is_that_of_entries_the_model_has_not_seen(rng):
    X = planted(rng)
    search = CompletionSearch(SVP(2), {"step": ["auto"]}, cv=3, random_state=5).fit(X)
    folds = entry_folds(observed(X), 3, np.random.default_rng(5))
    scores = [SVP(2).fit(train).score_entries(test) for train, test in folds]
    assert search.best_score_ == pytest.approx(np.mean(scores), rel=1e-9)


def test_the_search_answers_for_its_best_model(rng):
    X = planted(rng)
    search = CompletionSearch(SVP(), {"n_components": [2]}, cv=2, random_state=0).fit(X)
    best = search.best_estimator_
    np.testing.assert_array_equal(search.transform(X), best.transform(X))
    np.testing.assert_array_equal(search.impute(X), best.impute(X))
    np.testing.assert_array_equal(search.complete(), best.complete())
    np.testing.assert_array_equal(
        search.predict_entries(0, [1, 2]), best.predict_entries(0, [1, 2])
    )
    assert search.score(X) == best.score(X)
    assert search.n_features_in_ == 50
    unfitted = CompletionSearch(SVP(), {"n_components": [2]}, cv=2, refit=False).fit(X)
    with pytest.raises(AttributeError, match="refit=False"):
        unfitted.transform(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_methods_without_warm_starts_are_searched_as_well(rng):
    search = CompletionSearch(
        ALS(2, random_state=0), {"penalty": [10.0, 0.01]}, cv=2, random_state=0
    ).fit(planted(rng))
    assert search.best_params_ == {"penalty": 0.01}


def test_choose_rank_by_held_out_entries(rng):
    X = planted(rng, n=120)
    choice = lowdim.choose_rank(X, "heldout", max_rank=6, repeats=4, random_state=0)
    assert choice.choice == 2
    assert choice.curve[0] == 1.0
    assert choice.method == "heldout"
    # of a sparse matrix the stored entries are the observed ones: zeros are not data
    stored = sp.csr_array(np.nan_to_num(X))
    same = lowdim.choose_rank(stored, "heldout", max_rank=6, repeats=4, random_state=0)
    np.testing.assert_allclose(same.curve, choice.curve)


def test_what_cannot_be_searched_is_refused(rng):
    with pytest.raises(TypeError, match="PCA cannot be scored by held-out entries"):
        CompletionSearch(PCA(), {"n_components": [1]}).fit(planted(rng))
    with pytest.raises(ValueError, match="'cv' parameter of CompletionSearch"):
        CompletionSearch(SVP(), {"n_components": [1]}, cv=1).fit(planted(rng))
    with pytest.raises(ValueError, match="have weights"):
        weighted = Entries(np.ones((4, 3)), weight=np.ones((4, 3)))
        CompletionSearch(SVP(), {"n_components": [1]}).fit(weighted)
    with pytest.raises(ValueError, match="No entry can be held out"):
        CompletionSearch(SVP(), {"n_components": [1]}, cv=2).fit(np.where(np.eye(4), 1.0, np.nan))
    with pytest.raises(ValueError, match="no observed entries"):
        CompletionSearch(SVP(), {"n_components": [1]}).fit(np.full((4, 3), np.nan))
