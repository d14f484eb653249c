"""CausalTransformer on sequences whose probabilities are known, and its door."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from tests.deep.transformer.examples import TINY


def markov(rng, n, d=8):
    """Rows of a chain of 3 symbols, and the entropy of a row in nats."""
    P = np.array([[0.8, 0.15, 0.05], [0.05, 0.8, 0.15], [0.15, 0.05, 0.8]])
    X = np.empty((n, d), dtype=np.int64)
    X[:, 0] = rng.integers(0, 3, n)
    for i in range(1, d):
        X[:, i] = (P[X[:, i - 1]].cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return X.astype(float), np.log(3) - (d - 1) * (P[0] * np.log(P[0])).sum()


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [None, "random"])
def test_a_markov_chain_is_learned_to_its_entropy(order, rng):
    X, entropy = markov(rng, 1000)
    passes = 12 if order is None else 30  # neighbours must be found first
    model = lowdim.CausalTransformer(order=order, learning_rate=1e-2, max_iter=passes, **TINY)
    model.fit(X)
    new, _ = markov(rng, 2000)
    assert -model.score(new) < entropy + 0.15
    assert model.perplexity(new) == pytest.approx(np.exp(-model.score(new) / 8), rel=1e-6)
    drawn = model.sample(1500, random_state=1)
    assert (drawn[:, 1:] == drawn[:, :-1]).mean() == pytest.approx(0.8, abs=0.04)


def test_the_perplexity_of_rows_that_cannot_be_is_infinite(rng):
    X = rng.normal(size=(30, 3))
    model = lowdim.CausalTransformer(max_iter=1, **TINY).fit(X)
    assert model.perplexity(1e300 * X) == np.inf
    with pytest.raises(ValueError, match="X has no observed value; bits of an entry need"):
        model.perplexity(np.full((2, 3), np.nan))


def test_samples_with_and_without_a_cache_are_equal(rng):
    X = rng.normal(size=(60, 4))
    model = lowdim.CausalTransformer(levels=6, order=[2, 0, 3, 1], max_iter=2, **TINY).fit(X)
    np.testing.assert_array_equal(
        model.sample(40, random_state=3), model.sample(40, random_state=3, cache=False)
    )
    np.testing.assert_array_equal(model.order_, [2, 0, 3, 1])


def test_what_comes_later_is_heard_when_holes_are_filled(rng):
    X = rng.integers(0, 3, size=(400, 3)).astype(float)
    X[:, 2] = X[:, 0] + X[:, 1]
    model = lowdim.CausalTransformer(learning_rate=1e-2, max_iter=15, **TINY).fit(X)
    holes = X[:40].copy()
    holes[:, 0] = np.nan
    filled, std = model.impute(holes, return_std=True)
    assert np.abs(filled - X[:40]).mean() < 0.05
    assert std[:, 0].mean() < 0.3 and not std[:, 1:].any()
    assert (model.draw_imputations(holes, 3, random_state=0)[:, :, 0] == X[:40, 0]).mean() > 0.9


def test_numbers_have_a_density(rng):
    """Columns of different units: near the Gaussian's own log-density."""
    unit = np.array([1.0, 100.0, 0.01])
    A = np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0, 1]])
    X, new = (rng.normal(size=(n, 3)) @ A * unit for n in (800, 800))
    model = lowdim.CausalTransformer(levels=12, learning_rate=1e-2, **TINY).fit(X)
    exact = -1.5 * (1 + np.log(2 * np.pi)) - np.log(0.6) - np.log(unit).sum()
    assert exact - 0.6 < model.score(new) < exact + 0.1
    assert not model.whole_.any()


def test_rows_of_a_class(rng):
    y = rng.integers(0, 2, size=200)
    X = (rng.random((200, 5)) < np.where(y == 1, 0.1, 0.9)[:, None]).astype(np.uint8)
    model = lowdim.CausalTransformer(conditional=True, learning_rate=1e-2, **TINY).fit(X, y)
    drawn = model.sample(200, y=np.repeat([0, 1], 100), random_state=0)
    assert drawn[:100].mean() > 0.8 > 0.2 > drawn[100:].mean()
    assert model.attention(X[:3], y=y[:3]).shape == (3, 1, 2, 5, 5)
    with pytest.raises(ValueError, match="conditional=True has learned rows given y"):
        model.transform(X)


def test_max_steps_ends_a_fit_within_a_pass(rng):
    X = rng.integers(0, 3, size=(64, 3)).astype(float)
    arguments = {**TINY, "batch_size": 8, "schedule": "constant"}
    whole = lowdim.CausalTransformer(max_iter=2, **arguments).fit(X)
    same = lowdim.CausalTransformer(max_iter=9, max_steps=16, **arguments).fit(X)
    part = lowdim.CausalTransformer(max_iter=9, max_steps=11, **arguments).fit(X)
    np.testing.assert_array_equal(whole.history_, same.history_)
    for name, w in whole.weights_.items():
        np.testing.assert_array_equal(w, same.weights_[name])
    assert part.n_iter_ == 2 and part.history_[0] == whole.history_[0]
    assert part.history_[1] != whole.history_[1]
    assert lowdim.CausalTransformer(max_steps=3, **arguments).fit(X).n_iter_ == 1


# ---- pictures ------------------------------------------------------------------------------------


def test_pictures(text_model, rng):
    pytest.importorskip("matplotlib")
    ax = text_model.plot("attention", "the cat")
    assert [t.get_text() for t in ax.get_yticklabels()] == list("the cat")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["start", *"the ca"]
    assert text_model.plot("attention", "the", head=1, layer=0).figure is not ax.figure
    assert text_model.plot().get_lines()
    for name, value in (("layer", 9), ("layer", -9), ("head", 9), ("head", 0.5)):
        with pytest.raises(ValueError, match=f"{name}={value}"):
            text_model.plot("attention", "the", **{name: value})


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"width": 10, "n_heads": 4}, r"width=10 cannot be divided among n_heads=4"),
        ({"levels": 1}, "levels"),
        ({"order": [0, 0, 1]}, r"order=\[0, 0, 1\] must hold each of the 3 columns"),
        ({"tokens": "char"}, "tokens='char' is for text, and X holds numbers"),
        ({"tokens": "word"}, "tokens"),
        ({"positions": "rotary"}, "positions"),
        ({"max_steps": 0}, "max_steps"),
        ({"conditional": True}, "requires y"),
    ],
)
def test_bad_arguments(given, says, rng):
    with pytest.raises(ValueError, match=says):
        lowdim.CausalTransformer(**{**TINY, **given}).fit(rng.normal(size=(20, 3)))


def test_bad_questions(text_model, rng):
    with pytest.raises(ValueError, match=r"2 characters .*: 'X', 'é'"):
        text_model.score("the éX")
    with pytest.raises(ValueError, match="'#'"):
        text_model.generate("#")
    for name, value in {"length": 0, "temperature": -1.0, "top_k": 0, "top_p": 0.0}.items():
        with pytest.raises(ValueError, match=f"{name}="):
            text_model.generate("the", **{name: value})
    with pytest.raises(ValueError, match="n_samples=0"):
        text_model.sample(0)
    with pytest.raises(ValueError, match="without a single token"):
        text_model.score("")
    with pytest.raises(ValueError, match="11 tokens, and attention is drawn of at most 8"):
        text_model.attention("the cat sat")
    for ask in (text_model.score, text_model.impute, text_model.transform):
        with pytest.raises(TypeError, match="has learned from text"):
            ask(np.ones((2, 3)))
    for ask in (text_model.impute, text_model.draw_imputations):
        with pytest.raises(TypeError, match="has learned from text"):
            ask("the cat")
    numbers = lowdim.CausalTransformer(max_iter=1, **TINY).fit(rng.normal(size=(20, 3)))
    for ask in (numbers.score, numbers.generate, numbers.impute):
        with pytest.raises(TypeError, match="has learned from rows of numbers"):
            ask("the cat")
