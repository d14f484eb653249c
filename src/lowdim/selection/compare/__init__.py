"""Which model predicts best what it has not seen?"""

from lowdim.selection.compare.contest import compare as compare
