"""Signals and pictures without noise.

denoising    `denoise`
noise        how much noise there is
shrinking    wavelet and Fourier coefficients, shrunk
learnt       patches as sums of few atoms that are learnt from the picture itself
"""
