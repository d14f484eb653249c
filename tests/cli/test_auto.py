"""`-k auto`: one rule in all verbs, and what is said about it."""

import numpy as np
import pandas as pd
import pytest

import lowdim
from tests.report.samples import two_methods


def planted(rng, n=300):
    """Two factors in eight columns and a category; two groups, each about a factor's end."""
    Z = rng.normal(size=(n, 2)) + 5.0 * (np.arange(n) % 2)[:, None] * [1.0, 0.0]
    X = Z @ np.kron(np.eye(2), np.ones((1, 4))) + 0.6 * rng.normal(size=(n, 8))
    X[rng.random(X.shape) < 0.05] = np.nan
    table = pd.DataFrame(X, columns=[f"c{f}" for f in range(8)])
    side = np.where(Z[:, 1] > 0.7, "right", np.where(Z[:, 1] < -0.7, "left", "middle"))
    return table.assign(side=side)


@pytest.fixture
def table(rng, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planted(rng).to_csv("t.csv", index=False)
    return "t.csv"


def said(result):
    """What a verb says of its choice: a number, and the whole line."""
    (line,) = (line for line in result.stderr.splitlines() if line.startswith("-k auto: "))
    return int(line.split()[2]), line.removeprefix("-k auto: ")


def test_one_rule_chooses_in_every_verb_on_the_page_and_in_python(run, table):
    reduce, complete = (said(run(verb, table, "-k", "auto")) for verb in ("reduce", "complete"))
    with two_methods():
        findings = lowdim.explore(table, random_state=0).findings
    page, clusters = findings.spectrum, findings.clusters.choice
    encoder = lowdim.TableEncoder(drop_level=True).fit(table)
    here = lowdim.choose_rank(
        encoder.transform(table), max_rank=int(page.held_out.ranks[-1]), repeats=5, random_state=0
    )
    assert reduce == complete == (here.choice, str(here)) == (page.rank, str(page.held_out))
    assert here.method == "gain"
    assert here.choice == 2
    assert clusters.criterion == "bic"
    assert (clusters.sizes[0], clusters.sizes[-1]) == (1, 10)


def test_components_keep_to_one_rule_where_columns_keep_their_units(run, table):
    given = ("-k", "auto", "--scale", "none")
    reduce, complete = (said(run(verb, table, *given)) for verb in ("reduce", "complete"))
    assert reduce == complete
    assert "within one standard error of the best" in reduce[1]


@pytest.mark.parametrize(
    ("method", "model", "criterion"),
    [
        ("kmeans", lowdim.KMeans(n_init=4, random_state=0), "silhouette"),
        ("gmm", lowdim.GaussianMixture(n_init=2, random_state=0), "bic"),
    ],
)
def test_clusters_are_those_of_choose_k(run, table, method, model, criterion):
    columns = "c0,c1,c4,c5"
    count, line = said(run("cluster", table, "--method", method, "--columns", columns))
    X = lowdim.TableEncoder(columns=columns.split(",")).fit_transform(table)
    sizes = range(2 if criterion == "silhouette" else 1, 11)
    here = lowdim.choose_k(X, model, k=sizes, random_state=0)
    assert here.criterion == criterion
    assert (count, line) == (here.choice, str(here))
    assert count == 2


def test_small_tables_have_one_component_and_one_cluster(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"a": [1.5, 2.5], "b": [3.5, 1.0]}).to_csv("t.csv", index=False)
    for verb, line in [
        ("reduce", "1 component; the table is too small to choose"),
        ("complete", "1 component; the table is too small to choose"),
        ("cluster", "1 cluster; 2 rows are too few to choose"),
    ]:
        assert said(run(verb, "t.csv", "-k", "auto")) == (1, line)


def test_one_component_of_noise_is_kept_and_said(run, rng, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("t.npy", rng.normal(size=(2000, 6)))
    count, line = said(run("reduce", "t.npy", "-k", "auto"))
    assert count == 1
    assert "none stands out of the noise" in line or line.startswith("1 component, of 0 to")
