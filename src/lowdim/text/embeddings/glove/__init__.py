"""GloVe: vectors of words by weighted least squares on log counts."""

from lowdim.text.embeddings.glove.estimator import GloVe as GloVe
