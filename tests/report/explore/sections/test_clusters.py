"""The section of the clusters."""

import re

import numpy as np
import pytest

from lowdim.report.explore.sections.clusters import cluster_section, cluster_sentence


def with_clusters(findings, **changed):
    return findings._replace(clusters=findings.clusters._replace(**changed))


def test_the_largest_cluster_comes_first_and_rows_add_up(report):
    section = cluster_section(report.findings)
    sizes = [int(n) for n in re.findall(r'<td class="number">(\d+)</td>', section.body)]
    assert sum(sizes) == 160 and sizes == sorted(sizes, reverse=True)
    assert section.tile.value == str(len(sizes)) and set(section.figures) == {"bic", "profiles"}


def test_contrasts_too_small_for_a_word_are_not_named(report):
    profiles = report.findings.clusters.profiles
    contrasts = np.zeros_like(profiles.contrasts)
    contrasts[0, 0], contrasts[0, 1] = 0.39, -0.41
    findings = with_clusters(report.findings, profiles=profiles._replace(contrasts=contrasts))
    assert re.findall(r'<span class="(\w+)">', cluster_section(findings).body) == ["low"]


@pytest.mark.parametrize(
    ("agreement", "words"),
    [
        (0.9, "they are found again in resampled rows"),
        (0.6, "resampled rows give similar ones"),
        (0.1, "resampled rows give others: do not read much into them"),
    ],
)
def test_the_sentence_says_whether_clusters_would_be_found_again(report, agreement, words):
    findings = with_clusters(report.findings, stability=np.full(10, agreement))
    assert f"{words} (agreement {agreement:.2f}," in cluster_sentence(findings)


def test_the_sentence_says_why_there_is_one_group_only(report):
    findings = with_clusters(report.findings, choice=None)
    assert cluster_sentence(findings) == "There are too few different rows to look for clusters."
    profiles = report.findings.clusters.profiles
    one = with_clusters(report.findings, profiles=profiles._replace(sizes=np.array([160])))
    assert cluster_sentence(one).startswith("The rows form one group")
