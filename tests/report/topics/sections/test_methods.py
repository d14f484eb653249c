"""What is said of the methods."""

import numpy as np

from lowdim.report.topics.contest import Contest
from lowdim.report.topics.sections.methods import method_section, method_sentence


def contest(names, *perplexity, failures=None):
    spread = np.array([[0.99], [1.0], [1.01]])
    return Contest(names, spread * np.array(perplexity), np.ones(len(names)), 60, 3, failures or {})


def test_the_best_method_is_named_with_what_it_gains():
    said = method_sentence(contest(["LDA", "pLSA", "unigram"], 50.0, 80.0, 100.0))
    assert said == (
        "LDA predicts held-out words best (perplexity 50, 50 % below that of a model without "
        "topics), clearly better than the others."
    )


def test_ties_are_named():
    perplexity = np.array([[50.0, 51, 90], [51, 50, 90], [50, 51, 90]])
    tied = Contest(["LDA", "pLSA", "unigram"], perplexity, np.ones(3), 60, 3, {})
    assert "a tie with pLSA" in method_sentence(tied)


def test_topics_that_predict_nothing_are_said_so():
    assert "do not read much into the topics" in method_sentence(
        contest(["unigram", "LDA"], 90.0, 95.0)
    )


def test_what_limits_the_comparison_is_said(found):
    body = str(method_section(found).body)
    assert "stopped after 100 iterations" in body and "none was tuned" in body


def test_failures_stand_in_the_table_and_small_collections_have_no_section(found):
    failed = contest(["LDA", "unigram"], 50.0, 90.0, failures={"pLSA": "no luck"})
    section = method_section(found._replace(comparison=failed))
    assert "no luck" in str(section.body) and section.tile.value == "LDA"
    assert method_section(found._replace(comparison=None)) is None
