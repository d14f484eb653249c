"""`lowdim cluster` writes the clusters that the Python class gives, and says what makes them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim


@pytest.fixture
def groups(write):
    """Three groups of 20 rows, one high in a, one high in b; with ids, text and a missing value."""
    random = np.random.default_rng(0)
    lines = ["name,a,b,kind"]
    for i in range(60):
        a, b = random.normal(size=2) + [[0, 0], [12, 0], [0, 12]][i % 3]
        kind = ["x", "y", "x"][i % 3]
        lines.append(f"r{i},{'' if i == 5 else f'{a:.3f}'},{b:.3f},{kind}")
    return write("groups.csv", "\n".join(lines) + "\n")


def test_the_summary_says_what_makes_the_clusters(run, groups):
    result = run("cluster", groups, "--id", "name", "-k", "3", "--ignore", "kind")
    lines = result.stdout.splitlines()
    assert lines[2] == "method   KMeans, 3 clusters"
    assert lines[3] == "written  nothing; -o FILE writes the labels, --model FILE the model"
    high = [line.split("high")[1].split()[0] for line in lines if "high" in line]
    assert sorted(high) == ["a", "b"]
    typical = [line for line in lines if "typical" in line]
    assert len(typical) == 3 and all("name r" in line for line in typical)
    assert sum(int(line.split()[1]) for line in lines if line[:1].isdigit()) == 60


@pytest.mark.parametrize("method", ["kmeans", "gmm"])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_auto_finds_the_groups(run, read, groups, method, stream):
    result = run(
        *("cluster", groups, "--id", "name", "--columns", "a,b"),
        *("--method", method, "--covariance", "spherical")[: 2 if method == "kmeans" else 4],
        *("-o", "labels.csv", stream),
    )
    assert "-k auto: 3 clusters, of" in result.stderr
    table = read("labels.csv")
    labels = np.asarray(table["cluster"]).astype(int)
    for start in range(3):
        assert len(set(labels[start::3])) == 1
    assert len(set(labels[:3])) == 3
    assert list(table)[1:] == [{"kmeans": "distance", "gmm": "probability"}[method], "cluster"]
    assert table["name"][7] == "r7"


def test_labels_are_those_of_the_class_and_of_apply(run, read, groups):
    run("cluster", groups, "-k", "3", "--drop", "name", "-o", "l.csv", "--model", "m.lowdim")
    run("apply", "m.lowdim", groups, "-o", "again.csv")
    first, again = read("l.csv"), read("again.csv")
    assert_array_equal(first["cluster"], again["cluster"])
    assert_allclose(first["distance"], again["distance"])
    model = lowdim.load("m.lowdim")
    assert type(model) is lowdim.TableModel and type(model.estimator_) is lowdim.KMeans
    assert_array_equal(model.predict(groups), first["cluster"])


def test_a_mixture_can_be_applied_too(run, read, groups):
    run("cluster", groups, "-k", "3", "--drop", "name", "--model", "gmm", "-o", "l.csv")
    table = read("l.csv")
    assert (np.asarray(table["probability"]) > 1 / 3).all()


@pytest.mark.parametrize("columns", ["a,b", "a,b,kind", "a"])
def test_the_plot_is_drawn(run, groups, tmp_path, columns):
    run("cluster", groups, "-k", "3", "--columns", columns, "--plot", "c.png")
    assert (tmp_path / "c.png").stat().st_size > 5000


# The door


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["-k", "0"], "not a number of clusters"),
        (["-k", "2.5"], "not a number of clusters"),
        (["-k", "61"], "more than the 60 rows"),
        (["--covariance", "full"], "goes with gmm"),
        (["--plot", "c.txt"], "End --plot in .png, .svg, .pdf"),
        (["-o", "c.csv", "--model", "./c.csv"], "would be written twice"),
        (["-o", "nowhere/labels.csv"], "no folder"),
    ],
)
def test_bad_input_is_one_line(refused, groups, arguments, message):
    assert message in refused("cluster", groups, *arguments)
