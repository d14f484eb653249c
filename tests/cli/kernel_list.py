"""`python -m tests.cli.kernel_list` writes the list of what warmup compiles again.

It is what fits of every method, with each of its solvers, on small data of every kind, compile.
"""

from lowdim.cli.warmup import _by_name, warm_up
from lowdim.core.signatures import in_use, write


def use_all_methods():
    """Use every method in every way that may compile something."""
    for cls in _by_name().values():
        if ".deep." not in cls.__module__:  # networks are torch's; wide use has one fit of each
            problem = warm_up(cls)
            assert problem is None, problem


if __name__ == "__main__":
    use_all_methods()
    write(in_use())
