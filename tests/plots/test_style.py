"""How figures look: settings last as long as they are lent, text stays text."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

from lowdim import plots
from lowdim.plots.style import component_label, percent


def test_house_style_lasts_as_long_as_the_with():
    before = dict(matplotlib.rcParams)
    with plots.house_style():
        assert matplotlib.rcParams["axes.spines.top"] is False
        colors = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
        assert colors == list(plots.PALETTE)
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "50 %"), (0.2288, "22.9 %"), (1e-5, "<0.1 %"), (0.0, "0 %")]
)
def test_shares_have_no_more_digits_than_one_reads(share, text):
    assert percent(share) == text


def test_every_group_has_a_colour_of_its_own():
    assert_allclose(plots.group_colors(2), [to_rgb(color) for color in plots.PALETTE[:2]])
    many = plots.group_colors(40)
    assert many.shape == (40, 3)
    assert len(np.unique(many, axis=0)) == 40


def test_a_component_is_named_from_1_with_its_share():
    assert component_label(1, None) == "component 2"
    assert component_label(1, [0.5, 0.25]) == "component 2 (25 %)"
