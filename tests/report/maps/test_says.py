"""What may be read from a map is said with its own numbers."""

import re

import numpy as np
import pytest

from lowdim.report.maps.says import reading


@pytest.fixture
def said(found):
    return {one.kind.name: reading(one, found) for one in found.maps}


def test_of_components_the_axes_are_read_with_their_shares(said, found):
    share = found.maps[0].model.estimator_.explained_variance_ratio_
    axes = said["pca"].may[0]
    assert axes.startswith(f"The axes: component 1 ({100 * share[0]:.0f} % of the variance) goes")
    assert "component 2 (" in axes
    (not_shown,) = said["pca"].may_not
    assert "of the variance is in other directions" in not_shown


def test_an_axis_is_named_by_its_columns(found):
    one = found.maps[0]
    names = found.encoded.feature_names
    largest = names[int(np.argmax(np.abs(one.model.estimator_.components_[0])))]
    assert " ".join(largest.split())[:30] in reading(one, found).may[0]


def test_of_mds_distances_are_read_with_their_stress(said, found):
    stress = next(one.kept.stress for one in found.maps if one.kind.name == "mds")
    assert f"the stress is {stress:.3f}" in said["mds"].may[0]
    assert said["mds"].may_not[0].startswith("Axes:")


def test_of_sammon_small_distances_are_read(said, found):
    model = next(one.model.estimator_ for one in found.maps if one.kind.name == "sammon")
    assert said["sammon"].may[0].startswith("Small distances:")
    if hasattr(model, "stress_"):
        assert f"Sammon's stress is {model.stress_:.3f}." in said["sammon"].may[0]


@pytest.mark.parametrize("name", ["tsne", "umap"])
def test_of_neighbours_no_sizes_gaps_or_axes_are_read(said, name):
    assert [text.split(":")[0] for text in said[name].may_not] == ["Sizes", "Gaps", "Axes"]
    assert any(re.search("each row looks at .*(30|15)", text) for text in said[name].may)


def test_every_map_says_how_many_neighbours_it_keeps_against_chance(said, found):
    for one in found.maps:
        last = said[one.kind.name].may[-1]
        assert "of a row's 10 nearest rows in the data" in last
        assert last.endswith("by chance it would be 6.3 %.")  # 10 of 159
