"""Tables of any kind: read from files and data frames, made numbers of, and written again.

    open_table       any table, chunk by chunk                    formats/, frames
    take_rows        some of its rows                             taking
    TableEncoder     what its columns are, as numbers and back    survey, kinds, codecs
    TableModel       encoder and model as one                     filling
    write_table      tables to files                              writing

The names are imported when they are first used: an error class costs no more than itself.
"""

from lowdim.core.public import lazy

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
