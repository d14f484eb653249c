"""
Ways down a valley
==================

Gradient descent zigzags down a long valley; what remembers its steps is there sooner. Each method
of :func:`lowdim.deep.minimize` is the recursion of the textbooks, so their paths can be compared.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from lowdim import deep


# %%
# A valley that is 30 times as steep across as it is along. Gradients are torch's
# (``pip install 'lowdim[deep]'``).
def valley(x):
    return 0.5 * (x[0] ** 2 + 30.0 * x[1] ** 2)


start = [-9.0, 1.3]
L, mu = deep.smoothness(valley, [[1.0, 0.0], [0.0, 1.0]], minimum=0.0)
print(f"L = {L:.0f}, mu = {mu:.0f}")

root = np.sqrt(L / mu)
best = ((root - 1) / (root + 1)) ** 2  # Polyak's momentum for this valley
ways = {
    "gradient descent": {"method": "gd", "learning_rate": 1.9 / L},
    "heavy ball": {
        "method": "heavy_ball",
        "learning_rate": 4 / (np.sqrt(L) + np.sqrt(mu)) ** 2,
        "momentum": best,
    },
    "Nesterov": {"method": "nesterov", "learning_rate": 1 / L, "momentum": np.sqrt(best)},
    "AdaGrad": {"method": "adagrad", "learning_rate": 2.0},
    "Adam": {"method": "adam", "learning_rate": 0.5},
}

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
across, up = np.meshgrid(np.linspace(-10, 3, 200), np.linspace(-2.2, 2.2, 200))
height = 0.5 * (across**2 + 30.0 * up**2)
left.contour(across, up, np.sqrt(height), levels=12, colors="lightgray", linewidths=0.8)
for name, arguments in ways.items():
    found = deep.minimize(valley, start, max_iter=80, keep_path=True, **arguments)
    left.plot(*found.path[:40].T, marker=".", markersize=3, linewidth=1, label=name)
    right.semilogy(np.maximum(found.history, 1e-16), label=name)
left.plot(0, 0, "k*", markersize=10)
left.set(title="forty steps down a valley", xlabel="along", ylabel="across")
right.set(title="height after each step", xlabel="step")
left.legend()


# %%
# Not convex, and yet gradient descent finds the minimum at a steady rate: x^2 + 3 sin^2 x satisfies
# the Polyak-Lojasiewicz condition. Dashed: what that promises; full: what happens.
def wavy(x):
    return (x**2 + 3 * torch.sin(x) ** 2).sum()


points = np.linspace(-10, 10, 401)[:, None]
L, mu = deep.smoothness(wavy, points)
found = deep.minimize(wavy, [9.0], learning_rate=1 / L, max_iter=12)
k = np.arange(len(found.history))
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.semilogy(k, np.maximum(found.history, 1e-16), label="x^2 + 3 sin^2 x")
ax.semilogy(k, found.history[0] * (1 - mu / L) ** k, "k--", label=f"(1 - mu/L)^k, mu = {mu:.2f}")
ax.set(xlabel="step", ylabel="height")
ax.legend()
plt.show()
