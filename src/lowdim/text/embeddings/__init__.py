"""Word embeddings: a vector for each word, learned from the words that stand near it."""
