"""Which rows a step looks at, where its cost grows faster than their number."""

from __future__ import annotations

from lowdim.selection.auto import rank_rows as rank_rows
from lowdim.selection.auto import sample_rows as sample_rows

FIT_ROWS = 50_000  # for a factor model of a table with missing values, and for clusters
FILL_ROWS = 10_000  # for the model that fills missing values
STABILITY_ROWS = 2_000  # of each resample
