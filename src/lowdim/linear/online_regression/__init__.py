"""Linear regression that learns row by row."""

from lowdim.linear.online_regression.estimator import OnlineRegression as OnlineRegression
