"""`lowdim words`: one page about word vectors.

vocabulary     the commonest words of one or two sets of vectors, as rows of length 1
plane          words in the plane
near           the nearest words of each, by the angle in the whole space
groups         words that belong together, named by those in their middle
relations      pairs of words as arrows: do they point the same way?
questions      files of analogies, and how many are answered rightly
against        two vocabularies in one space: which words are elsewhere in the other
findings       all of it, as plain data
sections       what the page says; with figures and payload
page           all of it in the shell of `lowdim.report.page`
script         the Python script that finds it again
report         `words` and what it returns
"""

from lowdim.report.words.report import WordsReport, words

__all__ = ["WordsReport", "words"]
