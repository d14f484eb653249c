"""Ours against the best peer, side by side in one run: ``python -m benchmarks``."""
