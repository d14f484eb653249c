"""Drawn rows, images or texts beside real ones, as a page.

report      `sample_page` and what it returns
findings    what is said, as plain data: sides (rows as numbers), columns, measures, texts
figures     columns and characters, real beside drawn
walls       many small images as one
page        sections in the shell of `lowdim.report.page`
"""

from lowdim.report.generate.report import SamplePage, sample_page

__all__ = ["SamplePage", "sample_page"]
