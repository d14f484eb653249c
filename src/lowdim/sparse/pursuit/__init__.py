"""Pursuit: the few atoms that a signal is made of.

greedy         orthogonal matching pursuit and orthogonal least squares
lasso          least sum of |z|: the lasso by homotopy, and least angle regression
scan           the largest of many numbers, for kernels
"""
