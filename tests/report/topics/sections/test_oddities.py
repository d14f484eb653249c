"""What is said of odd documents."""

from lowdim.report.topics.odd import OddDocument
from lowdim.report.topics.sections.oddities import odd_section, odd_sentence


def test_odd_documents_are_listed_with_their_words(found):
    odd = found.odd._replace(documents=[OddDocument(91, 5.2, 321.0, ["bread"])], n_odd=1)
    section = odd_section(found._replace(odd=odd))
    assert "<td>odd</td>" in str(section.body) and "bread" in str(section.body)
    assert section.tile.value == "1" and section.lead.startswith("1 document is explained")


def test_no_odd_documents_are_said_so(found):
    none = found._replace(odd=found.odd._replace(documents=[], n_odd=0))
    assert odd_sentence(none).startswith("The topics explain no document much worse")
    assert odd_section(none).scripts == ()
