"""The chain rule: p(x) = prod_i p(x_i | x_1, ..., x_(i-1)), entry by entry, exactly.

levels.py      columns of numbers as levels, and densities of numbers from those of levels
walk.py        rows entry by entry: what a network says of the next one
particles.py   rows with holes: all fillings while they are few, then the weightiest
network.py     what models of this kind inherit
"""
