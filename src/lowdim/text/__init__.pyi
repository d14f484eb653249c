from lowdim.text.judging.coherence import coherence as coherence
from lowdim.text.judging.completion import completion_perplexity as completion_perplexity
from lowdim.text.judging.completion import split_counts as split_counts
from lowdim.text.judging.top_words import top_words as top_words
from lowdim.text.pairs import cooccurrence as cooccurrence
from lowdim.text.similarity import cosine as cosine
from lowdim.text.weights import pmi as pmi
from lowdim.text.weights import tfidf as tfidf
