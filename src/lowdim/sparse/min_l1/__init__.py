"""Basis pursuit: the code of least sum of absolute values, with a proof.

problem        a dictionary and weights; what a dual vector proves
homotopy       exact, atom by atom
jumps          exact with noise, many atoms at a time
programs       the linear program, by HiGHS
splitting      alternating directions, for operators
support        exact codes from a guess which atoms are used
solve          `basis_pursuit`: the door
"""
