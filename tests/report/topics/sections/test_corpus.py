"""What is said of the corpus."""

import numpy as np

from lowdim.report.topics.duplicates import Duplicates
from lowdim.report.topics.sections.corpus import corpus_section, corpus_sentence


def test_the_facts_are_those_of_the_documents(found):
    body = str(corpus_section(found).body)
    assert f"{found.reading.n_characters:,}" in body and f"{found.vocabulary.n_terms:,}" in body
    assert "documents without words that count" in body
    assert "exact copies of an earlier document" in body
    assert '<th scope="col"></th>' not in body  # an empty strip above the facts


def test_words_that_do_not_count_are_named_with_the_reason(found):
    body = str(corpus_section(found).body)
    reasons = {one.reason for one in found.vocabulary.dropped}
    assert "long" in reasons and "too long: addresses, encoded files" in body
    assert "x" * 31 not in body


def test_near_copies_are_listed_by_name(found):
    assert "letter &lt;b&gt;0&lt;/b&gt;" in str(corpus_section(found).body)
    none = found._replace(duplicates=Duplicates([], []))
    assert "nearly repeat each other" not in str(corpus_section(none).body)


def test_many_near_copies_are_said_at_the_top(found):
    many = Duplicates([np.arange(50)], [0.9])
    assert "49 documents (48 %) nearly repeat another one" in corpus_sentence(
        found._replace(duplicates=many)
    )


def test_a_sample_is_said_so(found):
    reading = found.reading._replace(n_read=5000, numbers=np.arange(len(found.shares)))
    assert corpus_sentence(found._replace(reading=reading)).startswith("Of 5,000 documents, 102")
