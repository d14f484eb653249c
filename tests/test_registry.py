"""The table of methods says of each public class what is true of it."""

from dataclasses import asdict, fields

import numpy as np
import pytest

import lowdim
from lowdim.core.estimator import Estimator
from lowdim.registry import Method, methods, public_estimators


def test_estimators_are_the_exported_ones():
    found = public_estimators()
    assert found["PCA"] is lowdim.PCA
    assert all(issubclass(cls, Estimator) for cls in found.values())
    assert "choose_rank" not in found and "TableEncoder" not in found


def test_rows_are_sorted_and_can_be_chosen():
    names = [row.name for row in methods()]
    assert names == sorted(public_estimators())
    assert [row.name for row in methods(["PCA", "ALS", "nothing"])] == ["ALS", "PCA"]


@pytest.mark.parametrize(
    ("name", "family", "task"),
    [
        ("PCA", "linear", "dimension reduction"),
        ("KMeans", "cluster", "clustering"),
        ("GaussianMixture", "mixture", "density"),
        ("ALS", "completion", "completion"),
        ("OnlineRegression", "linear", "regression"),
    ],
)
def test_a_method_has_its_family_and_task(name, family, task):
    (row,) = methods([name])
    assert (row.family, row.task) == (family, task)


@pytest.mark.parametrize("row", methods(), ids=lambda row: row.name)
def test_what_a_row_says_the_class_has(row):
    model = getattr(lowdim, row.name)()
    said = asdict(row)
    for method in ("transform", "inverse_transform", "impute", "predict", "score", "sample"):
        asked = (
            model if method == "predict" else type(model)
        )  # some models have it with some arguments
        assert said[method] == hasattr(asked, method)
    assert row.nan == model.__sklearn_tags__().input_tags.allow_nan
    assert row.sparse == model.__sklearn_tags__().input_tags.sparse


def test_the_table_prints_a_line_for_each_method():
    lines = repr(methods(["PCA", "ALS"])).splitlines()
    assert lines[0].split() == [field.name for field in fields(Method)]
    assert [line.split()[0] for line in lines[1:]] == ["ALS", "PCA"]
    assert len({line.index(word) for line, word in zip(lines, ["family", "completion", "linear"],
                                                       strict=True)}) == 1  # fmt: skip
    assert set(np.concatenate([line.split()[-6:] for line in lines[1:]])) <= {"yes", "-"}


def test_html_has_a_row_for_each_method():
    html = methods(["PCA", "ALS"])._repr_html_()
    assert html.count("<tr>") == 3 and "<td>PCA</td><td>linear</td>" in html
