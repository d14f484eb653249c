from lowdim.text.pairs import cooccurrence as cooccurrence
from lowdim.text.similarity import cosine as cosine
from lowdim.text.weights import pmi as pmi
from lowdim.text.weights import tfidf as tfidf
