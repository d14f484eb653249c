"""What is found in a table."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.report.explore.findings import factor_name

pytestmark = pytest.mark.usefixtures("few_models")


def test_factor_names_say_what_goes_with_and_against():
    names = ["mass", "length", "depth", "year"]
    assert factor_name(np.array([0.9, 0.8, -0.7, 0.1]), names) == "mass, length against depth"
    assert factor_name(np.array([0.9, 0.1, 0.0, 0.1]), names) == "mass"


def test_planted_rank_groups_missing_values_and_odd_row_are_found(report, planted):
    findings = report.findings
    assert findings.spectrum.rank == 2
    labels = findings.clusters.labels
    group = np.arange(len(labels)) % 2
    rows = np.delete(np.arange(len(labels)), 7)
    assert findings.clusters.model.n_components >= 2
    for j in range(findings.clusters.model.n_components):
        inside = group[rows][labels[rows] == j]
        assert len(inside) == 0 or inside.mean() < 0.1 or inside.mean() > 0.9
    assert findings.odd.rows[0].row == 7
    assert findings.odd.rows[0].reasons[0].column == "a"
    assert {len(part.rows) for part in findings.filled} == {
        int(n) for n in planted().drop(columns=["word", "name"]).isna().sum()
    }


def test_the_same_seed_gives_the_same_findings(report, planted):
    again = lowdim.explore(planted(), target="word", id="name").findings
    np.testing.assert_array_equal(again.factors.codes, report.findings.factors.codes)
    np.testing.assert_array_equal(again.clusters.labels, report.findings.clusters.labels)
    np.testing.assert_array_equal(again.comparison.losses, report.findings.comparison.losses)
    assert again.odd.rows == report.findings.odd.rows


def test_a_sparse_matrix_has_the_findings_of_a_dense_one():
    X = np.random.default_rng(0).poisson(1.0, size=(60, 5)) * 1.0
    dense, sparse = (lowdim.explore(m, encoder=lowdim.TableEncoder(log=False)).findings
                     for m in (X, sp.csr_array(X)))  # fmt: skip
    np.testing.assert_allclose(sparse.factors.codes, dense.factors.codes, atol=1e-9)
    assert [row.row for row in sparse.odd.rows] == [row.row for row in dense.odd.rows]


def test_a_large_table_may_have_columns_with_next_to_no_values(rng):
    X = rng.normal(size=(12_000, 5)) @ rng.normal(size=(5, 5))
    X[20:, 3] = np.nan
    X[200:, 4] = np.nan
    findings = lowdim.explore(X).findings
    assert findings.encoded.feature_names == ["0", "1", "2", "4"]
    assert "next to no values" in findings.encoded.columns["3"].done
    assert findings.comparison is not None
    assert [part.column.name for part in findings.filled] == ["4"]
