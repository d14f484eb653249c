"""Sammon mapping."""
