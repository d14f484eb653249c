"""Every public figure: on the axes given, or a figure of its own; matplotlib only when drawn."""

import builtins
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from lowdim import plots

EVERY_FIGURE = {
    "scree": lambda **ax: plots.scree([0.6, 0.3, 0.1], 2, [0.1] * 3, [0.4, 0.3, 0.2], **ax),
    "curve_with_errors": lambda **ax: plots.curve_with_errors(
        [0, 1, 2], [1.0, 0.4, 0.5], [0.1] * 3, 1, **ax
    ),
    "trace": lambda **ax: plots.trace([3.0, 2.0, 1.5], **ax),
    "correlation_circle": lambda **ax: plots.correlation_circle([[0.5, 0.5], [-0.9, 0.1]], **ax),
    "biplot": lambda **ax: plots.biplot(
        [[1.0, 2.0], [-1.0, 0.0]], [[0.5, 0.5], [-0.9, 0.1]], labels=["a", "b"], **ax
    ),
    "loadings_heatmap": lambda **ax: plots.loadings_heatmap([[0.5, 0.5], [-0.9, 0.1]], **ax),
    "scatter_map": lambda **ax: plots.scatter_map([[1.0, 2.0], [-1.0, 0.0]], **ax),
    "comparison": lambda **ax: plots.comparison(
        ["PCA", "means"], [0.4, 1.0], [0.1, 0.0], [True, False], baseline=1.0, **ax
    ),
    "cluster_map": lambda **ax: plots.cluster_map(np.eye(6, 2), [0, 0, 0, 1, 1, 1], **ax),
    "voronoi_map": lambda **ax: plots.voronoi_map(np.eye(4, 2), [[0.0, 0.0], [1.0, 1.0]], **ax),
    "missing_map": lambda **ax: plots.missing_map([[1.0, np.nan], [2.0, 3.0]], **ax),
    "map": lambda **ax: plots.map([[1.0, 2.0], [-1.0, 0.0]], text=["a", "b"], **ax),
    "shepard": lambda **ax: plots.shepard([1.0, 2.0, 3.0], [2.0, 1.0, 4.0], [1.5, 1.5, 4.0], **ax),
    "kept_neighbors": lambda **ax: plots.kept_neighbors([0.5, 0.4, 0.1], n_neighbors=2, **ax),
    "sample_shares": lambda **ax: plots.sample_shares({"recall": 0.6}, {"recall": 1.0}, **ax),
    "parts": lambda **ax: plots.parts(np.eye(4), (2, 2), **ax),
    "coefficient_decay": lambda **ax: plots.coefficient_decay({"dct": [3.0, 1.0, 0.5]}, **ax),
    "rate_distortion": lambda **ax: plots.rate_distortion({"dct": ([9, 20], [30.0, 33.0])}, **ax),
    "pyramid": lambda **ax: plots.pyramid(np.arange(64.0).reshape(8, 8), 2, **ax),
    "side_by_side": lambda **ax: plots.side_by_side({"a": np.eye(4), "b": np.ones((4, 4))}, **ax),
    "loss": lambda **ax: plots.loss([3.0, 2.0, 1.5], [3.5, 2.5, 2.6], **ax),
    "reconstructions": lambda **ax: plots.reconstructions(np.eye(4), np.eye(4), (2, 2), **ax),
    "attention_map": lambda **ax: plots.attention_map([[1.0, 0.0], [0.4, 0.6]], ["a", "b"], **ax),
    "latent_plane": lambda **ax: plots.latent_plane(
        np.arange(24.0).reshape(2, 3, 4), [-1, 0, 1], [0, 1], (2, 2), **ax
    ),
    "traversals": lambda **ax: plots.traversals(np.arange(24.0).reshape(2, 3, 4), [-1, 0, 1], **ax),
    "noise_chain": lambda **ax: plots.noise_chain(
        np.arange(24.0).reshape(2, 3, 4), [0, 5, 9], (2, 2), **ax
    ),
    "noise_levels": lambda **ax: plots.noise_levels([0.8, 0.1], [0.6, 0.99], **ax),
    "wall": lambda **ax: plots.wall(np.eye(5, 4), (2, 2), **ax),
    "filled_rows": lambda **ax: plots.filled_rows([[1.0, np.nan]], [[1.0, 2.0]], **ax),
    "phase_diagram": lambda **ax: plots.phase_diagram(np.eye(2), [0.3, 0.6], [0.2, 0.4], **ax),
}


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_is_drawn_on_the_axes_given_and_they_are_returned(name):
    ax = Figure().subplots()  # not known to pyplot
    assert EVERY_FIGURE[name](ax=ax) is ax
    assert ax.has_data()
    ax.figure.canvas.draw()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_opens_one_figure_of_its_own_where_none_is_given(name):
    ax = EVERY_FIGURE[name]()
    assert plt.get_fignums() == [ax.figure.number]
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_without_matplotlib_says_what_to_install(name, monkeypatch):
    real_import = builtins.__import__

    def without_matplotlib(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'")
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(ImportError, match=r'pip install "lowdim\[report\]"'):
        EVERY_FIGURE[name]()


def test_matplotlib_is_imported_by_the_first_figure_only():
    code = "import sys; import lowdim.plots; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_every_public_figure_is_among_them():
    no_figures = {"group_colors", "house_style"}
    assert set(EVERY_FIGURE) == set(plots.__all__) - no_figures
    assert list(plots.__all__) == sorted(plots.__all__)
