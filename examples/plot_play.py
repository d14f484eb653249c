"""
Two players and a saddle
========================

A generative adversarial network is a game: one player lowers what the other raises. On the
simplest game, f(x, y) = x y, the steps of the textbooks already part ways: those that are taken at
once leave the saddle, those taken in turn circle it for ever, and those that look ahead, or back,
find it.
"""

import matplotlib.pyplot as plt
import numpy as np

from lowdim import deep


# %%
# x lowers f, y raises it; the only point where neither wants to move is (0, 0). Gradients are
# torch's (``pip install 'lowdim[deep]'``).
def game(x, y):
    return (x * y).sum()


methods = ("simultaneous", "alternating", "extragradient", "optimistic")
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
for method in methods:
    found = deep.play(
        game, [1.0], [1.0], method=method, learning_rate=0.35, max_iter=30, keep_path=True
    )
    x, y = (part[:, 0] for part in found.path)
    left.plot(x, y, marker=".", markersize=4, linewidth=1, label=method)
    right.semilogy(np.hypot(x, y), label=method)
left.plot(0, 0, "k*", markersize=12)
left.plot(1, 1, "ko")
left.set(
    title="thirty steps from (1, 1)", xlabel="x lowers xy", ylabel="y raises xy", aspect="equal"
)
left.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5))  # the first goes on outside
right.set(title="distance to the saddle", xlabel="step")
right.legend()

# %%
# With steps of size h, the distance of the first grows by sqrt(1 + h^2) in each step, and that of
# the third shrinks by sqrt(1 - h^2 + h^4). :class:`lowdim.GAN` takes such steps for two networks:
# ``optimizer="extra_adam"`` looks ahead, ``"optimistic_adam"`` back, and ``optimizer="sgd"`` with
# ``update="simultaneous"`` or ``"alternating"`` are the first two.
for method in methods:
    found = deep.play(game, [1.0], [1.0], method=method, learning_rate=0.35, max_iter=30)
    print(f"{method:>14}  distance {np.hypot(found.x[0], found.y[0]):.3f}")
plt.show()
