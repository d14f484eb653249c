"""What pictures and signals have in common, whatever is done with them.

signals    what was given: a signal, a picture, its channels, type and peak
colors     axes in which colours are worked on
strips     rows of a large picture, a part at a time
quality    `psnr`, `ssim`
patches    all patches of a picture, shrunk and averaged, strip by strip
files      pictures in files, and back
"""
