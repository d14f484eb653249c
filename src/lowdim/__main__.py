"""`python -m lowdim` is the command `lowdim`."""

from lowdim.cli import main

if __name__ == "__main__":
    main(prog_name="lowdim")
