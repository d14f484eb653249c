"""Where sentences end."""

from lowdim.text.tokens.sentences import SENTENCE_END


def test_sentences_end_at_full_stops_and_blank_lines():
    text = 'He said "Go." She went! Did he?\n\nNo: 3.5 is a number… 好。 Yes'
    assert SENTENCE_END.split(text) == [
        'He said "Go.',
        "She went!",
        "Did he?",
        "No: 3.5 is a number…",
        "好。",
        "Yes",
    ]
