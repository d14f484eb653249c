"""Latent Dirichlet allocation: documents as mixtures of topics, with priors on both."""

from lowdim.text.topics.lda.estimator import (
    LatentDirichletAllocation as LatentDirichletAllocation,
)
