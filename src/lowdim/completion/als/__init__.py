"""Alternating least squares: rows given columns, columns given rows."""

from lowdim.completion.als.estimator import ALS as ALS
