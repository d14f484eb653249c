"""The priors of LDA: theta_i ~ Dirichlet(alpha), phi_z ~ Dirichlet(eta); given, or learned.

    alpha    None is 1/k;  a number;  (k,);  "auto": one for each topic
    eta      None is 1/k;  a number;  (v,);  (k, v): seed words;  "auto": one for all terms

Learned priors maximise the same bound as everything else, by fixed points of Minka:

    from E log theta     digamma(alpha_z) = digamma(sum alpha) + mean of E log theta_z
    from counts n_iz     alpha_z <- alpha_z  sum_i digamma(n_iz + alpha_z) - digamma(alpha_z)
                                           / sum_i digamma(n_i + sum alpha) - digamma(sum alpha)

Both raise the likelihood with every step. Documents without words say nothing about alpha.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import polygamma, psi

from lowdim.core.numeric import numeric_array

STEPS = 20  # of a fixed point in one pass: the next pass goes on from there
LEAST, MOST = 1e-6, 1e6  # of a learned prior


class Priors(NamedTuple):
    """Priors in the shapes in which they are computed with."""

    doc: np.ndarray  # (k,)  alpha
    word: np.ndarray  # (), (v, 1) or (v, k)  eta, by terms

    def word_total(self, v: int) -> np.ndarray:
        """Sum of eta over the terms, of each topic, (k,)."""
        return np.broadcast_to(self.word, (v, len(self.doc))).sum(axis=0)


def given_priors(doc: Any, word: Any, k: int, v: int) -> Priors:
    """The priors that the arguments ask for; where "auto", where to start from."""
    default = 1.0 / k
    alpha = _numbers("doc_topic_prior", doc, default, [(k,)])
    eta = _numbers("topic_word_prior", word, default, [(v,), (k, v)])
    if eta.ndim:
        eta = np.ascontiguousarray(eta.T) if eta.ndim == 2 else eta[:, None]
    return Priors(np.array(np.broadcast_to(alpha, (k,))), eta)


def published(priors: Priors, doc: Any, word: Any) -> tuple[Any, Any]:
    """`doc_topic_prior_` and `topic_word_prior_`: numbers where one number was given or learned."""
    is_one = doc is None or (np.ndim(doc) == 0 and not isinstance(doc, str))
    alpha = float(priors.doc[0]) if is_one else priors.doc
    match priors.word.ndim and priors.word.shape[1]:
        case 0:
            return alpha, float(priors.word)
        case 1 if np.ndim(word) == 1:
            return alpha, priors.word[:, 0]
        case _:
            return alpha, np.ascontiguousarray(priors.word.T)


def learned_priors(doc: Any, word: Any, k: int) -> Priors:
    """The priors of a fitted model, from its attributes."""
    eta = np.asarray(word, dtype=np.float64)
    if eta.ndim:
        eta = np.ascontiguousarray(eta.T) if eta.ndim == 2 else eta[:, None]
    return Priors(np.array(np.broadcast_to(np.asarray(doc, dtype=np.float64), (k,))), eta)


def _numbers(name: str, given: Any, default: float, shapes: list[tuple]) -> np.ndarray:
    if given is None or isinstance(given, str):  # "auto"
        return np.array(default)
    numbers = numeric_array(given, name, "LatentDirichletAllocation").astype(np.float64)
    if numbers.ndim and numbers.shape not in shapes:
        accepted = " or ".join(str(shape) for shape in shapes)
        raise ValueError(
            f"{name} has shape {numbers.shape}; a number or an array of shape {accepted} is needed."
        )
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError(
            f"{name} has values that are negative or not finite; priors are 0 or more."
        )
    return numbers


# ---- learning ------------------------------------------------------------------------------------


def from_logs(alpha: np.ndarray, mean_logs: np.ndarray) -> np.ndarray:
    """Steps towards the alpha under which E log theta has this mean; each raises the bound."""
    for _ in range(STEPS):
        alpha = np.clip(_inverse_digamma(psi(alpha.sum()) + mean_logs), LEAST, MOST)
    return alpha


def one_from_logs(eta: float, mean_log: float, v: int) -> float:
    """The same for one number that stands for all v terms, by Newton's steps in log eta."""
    for _ in range(STEPS):
        slope = psi(v * eta) - psi(eta) + mean_log
        curve = v * polygamma(1, v * eta) - polygamma(1, eta)  # < 0
        step = np.clip(-slope / (eta * curve), -1.0, 1.0)
        eta = float(np.clip(eta * np.exp(step), LEAST, MOST))
    return eta


class CountSums(NamedTuple):
    """What documents add up for alpha."""

    by_topic: np.ndarray  # (k,)  sum over documents of digamma(n_iz + alpha_z) - digamma(alpha_z)
    together: float  #       sum over documents of digamma(n_i + sum alpha) - digamma(sum alpha)


def count_sums(counts: np.ndarray, alpha: np.ndarray, weight: np.ndarray) -> CountSums:
    """Sums over documents with these expected counts of topics (b, k); those without words say
    nothing.
    """
    lengths = counts.sum(axis=1)
    some = lengths > 0
    w, total = weight[some], alpha.sum()
    by_topic = w @ (psi(counts[some] + alpha) - psi(alpha))
    return CountSums(by_topic, float(w @ (psi(lengths[some] + total) - psi(total))))


def from_counts(alpha: np.ndarray, sums: CountSums) -> np.ndarray:
    """One step towards the alpha under which the counts are likeliest."""
    if sums.together <= 0.0:
        return alpha
    return np.clip(alpha * sums.by_topic / sums.together, LEAST, MOST)


def one_from_counts(eta: float, counts: np.ndarray) -> float:
    """The same for one number for all terms, from counts by term and topic (v, k)."""
    v, total = len(counts), counts.sum(axis=0)
    for _ in range(STEPS):
        together = v * float((psi(total + v * eta) - psi(v * eta)).sum())
        if together <= 0.0:
            break
        eta = float(np.clip(eta * (psi(counts + eta) - psi(eta)).sum() / together, LEAST, MOST))
    return eta


def _inverse_digamma(y: np.ndarray) -> np.ndarray:
    """x with digamma(x) = y: Minka's start, and five of Newton's steps give all digits."""
    small = -1.0 / (np.minimum(y, -2.22) - psi(1.0))
    x = np.where(y >= -2.22, np.exp(np.minimum(y, 700.0)) + 0.5, small)
    for _ in range(5):
        x = x - (psi(x) - y) / polygamma(1, x)
    return x
