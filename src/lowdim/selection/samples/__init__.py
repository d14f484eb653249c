"""How good drawn rows are: beside real ones, and beside those that a model learned from."""

from lowdim.selection.samples.judging import SampleQuality as SampleQuality
from lowdim.selection.samples.judging import sample_quality as sample_quality
