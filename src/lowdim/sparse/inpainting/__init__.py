"""Missing parts of pictures and signals, filled in.

inpainting    `inpaint`
known         which pixels are known, a part at a time
pyramid       a first guess: the picture at half, a quarter, ... of its size
iterated      patches in cosines, with a falling threshold
coded         patches as sums of few atoms, which the known pixels choose
learnt        atoms learnt from the picture while it is filled
"""
