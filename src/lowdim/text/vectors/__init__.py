"""Word vectors: asked, read and written, judged, and laid over those of another language.

word_vectors.py      `WordVectors`: what gensim's KeyedVectors answer, and more
keyed.py             words with a vector each, found by their names
words.py             the words, and near spellings of unknown ones
queries.py           cosines with a query, and the words of the largest
approximate.py       neighbours of very many words
filed.py             to and from files and gensim: source.py, reading.py, writing.py
judged.py            analogies (analogies.py), pairs that people judged, categories
normalizing.py       centred, of length 1, without common directions
alignment.py         `align`, `Alignment`: two languages or corpora in one space
"""

from lowdim.text.vectors.alignment import Alignment, align
from lowdim.text.vectors.word_vectors import WordVectors

__all__ = ["Alignment", "WordVectors", "align"]
