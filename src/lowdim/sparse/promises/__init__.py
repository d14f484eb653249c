"""What a dictionary promises: which sparse codes can be found again from the signals they make.

products       coherence, Welch's bound, Babel function
supports       spark and restricted isometry: what small sets of atoms do
null_space     null space property: when the least sum of |z| is the sparsest code
summary        `guarantees`: all of it in words
"""
