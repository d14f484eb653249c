"""The ways in which LDA learns: one loop each over the steps of the other files.

Every loop notes what is minimised per token, and has all that the next pass needs in its state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.loop import Loop, iterate
from lowdim.core.memory import give_back
from lowdim.text.topics.counts import total_of, weights_of
from lowdim.text.topics.lda import bound, maximum, variational
from lowdim.text.topics.lda.gibbs import GibbsResult, GibbsState, run_gibbs
from lowdim.text.topics.lda.priors import Priors, from_logs, one_from_logs
from lowdim.text.topics.lda.stepwise import stepwise_pass
from lowdim.text.topics.lda.variational import Inner, Learned, State

# "map": passes over batches, after which other models of topics are overtaken; then iterations over
# all documents, so many times `max_iter` at the most
STEPWISE_PASSES, FULL_ITERATIONS = 3, 10
# While topics are still found, documents begin afresh in each pass, and are not coded to the end:
# on AP with 20 topics, perplexity 3470 after ten passes; 4550 if they go on from the pass before
FRESH_PASSES, FRESH_ITERATIONS = 10, 20
ONLINE_ITERATIONS = 40  # of documents in batches, once topics are no longer alike

Result = tuple[State, float]


def batch(model: Any, rows: Blocks, weight: np.ndarray | None, start: State) -> Result:
    """Variational Bayes, all documents at a time; the final state, and the perplexity of X."""
    tokens = rows.fold(total_of, along=(weight,)).tokens
    loop = _loop(model, rows, start, tol=_tol(model), falls=True)
    del start  # the loop has it as long as it is needed
    for state in loop:
        state, inner = _begun(model, state, loop.n_iter)
        keep = _goes_on_from_here(model, loop.n_iter)
        after, value = variational.step(rows, state, inner, _learned(model), weight, keep)
        after, change = _evaluated(model, rows, weight, after, loop.n_iter + 1)
        loop.record(-value / max(tokens, 1.0), change=change)
        loop.params = after
    return loop.params, _final_perplexity(model, rows, weight, loop.params)


def online(model: Any, rows: Blocks, weight: np.ndarray | None, start: State) -> Result:
    """Variational Bayes, one batch after the other, `max_iter` times through the documents."""
    total = rows.fold(total_of, along=(weight,))
    loop = _loop(model, rows, start, tol=_tol(model))
    del start
    for state in loop:
        alike = state.n_batches < FRESH_PASSES
        most = FRESH_ITERATIONS if alike else ONLINE_ITERATIONS
        state, inner = _begun(model, state, loop.n_iter, most)
        keep = _goes_on_from_here(model, loop.n_iter)
        after, value = _online_pass(model, rows, weight, state, inner, total.documents, keep)
        after, change = _evaluated(model, rows, weight, after, loop.n_iter + 1)
        value += bound.topics_bound(after.topics, after.priors)
        loop.record(-value / max(total.tokens, 1.0), change=change)
        loop.params = after
    return loop.params, _final_perplexity(model, rows, weight, loop.params)


def maximise(model: Any, rows: Blocks, weight: np.ndarray | None, start: State) -> Result:
    """Stepwise EM, then EM; the final state, and the perplexity of X at its shares."""
    inner = _fresh(model)
    total = rows.fold(total_of, along=(weight,))
    tokens = max(total.tokens, 1.0)
    size = max(maximum.LEAST_BATCH, rows.shape[0] // maximum.BATCHES)
    passes, learned = min(model.max_iter, STEPWISE_PASSES), _learned(model)
    most = passes + model.max_iter * FULL_ITERATIONS
    loop = _loop(model, rows, start, tol=model.tol, max_iter=most, falls=True)
    del start
    for state in loop:
        if loop.n_iter < passes:
            passed = stepwise_pass(
                rows,
                state,
                size=size,
                documents=total.documents,
                rate=maximum.rate,
                inner=inner,
                bayes=False,
                weight=weight,
                in_place=True,
            )
            prior = maximum.topics_prior(passed.state.topics, state.priors.word)
            loop.record(-(passed.objective + prior) / tokens, change=np.inf)
            loop.params = passed.state
            del passed
        else:
            give_back()  # what batches, and the last steps, made on threads
            first = maximum.first_step(rows, state, learned, weight)
            change = np.inf if loop.n_iter == passes else None
            loop.record(-first.objective.whole / tokens, change=change)
            perplexity = perplexity_of(first.objective.log_likelihood, tokens)
            loop.params = first.once
            del state  # two states are in memory, not three
            give_back()
            second = maximum.second_step(rows, first, learned, weight)
            loop.params = second.there
            del first
            give_back()
            after = maximum.third_step(rows, second, learned, weight)
            loop.params = after._replace(perplexity=perplexity)
            del second, after
    last = loop.params.perplexity
    return loop.params, float("nan") if last is None else last


def sample(model: Any, rows: Blocks, weight: np.ndarray | None, start: State) -> Result:
    """Gibbs sampling; the final state, and the perplexity of each word given all others."""

    def loop_from(state: GibbsState, result: Callable[[GibbsState], GibbsResult]) -> Loop:
        def attributes(state: GibbsState) -> dict[str, Any]:
            topics, priors = result(state)
            return model._attributes(State(topics, None, priors), rows.dtype)

        return iterate(model, state, max_iter=model.max_iter, tol=0, attributes=attributes)

    found = run_gibbs(
        loop_from,
        _counts_in_memory(rows, weight),
        start.priors,
        n_iter=model.max_iter,
        n_samples=model.n_samples,
        random=model.random_state_,
        learned=_learned(model),
    )
    last = model.history_[-1] if model.n_iter_ else np.nan
    return State(found.topics, None, found.priors), float(np.exp(last))


def _counts_in_memory(rows: Blocks, weight: np.ndarray | None) -> sp.csr_array:
    cure = "Use learning_method='map', which takes them."
    if weight is not None:
        raise ValueError(
            "sample_weight was given, and learning_method='gibbs' draws the topics of single "
            f"words: it has no weights. {cure}"
        )
    if rows.in_memory is None:
        raise ValueError(
            "learning_method='gibbs' keeps the topic of each word in memory and does not take "
            f"streams or Dask collections. {cure}"
        )
    return sp.csr_array(rows.in_memory)


LEARN: dict[str, Callable[[Any, Blocks, np.ndarray | None, State], Result]] = {
    "batch": batch,
    "online": online,
    "map": maximise,
    "gibbs": sample,
}


def learn_further(model: Any, rows: Blocks, weight: np.ndarray | None, state: State) -> State:
    """One pass of batches over new documents, of which `total_samples` are expected in all."""
    inner = _fresh(model)
    if model._is_bayes():
        return _online_pass(model, rows, weight, state, inner, float(model.total_samples))[0]
    return stepwise_pass(
        rows,
        state,
        size=model.batch_size,
        documents=float(model.total_samples),
        rate=maximum.rate,
        inner=inner,
        bayes=False,
        weight=weight,
        keep=False,
    ).state


def _begun(
    model: Any, state: State, n_iter: int, most: int = FRESH_ITERATIONS
) -> tuple[State, Inner]:
    """Where documents begin in pass `n_iter`, and how far they go."""
    if n_iter < FRESH_PASSES:
        return state._replace(gamma=None), _fresh(model, most)
    return state, model._inner()


def _goes_on_from_here(model: Any, n_iter: int) -> bool:
    """Whether the pass after pass `n_iter` needs to know where it left documents."""
    return FRESH_PASSES <= n_iter + 1 < model.max_iter


def _fresh(model: Any, most: int = FRESH_ITERATIONS) -> Inner:
    """How far documents go that begin afresh."""
    max_iter, tol = model._inner()
    return Inner(min(max_iter, most), tol)


def _online_pass(
    model: Any,
    rows: Blocks,
    weight: np.ndarray | None,
    state: State,
    inner: Inner,
    documents: float,
    keep: bool = False,
) -> tuple[State, float]:
    passed = stepwise_pass(
        rows,
        state,
        size=model.batch_size,
        documents=documents,
        rate=lambda t: float((model.learning_offset + t + 1) ** -model.learning_decay),
        inner=inner,
        bayes=True,
        weight=weight,
        keep=keep,
    )
    after, learned = passed.state, _learned(model)
    doc, word = after.priors
    if learned.doc:
        doc = from_logs(doc, passed.logs)
    if learned.word:
        logs = np.log(np.maximum(bound.expected_topics(after.topics), np.finfo(float).tiny))
        word = np.array(one_from_logs(float(word), float(logs.mean()), len(logs)))
    return after._replace(priors=Priors(doc, word)), passed.objective


# ---- the bound -----------------------------------------------------------------------------------


def bound_of(
    rows: Blocks,
    weight: np.ndarray | None,
    topics: np.ndarray,
    priors: Priors,
    inner: Inner,
    times: float = 1.0,
) -> tuple[float, float]:
    """The bound of documents, each `times` times, and of the topics; and their tokens."""
    B = bound.expected_topics(topics)
    total, tokens = rows.fold(_bound_sums, B, priors.doc, inner, along=(weight,))
    return times * total + bound.topics_bound(topics, priors), times * tokens


def _bound_sums(
    X: Any, B: np.ndarray, alpha: np.ndarray, inner: Inner, weight: np.ndarray | None
) -> tuple[float, float]:
    w = weights_of(weight, X.shape[0])
    return float(w @ bound.bounds(X, B, alpha, *inner)), total_of(X, weight).tokens


def perplexity_of(total: float, tokens: float) -> float:
    """exp(-total / tokens); without any words 1."""
    return float(np.exp(-total / tokens)) if tokens > 0 else 1.0


def _final_perplexity(model: Any, rows: Blocks, weight: np.ndarray | None, state: State) -> float:
    found = bound_of(rows, weight, state.topics, state.priors, model._inner())
    return perplexity_of(*found)


# ---- the loop ------------------------------------------------------------------------------------


def _loop(
    model: Any,
    rows: Blocks,
    start: State,
    tol: float,
    max_iter: int | None = None,
    falls: bool = False,
) -> Loop:
    return iterate(
        model,
        start,
        max_iter=model.max_iter if max_iter is None else max_iter,
        tol=tol,
        attributes=lambda state: model._attributes(state, rows.dtype),
        falls=falls,
    )


def _tol(model: Any) -> float:
    return model.perp_tol if model.evaluate_every > 0 else 0.0


def _learned(model: Any) -> Learned:
    return Learned(_is_auto(model.doc_topic_prior), _is_auto(model.topic_word_prior))


def _is_auto(prior: Any) -> bool:
    return isinstance(prior, str)


def _evaluated(
    model: Any, rows: Blocks, weight: np.ndarray | None, state: State, n_iter: int
) -> tuple[State, float]:
    """The state with its perplexity, if it is time for it, and by how much that changed."""
    change, note = np.inf, ""
    if model.evaluate_every > 0 and n_iter % model.evaluate_every == 0:
        perplexity = _final_perplexity(model, rows, weight, state)
        if state.perplexity is not None:
            change = abs(state.perplexity - perplexity)
        state = state._replace(perplexity=perplexity)
        note = f", perplexity: {perplexity:.4f}"
    if model.verbose:
        print(f"iteration: {n_iter} of max_iter: {model.max_iter}{note}")
    return state, change
