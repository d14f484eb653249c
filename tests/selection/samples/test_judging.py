"""All measures of a sample: of honest draws, of copies, of worse and better models."""

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.selection.samples.judging import SAYS


def ring(rng, n, modes=6):
    angle = 2 * np.pi * rng.integers(modes, size=n) / 6
    return 5 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.3 * rng.normal(size=(n, 2))


def test_honest_draws_look_honest(rng):
    found = lowdim.sample_quality(
        ring(rng, 300), ring(rng, 300), held_out=ring(rng, 300), random_state=rng
    )
    assert found.c2st == pytest.approx(0.5, abs=0.12)
    assert found.memorised == pytest.approx(0.5, abs=0.15)
    assert found.js < 0.03 and abs(found.energy) < 0.1 and abs(found.mmd) < 0.02
    assert found.energy_p > 0.005
    assert min(found.precision, found.recall, found.coverage) > 0.8


def test_copies_are_found_by_memorised_alone(rng):
    X = ring(rng, 200)
    found = lowdim.sample_quality(X, X, held_out=ring(rng, 200), random_state=rng)
    assert found.memorised == 1.0
    assert found.c2st == 0.5 and found.precision == found.recall == 1.0


def test_a_mixture_is_better_than_one_gaussian(rng):
    X = ring(rng, 400)
    plane = lowdim.sample_quality(X, lowdim.ProbabilisticPCA(1).fit(X), random_state=rng)
    model = lowdim.GaussianMixture(6, n_init=3, random_state=0).fit(X)
    mixture = lowdim.sample_quality(X, model, random_state=rng)
    assert mixture.c2st < plane.c2st - 0.1
    assert mixture.js < plane.js and mixture.precision > plane.precision + 0.2
    assert mixture.energy_p > plane.energy_p


def test_a_network_that_samples_is_judged(rng):
    pytest.importorskip("torch")
    X = ring(rng, 60)
    model = lowdim.VAE(1, hidden=(8,), max_iter=1, random_state=0).fit(X)
    assert 0.4 <= lowdim.sample_quality(X, model, random_state=0).c2st <= 1


def test_a_model_of_tables_is_judged_by_its_columns(rng):
    group = rng.integers(2, size=200)
    table = pd.DataFrame(
        {"x": group + 0.3 * rng.normal(size=200), "kind": np.array(["u", "v"])[group]}
    )
    model = lowdim.TableModel(lowdim.ProbabilisticPCA(1)).fit(table)
    found = lowdim.sample_quality(table, model, random_state=0)
    assert list(found.columns["column"]) == ["x", "kind"]
    assert found.new_levels == 0 and found.correlation < 0.5


def test_the_same_seed_gives_the_same_and_few_rows_are_enough(rng):
    X, Y = ring(rng, 300), ring(rng, 250, modes=4)
    found = [lowdim.sample_quality(X, Y, max_rows=80, random_state=5) for _ in range(2)]
    assert repr(found[0]) == repr(found[1])
    assert found[0].n_real == found[0].n_fake == 80
    assert "80 real rows and 80 fake ones" in repr(found[0])


def test_it_prints_and_becomes_a_frame(rng):
    found = lowdim.sample_quality(ring(rng, 60), ring(rng, 60), random_state=0)
    frame = found.to_frame()
    known = [name for name in SAYS if name not in ("memorised", "new_levels")]
    assert list(frame["measure"]) == known
    assert list(frame["value"]) == [getattr(found, name) for name in known]
    assert "recall" in repr(found) and "<table>" in found._repr_html_()
    assert len(found.columns.to_frame()) == 2


def test_the_figure_has_a_line_for_each_share(rng):
    found = lowdim.sample_quality(
        ring(rng, 60), ring(rng, 60), held_out=ring(rng, 60), random_state=0
    )
    names = [label.get_text() for label in found.plot().get_yticklabels()]
    assert names == ["precision", "recall", "density", "coverage", "c2st", "memorised"]


def test_units_matter_only_if_asked(rng):
    X, Y = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)) + 0.5
    unit = [1.0, 1000.0]
    one, other = (lowdim.sample_quality(X * u, Y * u, random_state=0) for u in (1.0, unit))
    for measure in ("energy", "mmd", "frechet", "recall", "c2st"):
        assert getattr(one, measure) == pytest.approx(getattr(other, measure), rel=1e-6)
    kept = lowdim.sample_quality(X * unit, Y * unit, standardize=False, random_state=0)
    assert kept.frechet > 1000


def test_a_bandwidth_is_used(rng):
    X, Y = rng.normal(size=(2, 50, 2))
    found = lowdim.sample_quality(X, Y + 1, bandwidth=1e4, random_state=0)
    assert found.bandwidth == 1e4 and abs(found.mmd) < 1e-6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bandwidth": 0}, "bandwidth=0 must be more than 0"),
        ({"max_rows": 5}, "max_rows=5 is too small; choose at least 10"),
        ({"standardize": "no"}, "standardize='no' is not known"),
    ],
)
def test_wrong_arguments_are_named(rng, wrong, message):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match=message):
        lowdim.sample_quality(X, X, **wrong)
