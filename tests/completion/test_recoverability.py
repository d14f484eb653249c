"""Recoverability: counts, connected parts, incoherence by its definition, and the verdict."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.completion.entries import Entries
from lowdim.completion.recoverability import incoherence
from lowdim.linalg import svd


def low_rank(rng, n, d, k):
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, d))


def test_degrees_of_freedom_are_those_of_the_notes():
    seen = np.ones((10, 10), dtype=bool)
    for k in (1, 3, 10):
        assert lowdim.recoverability(seen, k).degrees_of_freedom == 2 * 10 * k - k**2
    assert lowdim.recoverability(np.ones((7, 4), dtype=bool), 2).degrees_of_freedom == 2 * (11 - 2)


def test_a_matrix_of_ones_is_as_incoherent_as_can_be():
    # u = v = 1/sqrt(n): p_ij = q_ij = e_ij = 1/n and p_ii = k/n
    found = incoherence(svd(np.ones((6, 6)), 1))
    assert found.between == pytest.approx(1.0)
    assert found.leverage == pytest.approx(0.0, abs=1e-12)
    assert found.joint == pytest.approx(1.0)


def test_a_single_spike_is_as_coherent_as_can_be():
    spike = np.zeros((6, 6))
    spike[2, 3] = 5.0
    found = incoherence(svd(spike, 1))
    assert found.leverage == pytest.approx(5.0)  # n (1 - 1/n)
    assert found.joint == pytest.approx(6.0)
    assert found.mu == pytest.approx(6.0)


@pytest.mark.parametrize("shape", [(30, 30), (30, 12)])
def test_incoherence_is_the_smallest_mu_of_its_three_conditions(rng, shape, monkeypatch):
    monkeypatch.setattr("lowdim.completion.recoverability.PAIRS_AT_A_TIME", 100)
    (n, d), k = shape, 3
    model = svd(low_rank(rng, n, d, k), k)
    P, Q, E = model.U @ model.U.T, model.Vt.T @ model.Vt, model.U @ model.Vt
    found, root = incoherence(model), np.sqrt(k)
    off_p, off_q = P - np.diag(np.diag(P)), Q - np.diag(np.diag(Q))
    between = max(n * np.abs(off_p).max(), d * np.abs(off_q).max()) / root
    diagonal = max(np.abs(n * np.diag(P) - k).max(), np.abs(d * np.diag(Q) - k).max()) / root
    assert found.between == pytest.approx(between)
    assert found.leverage == pytest.approx(diagonal)
    assert found.joint == pytest.approx(np.sqrt(n * d) * np.abs(E).max() / root)


def test_counts_and_parts_of_a_pattern_worked_out_by_hand():
    seen = np.zeros((5, 4), dtype=bool)
    seen[[0, 0, 1], [0, 1, 1]] = True  # rows 0, 1 and columns 0, 1
    seen[[2, 3], [2, 2]] = True  # rows 2, 3 and column 2; row 4 and column 3 have nothing
    report = lowdim.recoverability(seen, 1)
    assert report.row_counts.tolist() == [2, 1, 1, 1, 0]
    assert report.column_counts.tolist() == [1, 2, 2, 0]
    assert report.n_parts == 2
    assert report.row_part.tolist() == [0, 0, 1, 1, -1]
    assert report.column_part.tolist() == [0, 0, 1, -1]
    assert not report.recoverable
    for text in ("5 entries are fewer than the 8", "2 parts", "1 row (4)", "1 column (3)"):
        assert text in report.verdict


def test_leverage_has_mean_one(rng):
    X = low_rank(rng, 40, 30, 2)
    report = lowdim.recoverability(X, 2)
    assert report.row_leverage.mean() == pytest.approx(1.0)
    assert report.column_leverage.mean() == pytest.approx(1.0)


def test_the_estimate_from_some_entries_is_near_the_truth(rng):
    truth = low_rank(rng, 100, 80, 2)
    X = np.where(rng.random(truth.shape) < 0.5, truth, np.nan)
    estimate = lowdim.recoverability(X, 2)
    given = lowdim.recoverability(X, 2, matrix=truth)
    assert estimate.estimated and not given.estimated
    np.testing.assert_allclose(estimate.incoherence, given.incoherence, rtol=0.05)
    assert estimate.recoverable and "Likely recoverable" in estimate.verdict


def test_all_forms_of_input_say_the_same(rng):
    truth = low_rank(rng, 40, 30, 2) + 10.0
    seen = rng.random(truth.shape) < 0.5
    X = np.where(seen, truth, np.nan)
    L, s, Rt = np.linalg.svd(truth, full_matrices=False)
    factors = (L[:, :3] * s[:3], Rt[:3].T)
    stored = sp.csr_array(np.where(seen, truth, 0.0))
    reports = [
        lowdim.recoverability(form, 3, matrix=matrix)
        for form in (X, seen, sp.csr_array(seen), stored, Entries(X))
        for matrix in (truth, factors)
    ]
    for report in reports[1:]:
        np.testing.assert_allclose(report.incoherence, reports[0].incoherence, rtol=1e-6)
        np.testing.assert_array_equal(report.row_counts, reports[0].row_counts)
    assert lowdim.recoverability(seen, 3).incoherence is None


def test_it_prints_as_a_report(rng):
    truth = low_rank(rng, 40, 30, 2)
    text = repr(lowdim.recoverability(np.where(rng.random((40, 30)) < 0.6, truth, np.nan), 2))
    for words in (
        "40 x 30 matrix of rank 2",
        "degrees of freedom    136",
        "incoherence mu",
        "parts",
    ):
        assert words in text


def test_few_or_coherent_entries_raise_doubts(rng):
    truth = low_rank(rng, 60, 60, 2)
    truth[7, 9] = 1e4
    seen = np.ones((60, 60), dtype=bool)
    report = lowdim.recoverability(seen, 2, matrix=truth)
    assert report.recoverable and "coherent" in report.verdict
    few = lowdim.recoverability(rng.random((60, 60)) < 0.5, 20)
    assert "for each degree of freedom are few" in " ".join(few.doubts)


@pytest.mark.parametrize(
    ("X", "arguments", "message"),
    [
        (np.zeros((3, 3), dtype=bool), {"rank": 1}, "no observed entries"),
        (np.full((3, 3), np.nan), {"rank": 1}, "no observed entries"),
        (np.ones((3, 2)), {"rank": 3}, "rank=3 is more than the 2 rows or columns"),
        (np.ones((3, 2)), {"rank": 1, "matrix": np.ones((2, 2))}, "matrix has shape"),
        (np.ones((3, 2)), {"rank": 1, "matrix": (np.ones((3, 1)), np.ones((3, 1)))}, "factors"),
        (np.ones((3, 2)), {"rank": 2, "matrix": (np.ones((3, 1)), np.ones((2, 1)))}, "fewer than"),
    ],
)
def test_what_cannot_be_judged_is_refused(X, arguments, message):
    with pytest.raises(ValueError, match=message):
        lowdim.recoverability(X, **arguments)
