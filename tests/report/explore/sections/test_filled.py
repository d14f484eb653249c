"""The section of the filled table."""

import numpy as np
import pytest

import lowdim

pytestmark = pytest.mark.usefixtures("few_models")


def test_the_page_says_which_model_filled_missing_values_and_why(report):
    assert f"Filled by {report.findings.filler.name}. {report.findings.filler.why}" in report.html


def test_a_table_without_missing_values_has_no_section_of_filled_values():
    page = lowdim.explore(np.random.default_rng(0).normal(size=(60, 3))).html
    assert 'id="filled"' not in page and "no value is missing" in page
