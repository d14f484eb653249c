"""A Gaussian in four columns, whose noise is known at every time; and modes of unequal weight."""

import numpy as np

MEAN = np.array([1.0, -2.0, 0.5, 3.0])
COV = np.array(
    [[1.0, 0.6, 0.0, -0.3], [0.6, 1.0, 0.2, 0.0], [0.0, 0.2, 1.0, 0.5], [-0.3, 0.0, 0.5, 1.0]]
)
WEIGHTS = np.array([0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05])


def drawn(rng, n):
    return rng.multivariate_normal(MEAN, COV, size=n)


def log_density(X):
    from scipy.stats import multivariate_normal

    return multivariate_normal(MEAN, COV).logpdf(X)


def noise_in(x, kept, added, mean=MEAN, cov=COV):
    """E[e | x_t] = bb (ab^2 S + bb^2 I)^-1 (x - ab m)."""
    d = len(mean)
    return added * np.linalg.solve(kept**2 * cov + added**2 * np.eye(d), (x - kept * mean).T).T


def exact_velocity(schedule, mean=MEAN, cov=COV):
    """v of this Gaussian for tensors, from its noise."""
    import torch

    from lowdim.deep.diffusion.flow import velocity_of

    m, S = torch.from_numpy(mean), torch.from_numpy(cov)

    def predict_noise(x, t):
        kept, added = (float(part) for part in schedule.level(t))
        C = kept**2 * S + added**2 * torch.eye(len(m), dtype=S.dtype)
        return added * torch.linalg.solve(C, (x - kept * m).T).T

    return velocity_of(predict_noise, schedule)


def modes():
    """Seven places on a circle of radius 1."""
    angle = 2 * np.pi * np.arange(7) / 7
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def around_modes(rng, n):
    """Rows at the modes, by their weights, with a standard deviation of 0.1."""
    which = rng.choice(7, size=n, p=WEIGHTS)
    return modes()[which] + 0.1 * rng.normal(size=(n, 2))


def nearest_mode(X):
    return ((X[:, None, :] - modes()) ** 2).sum(axis=2).argmin(axis=1)
