"""The section of the factors."""

import re

import numpy as np

from lowdim.report.explore.sections.factors import MOST_TOP, factor_section, factor_sentence
from tests.report.samples import HOSTILE


def test_every_factor_has_a_line_with_its_strongest_columns_first(report):
    factors = report.findings.factors
    section = factor_section(report.findings)
    k = factors.rotated.shape[1]
    loadings = [float(x) for x in re.findall(r'class="(?:high|low)">([^<]*)<', section.body)]
    assert len(loadings) == k * MOST_TOP
    for j in range(k):
        line = np.abs(loadings[j * MOST_TOP : (j + 1) * MOST_TOP])
        assert np.all(np.diff(line) <= 0)
        assert abs(line[0] - np.abs(factors.rotated[:, j]).max()) < 0.006


def test_one_factor_has_no_circle(report):
    factors = report.findings.factors
    one = factors._replace(
        rotated=factors.rotated[:, :1], correlations=factors.correlations[:, :1],
        names=factors.names[:1],
    )  # fmt: skip
    section = factor_section(report.findings._replace(factors=one))
    assert set(section.figures) == {"loadings"}
    assert section.lead.startswith("The factor is “") and "It explains " in section.lead
    assert set(factor_section(report.findings).figures) == {"loadings", "circle"}


def test_the_sentence_has_the_mean_share_and_the_column_explained_least(report):
    factors = report.findings.factors
    explained = np.linspace(0.5, 1.0, 6)
    explained[3] = 0.25  # the column with the hostile name
    said = factor_sentence(report.findings._replace(factors=factors._replace(explained=explained)))
    assert f"together explain {100 * explained.mean():.0f} % of the columns' variance" in said
    assert said.endswith("(25 %).") and HOSTILE[:30] in said
