"""What is said of topics and labels."""

from lowdim.report.topics.sections.labels import label_section, label_sentence


def test_every_label_has_its_largest_topics(found):
    section = label_section(found)
    assert section.title == "Topics by subject" and list(section.figures) == ["labels"]
    body = str(section.body)
    assert all(f"<td>{name}</td>" in body for name in ("sea", "sky", "food"))


def test_how_much_topics_say_of_labels_is_put_in_words(found):
    for agreement, words in (
        (0.9, "about the same"),
        (0.4, "they overlap"),
        (0.05, "little to do with each other"),
    ):
        labels = found.labels._replace(agreement=agreement)
        assert words in label_sentence(found._replace(labels=labels))


def test_no_labels_no_section(found):
    assert label_section(found._replace(labels=None)) is None
