"""`lowdim topics`: one page about the topics of a corpus.

reading        one look at all documents, and a sample where they are very many
findings       the models and what they say, as plain data; with contest, documents, duplicates,
               groups, times, odd, topic_map
showing        documents with their words coloured
sections       what the page says; with figures and payload
page           all of it in the shell of `lowdim.report.page`
script         the Python script that gives the topics again
report         `topics` and what it returns
"""

from lowdim.report.topics.report import TopicsReport, topics

__all__ = ["TopicsReport", "topics"]
