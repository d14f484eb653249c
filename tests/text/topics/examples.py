"""Documents with planted topics, for the tests of topic models."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def planted(random, n=60, v=30, k=3, length=40, alpha=0.2, eta=0.1):
    """Counts (n, v) as a csr_array, shares (n, k) and topics (k, v)."""
    theta = random.dirichlet(np.full(k, alpha), size=n)
    phi = random.dirichlet(np.full(v, eta), size=k)
    X = np.stack([random.multinomial(length, p) for p in theta @ phi])
    return sp.csr_array(X.astype(float)), theta, phi


def emptied(X, row):
    """The same counts, but for a document that has no words; its cells are not stored."""
    dense = X.toarray()
    dense[row] = 0.0
    return sp.csr_array(dense)


def plain_step(X, e, B, weight=None):
    """The expectation step with an array over documents, terms and topics: what kernels avoid."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)
    w = np.ones(len(X)) if weight is None else weight
    joint = e[:, None, :] * B[None]  # (n, v, k)
    p = joint.sum(axis=2)
    resp = np.divide(joint, p[:, :, None], out=np.zeros_like(joint), where=p[:, :, None] > 0)
    by_term = np.einsum("i,iw,iwz->wz", w, X, resp)
    by_document = np.einsum("iw,iwz->iz", X, resp)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_likelihood = np.where(X > 0, X * np.log(p), 0.0).sum(axis=1)
    return by_term, by_document, log_likelihood


def matched(topics, truth):
    """How alike topics are to planted ones: the least cosine, each with its best partner."""
    topics = topics / np.linalg.norm(topics, axis=1, keepdims=True)
    truth = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    return (topics @ truth.T).max(axis=0).min()
