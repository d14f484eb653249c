"""`lowdim explore`: one page about the structure of a table.

reading        any table as named columns
columns        what they are, and the matrix that they become
findings       the models and what they say, as plain data; with missingness, filling, odd
sections       what the page says; with figures and payload
page           one HTML file
code           the Python code that gives the models again
report         `explore` and what it returns
"""

from lowdim.report.explore.columns import encode_table
from lowdim.report.explore.filling import fill, unit_matrix
from lowdim.report.explore.findings import rank_matrix, sample_rows
from lowdim.report.explore.reading import read_table
from lowdim.report.explore.report import Report, explore

__all__ = [
    "Report",
    "encode_table",
    "explore",
    "fill",
    "rank_matrix",
    "read_table",
    "sample_rows",
    "unit_matrix",
]
