"""Signals and pictures in few numbers.

bands           transforms as bands of coefficients
plan            tiles, colours and bands of a picture
selecting       which coefficients are kept
coding          whole numbers as few bytes
contents        what is stored;   `Compressed` in compressed
storing, searching, learnt_blocks, low_rank    from a target to what is stored
compressing     `compress`
choosing        `choose_basis`
curves          `rate_distortion`
"""
