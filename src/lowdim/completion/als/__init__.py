"""Alternating least squares: rows given columns, columns given rows."""
