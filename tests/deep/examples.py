"""A small network for the tests of the trainer: tanh units between linear layers, with dropout."""

from typing import ClassVar

import numpy as np

from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting
from lowdim.deep.batches import plan_of
from lowdim.deep.engine import torch_generator
from lowdim.deep.learner import Learner, Settings
from lowdim.deep.starting import module_of
from lowdim.deep.train import Stopping, train


def squared_loss(module, batch, generator):
    import torch

    X, *weight = batch
    kept = torch.rand(X.shape, generator=generator) > 0.1
    errors = ((module(X * kept) - X) ** 2).sum(dim=1)
    return (errors * weight[0]).sum() if weight else errors.sum()


class Small(Estimator):
    """An autoencoder that learns by `train`."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, max_iter=3, batch_size=40, stopping=None, seed=0, **settings):
        self.max_iter, self.batch_size, self.stopping, self.seed = (
            max_iter,
            batch_size,
            stopping,
            seed,
        )
        self.settings = settings

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        import torch

        rows = self.open_rows(X)
        d = rows.n_columns
        plan = plan_of(rows, self.batch_size, self.seed)

        def make():
            linear = torch.nn.Linear
            return torch.nn.Sequential(linear(d, 3), torch.nn.Tanh(), linear(3, d))

        module = module_of(make, torch_generator(self.seed))
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        self.learner_ = Learner(
            module,
            squared_loss,
            Settings(**{"learning_rate": 0.01, **self.settings}),
            n_steps=self.max_iter * sum(cut.last - cut.first for cut in plan.slices),
            seed=self.seed,
            device=torch.device("cpu"),
            weighted=weight is not None,
        )
        along = () if weight is None else (weight,)
        trained = train(
            self,
            self.learner_,
            rows,
            along,
            plan,
            max_iter=self.max_iter,
            stopping=self.stopping or Stopping(),
        )
        self.weights_ = trained.weights
        return self


def parts_of_batches(model, X, monkeypatch):
    """Into how many parts, for threads, the batches of a fit are cut."""
    seen, cut = [], Learner._shards

    def watched(learner, batch):
        parts = cut(learner, batch)
        seen.append(len(parts))
        return parts

    monkeypatch.setattr(Learner, "_shards", watched)
    model.fit(X)
    return seen
