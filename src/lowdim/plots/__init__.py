"""Figures from plain arrays, in one style; matplotlib is imported when the first one is drawn."""
