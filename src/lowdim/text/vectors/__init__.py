"""Word vectors: asked, read and written, judged, and laid over those of another language.

word_vectors.py      `WordVectors`: what gensim's KeyedVectors answer, and more
words.py             the words, and near spellings of unknown ones
queries.py           cosines with a query, and the words of the largest
"""

from lowdim.text.vectors.word_vectors import WordVectors

__all__ = ["WordVectors"]
