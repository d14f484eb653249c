"""Linear latent-variable models: a row is explained by a linear function of a few numbers."""
