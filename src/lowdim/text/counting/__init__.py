"""Counting words: documents cut into words, words numbered, counts added up."""

from lowdim.text.counting.vectorizer import CountVectorizer as CountVectorizer
