"""Dictionaries as operators.

operator       `Basis`: signals from codes, codes from signals, and the exact adjoint
axes           one axis of a signal: identity, Fourier, cosines, Walsh and Hadamard
separable      the same along each axis of a picture
wavelets       every discrete wavelet of PyWavelets
lapped         cosines in blocks that overlap
gabor          waves under a bell, at many places
atoms          a matrix of atoms; atoms that are as different as can be
tiles          a basis in each block of a signal
union          several dictionaries side by side
making         `basis`: all of them by name
"""
