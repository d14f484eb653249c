"""The section about clusters."""

from lowdim.report.words.sections.clusters import cluster_section
from tests.report.samples import HOSTILE


def test_every_cluster_has_a_line_with_a_button(found):
    section = cluster_section(found)
    k = len(found.groups.groups)
    assert section.body.count("data-cluster=") == k == int(section.tile.value)
    assert found.groups.groups[0].name in section.lead


def test_names_of_clusters_stay_text(found):
    groups = found.groups.groups
    nasty = found.groups._replace(groups=[groups[0]._replace(name=HOSTILE), *groups[1:]])
    section = cluster_section(found._replace(groups=nasty))
    assert HOSTILE not in section.body and "&lt;/script&gt;" in section.body


def test_one_cluster_is_counted_so(found):
    one = found.groups._replace(groups=found.groups.groups[:1])
    section = cluster_section(found._replace(groups=one))
    assert section.tile.what == "cluster of words" and "1 cluster;" in section.lead
