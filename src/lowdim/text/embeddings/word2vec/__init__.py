"""`Word2Vec`: skip-gram and CBOW by negative sampling."""

from lowdim.text.embeddings.word2vec.estimator import Word2Vec as Word2Vec
