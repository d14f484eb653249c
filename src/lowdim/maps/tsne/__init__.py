"""t-SNE."""
