"""The trainer: the same bits for any threads, engine and interruption; it stops when it should."""

import tracemalloc

import numpy as np
import pytest

import lowdim
from lowdim.deep import batches
from lowdim.deep.learner import Learner
from lowdim.deep.train import Stopping
from tests.deep.examples import Small

torch = pytest.importorskip("torch")


def rows(rng, n=300, d=6):
    return (
        rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + 0.1 * rng.normal(size=(n, d))
    ).astype(np.float32)


def same_bits(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def test_the_loss_falls_and_is_published_by_pass(rng):
    model = Small(max_iter=20).fit(rows(rng))
    assert model.history_.shape == (20,) and model.n_iter_ == 20
    assert model.history_[-1] < 0.7 * model.history_[0]


@pytest.mark.parametrize("optimizer", ["sgd", "heavy_ball", "nesterov", "adagrad", "adam", "adamw"])
def test_threads_do_not_change_bits(rng, optimizer):
    X = rows(rng)
    found = []
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            found.append(
                Small(optimizer=optimizer, learning_rate=1e-3, batch_size=130).fit(X).weights_
            )
    assert same_bits(found[0], found[1]) and same_bits(found[0], found[2])


def test_a_stream_and_dask_give_the_bits_of_memory(rng, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "WINDOW", 128)  # several windows
    X = rows(rng)
    whole = Small().fit(X)
    for part, at in enumerate((0, 70, 210)):
        np.save(tmp_path / f"part-{part}.npy", X[at : (70, 210, 300)[part]])
    streamed = Small().fit(lowdim.stream(str(tmp_path / "part-*.npy")))
    assert same_bits(whole.weights_, streamed.weights_)
    dask = pytest.importorskip("dask.array")
    assert same_bits(whole.weights_, Small().fit(dask.from_array(X, chunks=(110, 6))).weights_)


def test_memory_is_flat_in_the_number_of_rows(rng, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "WINDOW", 512)
    peaks = []
    for n_files in (4, 32):
        for part in range(n_files):
            np.save(tmp_path / f"part-{part:02}.npy", rng.random((1000, 64), np.float32))
        tracemalloc.start()
        Small(max_iter=1, batch_size=128).fit(lowdim.stream(str(tmp_path / "part-*.npy")))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert n_files * 1000 * 64 * 4 > 2 * peaks[1]  # all rows together would have been more
    assert peaks[1] < 1.2 * peaks[0] + 2e5


class Killed(Exception):
    pass


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_fit_that_is_killed_within_a_pass_goes_on_to_the_same_bits(
    rng, tmp_path, monkeypatch, average
):
    monkeypatch.setattr(batches, "SLICE", 2)  # four slices in a pass
    X = rows(rng)
    whole = Small(average=average).fit(X)

    class AtSlice:
        """Kills the fit in its sixth slice."""

        n = 0

        def __call__(self, learner, batch):
            self.n += 1
            if self.n == 2 * 5 + 2:
                raise Killed
            return step(learner, batch)

    step, killer = Learner.step, AtSlice()
    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        monkeypatch.setattr(Learner, "step", lambda self, batch: killer(self, batch))
        with pytest.raises(Killed):
            Small(average=average).fit(X)
        monkeypatch.setattr(Learner, "step", step)
        assert len(list(tmp_path.iterdir())) == 1
        again = Small(average=average).fit(X)
    assert same_bits(whole.weights_, again.weights_)
    np.testing.assert_array_equal(whole.history_, again.history_)
    assert again.learner_.n_done == whole.learner_.n_done


def test_it_stops_when_passes_no_longer_lower_the_loss(rng):
    model = Small(max_iter=50, stopping=Stopping(tol=1e9, patience=3)).fit(rows(rng))
    assert model.n_iter_ == 4  # the first pass is better than none, then three that do not count
    assert model.converged_


def test_weights_of_zero_leave_rows_out(rng):
    X = rows(rng, n=60)
    odd = np.vstack([X, np.full((20, 6), 1e6, np.float32)])
    weight = np.r_[np.ones(60), np.zeros(20)]
    model = Small(max_iter=2, batch_size=20).fit(odd, sample_weight=weight)
    assert np.isfinite(model.history_).all() and model.history_.max() < 100


def test_a_loss_that_is_not_finite_ends_the_fit(rng):
    with pytest.raises(
        ValueError, match=r"no longer a finite number after \d+ steps .* learning_rate"
    ):
        Small(optimizer="sgd", learning_rate=1e20, max_iter=20).fit(rows(rng))


def test_settings_of_torch_are_left_alone(rng):
    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    Small(precision="double").fit(rows(rng))
    assert torch.equal(torch.rand(3), expected)
    assert (torch.get_num_threads(), torch.get_default_dtype()) == (threads, dtype)
