"""The section of the comparison."""

import numpy as np

import lowdim
from lowdim.report.explore.contest import NETWORK
from lowdim.report.explore.sections.methods import contest_section, contest_sentence
from lowdim.selection.compare.models import ColumnMeans
from lowdim.selection.compare.table import Comparison, Entrant, Protocol


def judged(*entrants):
    """A comparison with these (name, errors, model)."""
    made = [Entrant(name, np.array(e), 0.1, 1, "", "", model) for name, e, model in entrants]
    return Comparison(made, Protocol("error", "entries", 0.1, 2, (9, 4), 9))


MEANS = ("column means", [1.0, 1.0], ColumnMeans())


def test_a_table_too_small_to_compare_on_has_no_section(report):
    assert contest_section(report.findings._replace(comparison=None)) is None


def test_the_winner_is_named_with_its_error_and_what_ties_with_it():
    model = lowdim.ProbabilisticPCA(2)
    clear = judged(("PPCA", [0.4, 0.42], model), MEANS)
    assert contest_sentence(clear) == (
        "PPCA predicts hidden values best (error 0.41, where column means have 1), clearly better "
        "than the others."
    )
    tie = judged(("pPCA", [0.2, 0.6], model), ("FA", [0.3, 0.51], model), MEANS)
    assert "PPCA predicts" in contest_sentence(tie) and "a tie with FA" in contest_sentence(tie)


def test_that_no_method_predicts_is_said():
    found = judged(("PPCA", [1.4, 1.41], lowdim.ProbabilisticPCA(2)), MEANS)
    assert contest_sentence(found) == (
        "No method predicts hidden values better than the column means do."
    )


def test_sizes_are_said_in_words(report):
    found = judged(
        ("mixture", [0.3, 0.31], lowdim.GaussianMixture(3, covariance_type="diag")),
        ("k-means", [0.4, 0.41], lowdim.KMeans(4)),
        ("ALS", [0.5, 0.51], lowdim.ALS(2, penalty=0.1)),
        (NETWORK, [0.6, 0.61], lowdim.VAE(5)),
        MEANS,
    )
    section = contest_section(report.findings._replace(comparison=found))
    for words in (
        "3 clusters, diag covariances",
        "4 clusters",
        "2 components, penalty 0.1",
        "5 components",
    ):
        assert f"<td>{words}</td>" in section.body
    assert section.tile == ("Mixture", "predicts best")


def test_what_the_network_is_or_that_it_was_not_compared_is_said(report):
    def body(*entrants):
        found = judged(*entrants, MEANS)
        return contest_section(report.findings._replace(comparison=found)).body

    with_network = body((NETWORK, [0.6, 0.61], lowdim.VAE(5)))
    assert "has one size" in with_network and "pip install" not in with_network
    without = body(("k-means", [0.4, 0.41], lowdim.KMeans(4)))
    assert "was not compared: pip install &#39;lowdim[deep]&#39;" in without
