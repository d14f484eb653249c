"""Text: documents read, counted and weighted, and the topics behind them.

    corpus               documents of files and tables, a chunk at a time       corpus/
    CountVectorizer      how often each document has each word                  counting/
    TfidfTransformer     counts weighted by how rare words are                  tfidf_models.py
    tfidf, pmi           the weights of the lecture notes, as functions         weights.py
    cosine               how alike rows are                                     similarity.py
    read_tokens          text cut into words once, as numbers                   tokens/
    cooccurrence         how often words stand near each other                  pairs/
    training_pairs       words near each other, and words drawn at random       pairs/
    PMIVectors, SkipGram, GloVe                   vectors of words              embeddings/
    LSA                  documents and words on the axes of a truncated SVD     lsa.py
    completion_perplexity, coherence, top_words   how good topics are           judging/
    WordVectors, align   words and their vectors, two languages in one space    vectors/

Classes, and `corpus`, are exported by lowdim itself; functions by this package, when first used.
"""

from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
