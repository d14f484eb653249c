"""The Gaussian factor model, learned from the entries that were observed.

    x = W z + mean + e,     z ~ N(0, I),  e ~ N(0, diag(noise)),     x_o: what a row has observed

    minimise over mean, W, noise     J = - sum_i log N(x_io; mean_o, W_o W_o' + diag(noise_o))

Equal noise in all columns is probabilistic PCA, one noise per column is factor analysis. In units
of the noise, y = (x - mean) / sqrt(noise) and V = W / sqrt(noise), one step of EM is

    statistics   z | x_o ~ N(m, C),   C = (I + V_o'V_o)^-1,   m = C V_o'y_o        of every row
    update       each column:  regress y on (z, 1) over the rows that observe it
                 then z ~ N(a, R) over all rows becomes N(0, I) again:
                 mean <- mean + W a,   W <- W R^(1/2)

The last line (parameter-expanded EM) costs nothing and saves most of the passes; Anderson's
extrapolation from the last steps saves half of the rest, and is taken only where it lowers J: so J
never rises. The first W comes from the covariance over pairs of observed entries.

Cost of a pass: O(n d k^2) time; O(n d k), as for complete data, for rows that share their pattern
of missing values with many. Memory beside one block: sums of d (k + 1)(k + 2) / 2 numbers, as many
times as the log of the number of blocks; 22 vectors of d (k + 2) numbers for the extrapolation.
"""

from lowdim.linear.missing.em import Sums as Sums
from lowdim.linear.missing.em import statistics as statistics
from lowdim.linear.missing.em import update as update
from lowdim.linear.missing.model import NOISE_FLOOR as NOISE_FLOOR
from lowdim.linear.missing.model import FactorModel as FactorModel
from lowdim.linear.missing.posterior import conditional_std as conditional_std
from lowdim.linear.missing.posterior import encode as encode
from lowdim.linear.missing.posterior import encode_with_std as encode_with_std
from lowdim.linear.missing.posterior import expectation as expectation
from lowdim.linear.missing.posterior import log_density as log_density
from lowdim.linear.missing.search import fit_missing as fit_missing
from lowdim.linear.missing.units import MeasuredModel as MeasuredModel
