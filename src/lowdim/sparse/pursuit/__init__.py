"""Pursuit: the few atoms that a signal is made of.

greedy           orthogonal matching pursuit and orthogonal least squares
lasso            least sum of |z|: the lasso along its path, and least angle regression
matching         matching pursuit
hard             iterative hard thresholding and CoSaMP
orthonormal      formulas, where atoms are orthonormal
by_products      dictionaries that are not written down
scan             the largest of many numbers, for kernels
dictionaries     arrays, bases, operators and names as one thing
coding           a block of rows by any of these, with missing values
encoding         `sparse_encode`
coder            `SparseCoder`
orthogonal_mp    `orthogonal_mp`, `orthogonal_mp_gram`
regression       `OrthogonalMatchingPursuit` and its choice by cross-validation
"""
