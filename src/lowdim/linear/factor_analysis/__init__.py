"""Factor analysis: a few common factors explain how columns go together."""

from lowdim.linear.factor_analysis.estimator import FactorAnalysis as FactorAnalysis
from lowdim.linear.factor_analysis.estimator import HeywoodWarning as HeywoodWarning
