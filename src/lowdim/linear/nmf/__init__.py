"""Non-negative matrix factorisation: rows as sums of parts."""

from lowdim.linear.nmf.estimator import NMF as NMF
