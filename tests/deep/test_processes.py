"""Two processes under torchrun learn what one does."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

import lowdim
from tests.conftest import ROOT
from tests.deep.examples import Small

pytest.importorskip("torch")

PROGRAM = """
import sys
import numpy as np
import lowdim
from lowdim.deep.processes import place
from tests.deep.test_processes import models

y = np.load(sys.argv[1])[:, 0]
for kind, X in (("array", np.load(sys.argv[1])), ("stream", lowdim.stream(sys.argv[1]))):
    for name, model in models().items():
        weights = model.fit(X, y).weights_
        rank, size = place()
        assert size == 2
        np.savez(f"{sys.argv[2]}-{name}-{kind}-{rank}.npz", **weights)
"""


def models():
    """A batch has two shards, or one: then the other process has nothing to add."""
    few = {"max_iter": 3, "random_state": 0}
    return {
        "small": Small(batch_size=130),
        "vae": lowdim.VAE(2, hidden=(8,), batch_size=130, **few),
        "mlp": lowdim.MLPRegressor(hidden_layer_sizes=(8,), batch_size=100, tol=0, **few),
    }


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_two_processes_equal_one(rng, tmp_path):
    X = rng.normal(size=(300, 6)).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "fit.py").write_text(PROGRAM)
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    arguments = [tmp_path / "fit.py", tmp_path / "X.npy", tmp_path / "weights"]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/src"}
    command = [*run, *map(str, arguments)]
    done = subprocess.run(
        command, timeout=200, env=env, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for model, one in models().items():
        expected = one.fit(X, X[:, 0]).weights_
        for kind, rank in product(("array", "stream"), range(2)):
            with np.load(tmp_path / f"weights-{model}-{kind}-{rank}.npz") as found:
                assert set(found) == set(expected)
                for name, weights in expected.items():
                    np.testing.assert_allclose(found[name], weights, atol=1e-3)
