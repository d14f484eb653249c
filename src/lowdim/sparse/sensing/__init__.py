"""Compressive sensing: few measurements of a signal, from which sparsity makes it again.

measuring      `measurement`: what is measured, as an operator
needed         how many measurements are enough
estimator      `CompressiveSensing`: measure and reconstruct rows
greedy         codes from measurements, atom by atom
phases         which signals are found, tried and as theory says
separation     `separate`: one part of a signal for each basis
"""

from lowdim.sparse.sensing.estimator import CompressiveSensing as CompressiveSensing
