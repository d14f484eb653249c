"""Non-negative matrix factorisation: rows as sums of parts."""

from lowdim.linear.nmf.estimator import NMF as NMF
from lowdim.linear.nmf.function import (
    non_negative_factorization as non_negative_factorization,
)
from lowdim.linear.nmf.minibatch import MiniBatchNMF as MiniBatchNMF
