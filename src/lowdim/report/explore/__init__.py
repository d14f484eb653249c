"""`lowdim explore`: one page about the structure of a table.

preparing      the table as matrices, by `lowdim.TableEncoder`; with view, sampling
findings       the models and what they say, as plain data; with missingness, clusters, filling, odd
sections       what the page says; with figures and payload
page           all of it in the shell of `lowdim.report.page`
script         the Python script that gives the models again
report         `explore` and what it returns
"""

from lowdim.report.explore.report import Report, explore

__all__ = ["Report", "explore"]
