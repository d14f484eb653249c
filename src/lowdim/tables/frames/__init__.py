"""Tables in memory: data frames of any library, dicts, matrices, Dask collections.

opening       any of them as a `Table`
values        a column of some rows as numbers or as words; series, objects: from each library
dtypes        what a column was, and making it that again; restoring, dtype_names: in each library
"""
