"""
Regression, one row after the other
===================================

A regression that looks at each row once, in passing, comes near the batch solution, and
:class:`lowdim.OnlineRegression` with its default solver is the batch solution, at every row. When
the coefficients change meanwhile, those that forget are better than the batch.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

import lowdim

# %%
# 200 points along y = 1 + 3 x. After every step, how large is the error over all points? Stochastic
# gradient with steps 1/t starts wildly: a step goes beyond the row's own y until t > x^2 / 2.
# Steps that follow from the data, and their average, are calmer.
random = np.random.default_rng(123)
X = random.normal(scale=2.0, size=(200, 1))
y = 1 + 3 * X[:, 0] + random.normal(size=200)
batch = LinearRegression().fit(X, y)
best = np.mean((y - batch.predict(X)) ** 2)

models = {
    "sums (rls)": {},
    "steps 1/t": {"solver": "sgd", "gain": "harmonic", "eta0": 1.0},
    "constant steps, averaged": {"solver": "sgd", "gain": "constant", "average": True},
    "nlms": {"solver": "nlms"},
}
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for name, arguments in models.items():
    model = lowdim.OnlineRegression(
        **arguments, max_iter=2, max_steps=300, history_every=1, random_state=0
    ).fit(X, y)
    steps = np.arange(1, len(model.history_) + 1)
    left.plot(steps, model.history_, label=name)
    print(f"{name}: y = {model.intercept_:.2f} + {model.coef_[0]:.2f} x")
left.axhline(best, color="black", linestyle="dashed", label="batch")
left.set(yscale="log", xlabel="step", ylabel="mean squared error", title="coefficients stay")
left.legend()

# %%
# Now the slope falls from 3 to -3. A constant gain and `forgetting` follow it; what weighs all rows
# alike does not. Rows come one hundred at a time, and are kept nowhere.
n = 2000
X = random.normal(size=(n, 1))
slope = np.linspace(3, -3, n)
y = slope * X[:, 0] + random.normal(scale=0.5, size=n)
for name, model in {
    "sums of all rows": lowdim.OnlineRegression(),
    "sums, forgetting=0.99": lowdim.OnlineRegression(forgetting=0.99),
    "constant steps": lowdim.OnlineRegression("sgd", gain="constant", eta0=0.05),
}.items():
    found = []
    for first in range(0, n, 100):
        part = slice(first, first + 100)
        found.append(model.partial_fit(X[part], y[part]).coef_[0])
    right.plot(np.arange(100, n + 1, 100), found, label=name)
right.plot(slope, color="black", linestyle="dashed", label="truth")
right.set(xlabel="row", ylabel="slope", title="coefficients change")
right.legend()
plt.show()
