"""What is said of the topics."""

from lowdim.report.topics.findings import Topic
from lowdim.report.topics.sections.topics import topic_section, topic_sentence


def topic(j, coherence=0.3):
    return Topic(j, f"name{j}", ["a", "b"], 0.5 / (j + 1), coherence, 5)


def test_the_largest_topics_are_named_with_their_shares():
    assert topic_sentence([topic(j) for j in range(4)]) == (
        "The largest topics are name0 (50 %); name1 (25 %); name2 (17 %)."
    )
    assert topic_sentence([topic(0, float("nan"))]) == "The topic is name0 (50 %)."


def test_topics_whose_words_come_together_by_chance_are_counted():
    said = topic_sentence([topic(0), topic(1, -0.1)])
    assert "1 topic of 2 has words that come together no more often than by chance" in said


def test_every_topic_has_a_button_and_its_words(found):
    body = str(topic_section(found).body)
    for one in found.topics:
        assert f'data-topic="{one.number}"' in body and ", ".join(one.words) in body
