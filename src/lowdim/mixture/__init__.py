"""Mixtures: every row comes from one of several components, and nobody says from which."""
