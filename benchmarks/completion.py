"""Matrix completion and recommenders: time to reach the same error on entries held out.

Explicit ALS: ratings with planted factors and biases, quality is minus the root mean squared error
of the held-out tenth. Implicit ALS: who saw what, quality is the recall among the ten items that
are recommended to each user. All entries get the ratings in their own favourite form and dtype.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "numba", "cmfrec", "implicit")

USERS, ITEMS = 6040, 3706  # the shape of MovieLens-1M


# --- Ratings ----------------------------------------------------------------------------------


def ratings(shrink: int, entries: int, k: int, held_out: bool = False) -> sparse.csr_array:
    """Ratings with a mean, biases of users and items, k factors and noise of 0.8.

    A tenth of them is held out: the rest is what models learn from.
    """
    random = np.random.default_rng(0)
    n = USERS // shrink
    user, item = _pairs(random, n, entries // shrink)
    U, V = random.normal(size=(n, k)) / np.sqrt(k), random.normal(size=(ITEMS, k))
    value = 3.5 + 0.4 * random.normal(size=n)[user] + 0.5 * random.normal(size=ITEMS)[item]
    value += 0.6 * np.einsum("er,er->e", U[user], V[item]) + 0.8 * random.normal(size=len(user))
    part = (random.random(len(user)) < 0.1) == held_out
    return _matrix(user[part], item[part], value[part], n)


def _pairs(random: np.random.Generator, n: int, entries: int) -> tuple[np.ndarray, np.ndarray]:
    """Different pairs; some users and items are a hundred times as frequent as others."""
    users, items = random.lognormal(0, 1.0, n), random.lognormal(0, 1.3, ITEMS)
    user = random.choice(n, size=2 * entries, p=users / users.sum())
    item = random.choice(ITEMS, size=2 * entries, p=items / items.sum())
    pairs = random.permutation(np.unique(user * ITEMS + item))[:entries]
    return pairs // ITEMS, pairs % ITEMS


def _matrix(user: np.ndarray, item: np.ndarray, value: np.ndarray, n: int) -> sparse.csr_array:
    X = sparse.coo_array((value.astype(np.float32), (user, item)), shape=(n, ITEMS)).tocsr()
    return sparse.csr_array(
        (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape
    )


def minus_error(X: sparse.csr_array, result: Any, make: Any) -> float:
    held_out = make(USERS // X.shape[0], held_out=True).tocoo()
    left = held_out.data - result.predict(held_out.row, held_out.col)
    return -float(np.sqrt(np.mean(left**2)))


class Model:
    """A fitted model and how it predicts single entries."""

    def __init__(self, model: Any, predict: Any) -> None:
        self.model, self.predict = model, predict


def als_ours(X: sparse.csr_array, k: int, penalty: float, by_count: bool, sweeps: int) -> Model:
    from lowdim import ALS

    model = ALS(
        k, penalty=penalty, weighted_penalty=by_count, max_iter=sweeps, tol=0, random_state=0
    ).fit(X)
    return Model(model, model.predict_entries)


# By default cmfrec solves its last sweep exactly, as we do the codes of rows
def als_cmfrec(X: sparse.csr_array, k: int, penalty: float, by_count: bool, sweeps: int) -> Model:
    from cmfrec import CMF

    model = CMF(
        k=k, lambda_=penalty, scale_lam=by_count, niter=sweeps, verbose=False, random_state=1,
        nthreads=2, precompute_for_predictions=False,
    )  # fmt: skip
    model.fit(sparse.coo_matrix(X))
    return Model(model, model.predict)


def als_case(k: int, penalty: float, by_count: bool, sweeps: int, entries: int = 1_000_000) -> Case:
    make = partial(ratings, entries=entries, k=20)
    same = {"k": k, "penalty": penalty, "by_count": by_count}
    return Case(
        name=f"als-{k}",
        about=f"Biased ALS, {entries:,} ratings of {USERS} users and {ITEMS} items, k = {k}.",
        make=make,
        ours=Entry(f"lowdim, {sweeps} sweeps", partial(als_ours, **same, sweeps=sweeps)),
        peers=[
            Entry(f"cmfrec, {s} sweeps", partial(als_cmfrec, **same, sweeps=s)) for s in (5, 10)
        ],
        quality=partial(minus_error, make=make),
        tolerance=2e-3,
        warm_rows=USERS // 10,
    )


# --- Implicit feedback ------------------------------------------------------------------------


def seen(shrink: int, entries: int, k: int, held_out: bool = False) -> sparse.csr_array:
    """Who saw what: pairs drawn where planted tastes agree; a tenth of them is held out."""
    random = np.random.default_rng(0)
    n = USERS // shrink
    user, item = _pairs(random, n, 4 * entries // shrink)
    U, V = random.normal(size=(n, k)), random.normal(size=(ITEMS, k)) / np.sqrt(k)
    liked = np.einsum("er,er->e", U[user], V[item]) + 0.5 * random.normal(size=len(user))
    best = np.argsort(-liked)[: entries // shrink]
    user, item = user[best], item[best]
    part = (random.random(len(user)) < 0.1) == held_out
    return _matrix(user[part], item[part], np.ones(part.sum()), n)


class Tastes:
    """Factors of users and items."""

    def __init__(self, users: np.ndarray, items: np.ndarray) -> None:
        self.users, self.items = users, items


def implicit_ours(X: sparse.csr_array, k: int, sweeps: int) -> Tastes:
    from lowdim import ALS

    model = ALS(
        k, feedback="implicit", penalty=5.0, alpha=4.0, max_iter=sweeps, tol=0, random_state=0
    ).fit(X)
    return Tastes(model.row_factors_, model.components_.T)


def implicit_peer(X: sparse.csr_array, k: int, sweeps: int) -> Tastes:
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(
        factors=k, regularization=5.0, alpha=5.0, iterations=sweeps, num_threads=2, random_state=0
    )
    model.fit(sparse.csr_matrix(X), show_progress=False)
    return Tastes(model.user_factors, model.item_factors)


def recall(X: sparse.csr_array, tastes: Tastes, make: Any, best: int = 10) -> float:
    """The part of the held-out pairs that is among the best items of each user not yet seen."""
    held_out = make(USERS // X.shape[0], held_out=True)
    scores = tastes.users @ tastes.items.T
    scores[X.nonzero()] = -np.inf
    top = np.argpartition(-scores, best, axis=1)[:, :best]
    hits = held_out[np.repeat(np.arange(len(top)), best), top.ravel()]
    return float(hits.sum() / np.minimum(np.diff(held_out.indptr), best).sum())


def implicit_case(k: int, entries: int = 1_000_000) -> Case:
    make = partial(seen, entries=entries, k=20)
    return Case(
        name=f"als-implicit-{k}",
        about=f"ALS for implicit feedback, {entries:,} pairs, k = {k}.",
        make=make,
        ours=Entry("lowdim, 5 sweeps", partial(implicit_ours, k=k, sweeps=5)),
        peers=[
            Entry(f"implicit, {s} sweeps", partial(implicit_peer, k=k, sweeps=s)) for s in (5, 15)
        ],
        quality=partial(recall, make=make),
        tolerance=1e-2,
        warm_rows=USERS // 10,
    )


ALS_CASES = (
    als_case(20, penalty=8.0, by_count=False, sweeps=9),
    # more factors than planted: both predict best where they stop early
    als_case(64, penalty=0.06, by_count=True, sweeps=3),
    implicit_case(64),
)

# --- Nuclear norm (SoftImpute and others) -------------------------------------------------------


def pierced(shrink: int, n: int, d: int, k: int, part: float) -> np.ndarray:
    """A matrix of rank k, float64, of which a random part is seen; the rest is NaN."""
    truth, seen = _truth(shrink, n, d, k, part)
    return np.where(seen, truth, np.nan)


def _truth(shrink: int, n: int, d: int, k: int, part: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    n //= shrink
    truth = random.normal(size=(n, k)) @ random.normal(size=(k, d))
    return truth, random.random((n, d)) < part


def soft_impute_ours(X: np.ndarray, penalty: float) -> Any:
    from lowdim import SoftImpute

    return SoftImpute(penalty, max_rank=20, center=None, tol=1e-2).fit(X)


class Filled:
    """A completed matrix."""

    def __init__(self, X: np.ndarray) -> None:
        self.X = X

    def complete(self) -> np.ndarray:
        return self.X


def soft_impute_plain(X: np.ndarray, penalty: float, max_rank: int = 20) -> Filled:
    """The iteration of fancyimpute 0.7 with its settings (it does not run with scikit-learn 1.9).

    Holes begin at 0; a randomized SVD of the dense matrix is shrunk and fills them again, until
    they move by less than a thousandth of their size.
    """
    from sklearn.utils.extmath import randomized_svd

    holes = np.isnan(X)
    filled = np.where(holes, 0.0, X)
    threshold = penalty * randomized_svd(filled, 1, n_iter=5, random_state=0)[1][0]
    for _ in range(100):
        U, s, Vt = randomized_svd(filled, max_rank, n_iter=1, random_state=0)
        s = np.maximum(s - threshold, 0.0)
        before, after = filled[holes], ((U * s) @ Vt)[holes]
        filled[holes] = after
        if np.linalg.norm(before - after) < 1e-3 * np.linalg.norm(before):
            break
    return Filled(filled)


def completion_cmfrec(X: np.ndarray, k: int, penalty: float) -> Filled:
    from cmfrec import CMF

    model = CMF(
        k=k, lambda_=penalty, user_bias=False, item_bias=False, center=False, nthreads=2,
        verbose=False, random_state=1,
    )  # fmt: skip
    model.fit(np.array(X))
    return Filled(model.A_ @ model.B_.T)


def closeness(X: np.ndarray, model: Any, make: Any) -> float:
    """One minus the relative error of the entries that were not seen."""
    truth, seen = make(2000 // len(X))
    left = (model.complete() - truth)[~seen]
    return 1.0 - float(np.linalg.norm(left) / np.linalg.norm(truth[~seen]))


def completion_case(name: str, penalty: float, peers: list[Entry]) -> Case:
    shape = {"n": 2000, "d": 1000, "k": 10, "part": 0.3}
    return Case(
        name=name,
        about="Completion of 2000 x 1000 float64 of rank 10, 30% seen: one minus relative error.",
        make=partial(pierced, **shape),
        ours=Entry("lowdim SoftImpute", partial(soft_impute_ours, penalty=penalty)),
        peers=peers,
        quality=partial(closeness, make=partial(_truth, **shape)),
        tolerance=1e-3,
        warm_rows=200,
    )


SPECTRAL_CASES = (
    completion_case(
        "soft-impute",
        0.02,
        [Entry("as fancyimpute", partial(soft_impute_plain, penalty=0.02))],
    ),
    completion_case(
        "completion",
        1e-3,
        [Entry("cmfrec", partial(completion_cmfrec, k=10, penalty=0.1))],
    ),
)

# --- The best items of every user (top-k) -------------------------------------------------------


def factors(n: int, k: int) -> Tastes:
    """Random factors: how they were learned does not matter to who ranks."""
    random = np.random.default_rng(0)
    users, items = (random.normal(size=(m, k)).astype(np.float32) for m in (n, ITEMS))
    return Tastes(users, items)


def top_ours(X: sparse.csr_array, k: int, best: int) -> np.ndarray:
    from lowdim import ALS, Recommender

    tastes = factors(X.shape[0], k)
    recommender = Recommender()
    recommender.model_ = ALS(k, feedback="implicit")
    recommender.model_.row_factors_, recommender.model_.components_ = tastes.users, tastes.items.T
    recommender.model_.mean_ = np.zeros(ITEMS, np.float32)
    recommender.ratings_, recommender.item_titles_, recommender.backend_ = X, None, None
    recommender.mean_rating_ = float(X.data.mean())
    recommender.user_ids_, recommender.item_ids_ = np.arange(X.shape[0]), np.arange(ITEMS)
    return recommender.recommend_all(best)["item"].reshape(-1, best)


def top_implicit(X: sparse.csr_array, k: int, best: int) -> np.ndarray:
    from implicit.cpu.als import AlternatingLeastSquares
    from threadpoolctl import threadpool_limits

    tastes = factors(X.shape[0], k)
    with threadpool_limits(1, "blas"):  # as its documentation asks for; it has threads of its own
        model = AlternatingLeastSquares(factors=k, num_threads=2)
        model.user_factors, model.item_factors = tastes.users, tastes.items
        return model.recommend(np.arange(X.shape[0]), sparse.csr_matrix(X), N=best)[0]


def mean_score(X: sparse.csr_array, items: np.ndarray, k: int) -> float:
    tastes = factors(X.shape[0], k)
    return float(np.einsum("uq,unq->un", tastes.users, tastes.items[items]).mean())


def top_case(k: int, best: int, entries: int = 1_000_000) -> Case:
    return Case(
        name=f"top-{best}",
        about=f"The {best} best items not yet seen for all {USERS} users, k = {k}: mean score.",
        make=partial(seen, entries=entries, k=20),
        ours=Entry("lowdim", partial(top_ours, k=k, best=best)),
        peers=[Entry("implicit", partial(top_implicit, k=k, best=best))],
        quality=partial(mean_score, k=k),
        tolerance=1e-5,
        warm_rows=USERS // 10,
    )


TOP_CASES = (top_case(64, best=10),)

CASES = (*ALS_CASES, *SPECTRAL_CASES, *TOP_CASES)
