"""Arguments of figures: what is wrong is named, and no figure is opened."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from lowdim import plots
from lowdim.plots.checks import check_matrix, check_vector


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.scree([]), r"variance_ratio has shape \(0,\)"),
        (lambda: plots.scree([[0.5]]), r"variance_ratio has shape \(1, 1\)"),
        (lambda: plots.scree([0.5], chosen=2), "chosen=2 is not between 0 and the 1 components"),
        (lambda: plots.scree([0.5], errors=[0.1, 0.1]), "errors has 2 entries where 1 are needed"),
        (lambda: plots.scree([0.5], parallel=[0.1, 0.1]), "parallel has 2 entries"),
        (lambda: plots.curve_with_errors([1, 2], [1.0]), "curve has 1 entries where 2"),
        (lambda: plots.curve_with_errors([1, 2], [1.0, 2.0], None, 3), "choice=3 is not one of"),
        (lambda: plots.trace([]), r"history has shape \(0,\)"),
        (lambda: plots.trace({}), "history is empty"),
        (lambda: plots.correlation_circle([[2.0, 0.0]]), "rows longer than 1"),
        (lambda: plots.correlation_circle([[0.1]]), r"axes=\(0, 1\) must be two of the 1 columns"),
        (lambda: plots.correlation_circle([[0.1, np.nan]]), "NaN or infinity .first in row 0."),
        (lambda: plots.correlation_circle([[0.1, 0.2]], ["a", "b"]), "names has 2 entries where 1"),
        (lambda: plots.biplot([1.0, 2.0], [[0.1, 0.2]]), r"Z has shape \(2,\)"),
        (lambda: plots.biplot(np.eye(2), [[1.0, 2.0]], labels=[1]), r"labels has shape \(1,\)"),
        (lambda: plots.loadings_heatmap([0.1]), r"loadings has shape \(1,\)"),
        (lambda: plots.loadings_heatmap([[0.1]], factor_names=["a", "b"]), "factor_names has 2"),
        (lambda: plots.scatter_map(np.eye(2), labels=[1, 2], colors=[1, 2]), "both given"),
        (lambda: plots.scatter_map(np.eye(2), colors=[1, 2, 3]), "colors has 3 entries where 2"),
        (lambda: plots.scatter_map(np.eye(2), axes=(0, 2)), r"axes=\(0, 2\) must be two of the 2"),
        (lambda: plots.comparison(["a"], [1, 2], [0, 0], [1, 0]), "names has 1 entries where 2"),
        (lambda: plots.comparison(["a"], [1.0], [0.1], [1, 0]), r"good has shape \(2,\)"),
        (lambda: plots.missing_map(np.empty((0, 3))), r"X has shape \(0, 3\)"),
        (lambda: plots.missing_map([[1.0]], ["a", "b"]), "names has 2 entries where 1"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named_and_open_no_figure(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("check", [check_vector, check_matrix])
@pytest.mark.parametrize("values", ["abc", [["a"]], [[1.0], [2.0, 3.0]]])
def test_what_is_no_numbers_is_refused_by_the_name_of_the_argument(check, values):
    with pytest.raises(ValueError, match="shares does not hold numbers"):
        check("shares", values)
