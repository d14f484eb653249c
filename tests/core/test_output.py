"""Results in the container that the user has chosen."""

import numpy as np
import pytest
from sklearn import config_context

from lowdim.core.output import ColumnsOutput, in_columns_of_x


class Model(ColumnsOutput):
    n_features_in_ = 2


def test_arrays_stay_arrays_unless_something_else_is_asked_for():
    values = np.eye(2)
    assert in_columns_of_x(Model(), values, None) is values
    assert in_columns_of_x(Model().set_output(transform=None), values, None) is values


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_have_the_names_of_the_columns(kind):
    library = pytest.importorskip(kind)
    model, values = Model().set_output(transform=kind), np.array([[1.0, 2.0]])
    frames = in_columns_of_x(model, (values, values), None)
    assert all(isinstance(frame, library.DataFrame) for frame in frames)
    assert list(frames[0].columns) == ["x0", "x1"]
    model.feature_names_in_ = np.array(["a", "b"], dtype=object)
    assert list(in_columns_of_x(model, values, None).columns) == ["a", "b"]


def test_the_index_of_a_frame_is_kept_and_the_global_choice_counts():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.eye(2), index=[5, 7])
    with config_context(transform_output="pandas"):
        assert list(in_columns_of_x(Model(), np.eye(2), X).index) == [5, 7]


def test_what_is_no_array_stays_as_it_is():
    lazy = object()
    assert in_columns_of_x(Model().set_output(transform="pandas"), lazy, None) is lazy
