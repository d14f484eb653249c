"""The list of methods that draw rows, and the choice among them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import kstest

from lowdim.cli import generators
from lowdim.cli.drawn_rows import drawn_values
from lowdim.cli.generators import METHODS, NAMES, Material, best_method, named
from lowdim.cli.table_verb import TableRequest


@pytest.fixture
def material(tmp_path, rng):
    def of(X):
        np.save(tmp_path / "X.npy", X)
        request = TableRequest(str(tmp_path / "X.npy"), quiet=True)
        table = request.open()
        return Material(request, table, request.fit(table), 0)

    return of


def without(monkeypatch, *names):
    kept = tuple(method for method in METHODS if method.name not in names)
    monkeypatch.setattr(generators, "METHODS", kept)


def test_two_far_groups_are_a_mixture(material, rng, monkeypatch):
    without(monkeypatch, "vae", "transformer", "diffusion", "gan")
    X = rng.normal(size=(400, 2)) + 12 * rng.integers(2, size=(400, 1))
    found = material(X)
    assert best_method(found).name == "mixture"
    assert found.clusters == 2


@pytest.mark.parametrize(("n", "passes"), [(2, 1000), (128, 1000), (300, 334), (20_000, 10)])
def test_networks_take_about_as_many_steps_whatever_the_number_of_rows(material, rng, n, passes):
    assert generators._passes(material(rng.normal(size=(n, 2)))) == passes


def test_networks_are_left_out_where_torch_is_absent(material, rng, monkeypatch):
    monkeypatch.setattr(generators, "_has_torch", lambda: False)
    found, said = material(rng.normal(size=(100, 2))), []
    monkeypatch.setattr(TableRequest, "say", lambda self, *notes: said.extend(notes))
    assert best_method(found).name in ("ppca", "mixture")
    why = "(torch is not installed)"
    left_out = f"vae {why}, transformer {why}, diffusion {why}, gan {why}"
    assert f"--method auto leaves out {left_out}" in said


def test_what_auto_does_not_try(material, rng):
    X = rng.normal(size=(30, 101))
    X[0, 0] = np.nan
    found = material(X)
    assert generators._unsuited(named("gan"), found) == "the table has empty cells"
    assert generators._unsuited(named("transformer"), found) == "too many columns"
    assert generators._unsuited(named("diffusion"), found) == ""
    assert found.incomplete == ["0"]


def test_categories_reach_the_transformer_as_one_column_of_levels(tmp_path, rng):
    """However many levels they have, each is one, and rows are not longer for it."""
    names = [f"c{i:02d}" for i in range(40)]
    lines = [f"{names[i % 40]},{'ab'[i % 2]},{rng.normal():.2f}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["city,level,x", *lines]))
    request = TableRequest(str(tmp_path / "t.csv"), quiet=True)
    table = request.open()
    found = Material(request, table, request.fit(table), 0)
    _, rows = found.encoded(named("transformer").encoding)
    X = np.asarray(rows.take(np.arange(200)))
    assert X.shape == (200, 3)
    assert set(X[:, 0]) == set(range(40)) and set(X[:, 1]) == {0.0, 1.0}
    model = named("transformer").unfitted(found).set_params(max_steps=1).fit(rows)
    assert_array_equal(model.whole_, [True, True, False])
    assert model.n_levels_[0] == 40


@pytest.mark.parametrize("complete", [True, False])
def test_the_transformer_draws_numbers_that_many_rows_have_as_often(tmp_path, rng, complete):
    """Of 600 rows the share of a number lies within 5 standard deviations of that of the table."""
    n = 600
    half = rng.choice([0.0, 0.5, 2.25], size=n, p=[0.7, 0.2, 0.1])
    zeros = np.where(rng.random(n) < 0.4, 0.0, rng.exponential(size=n))
    cells = [
        [f"{a}", f"{b:.4f}", f"{c:.3f}"]
        for a, b, c in zip(half, zeros, rng.normal(size=n), strict=True)
    ]
    for row in [] if complete else cells[:60]:
        row[0] = row[1] = ""
    (tmp_path / "t.csv").write_text("\n".join(["half,zeros,x", *(",".join(row) for row in cells)]))
    request = TableRequest(str(tmp_path / "t.csv"), quiet=True)
    table = request.open()
    found = Material(request, table, request.fit(table), 0)
    drawn = drawn_values(found.fit(named("transformer")), n, rng, fill_all=True)
    half, zeros = half[0 if complete else 60 :], zeros[0 if complete else 60 :]
    between = ~np.isin(drawn["half"].numbers, [0.0, 0.5, 2.25])
    assert between.sum() <= 2  # a place between the last row of a number and the first of the next
    assert drawn["zeros"].numbers.min() == 0.0
    for name, column, value in (("half", half, 0.0), ("half", half, 0.5), ("zeros", zeros, 0.0)):
        share = np.mean(column == value)
        allowed = 5 * np.sqrt(2 * share * (1 - share) / len(column))
        assert abs(np.mean(drawn[name].numbers == value) - share) < allowed


def test_few_rows_take_the_first(material, rng):
    assert best_method(material(rng.normal(size=(30, 2)))).name == NAMES[0]


def test_methods_are_found_by_name():
    assert ("drop_level", True) in named("mixture").encoding
    assert [method.name for method in METHODS] == list(NAMES)
    with pytest.raises(ValueError):
        named("nothing")


def test_some_rows_or_all_are_learned_from(material, rng):
    found = material(rng.normal(size=(100, 3)))
    few = np.arange(50)
    mean = found.fit(named("ppca"), few).estimator_.mean_
    _, rows = found.encoded(named("ppca").encoding)
    assert mean == pytest.approx(np.asarray(rows.take(few)).mean(axis=0), abs=1e-6)
    assert found.fit(named("ppca")).estimator_.mean_ == pytest.approx(np.zeros(3), abs=1e-6)


@pytest.mark.parametrize("name", ["vae", "gan", "diffusion", "transformer"])
def test_networks_draw_levels_with_their_shares(tmp_path, rng, name):
    level = rng.choice(3, size=1200, p=[0.75, 0.22, 0.03])
    flag = rng.random(1200) < np.array([0.1, 0.8, 0.5])[level]
    x = rng.normal(size=1200) + 2.0 * level
    lines = [
        f"{'abc'[i]},{'yes' if f else 'no'},{z:.2f}" for i, f, z in zip(level, flag, x, strict=True)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["level,flag,x", *lines]))
    request = TableRequest(str(tmp_path / "t.csv"), quiet=True)
    table = request.open()
    found = Material(request, table, request.fit(table), 0)
    drawn = drawn_values(found.fit(named(name)), 3000, rng)
    codes = np.array(drawn["level"].levels)[drawn["level"].places]
    share = [np.mean(codes == one) for one in "abc"]
    # three standard errors of 3000 draws, and a hundredth for what a network learns in seconds
    error = 3 * np.sqrt(np.array([0.75, 0.22, 0.03]) * [0.25, 0.78, 0.97] / 3000) + 0.01
    real = np.bincount(level) / 1200
    assert (np.abs(share - real) < error).all(), (share, real)
    yes = np.array(drawn["flag"].levels)[drawn["flag"].places] == "yes"
    gap = yes[codes == "b"].mean() - yes[codes == "a"].mean()
    assert gap > (0.8 - 0.1) / 2  # and they go together


def test_models_see_scores_unless_units_are_wanted(tmp_path, rng):
    np.save(tmp_path / "X.npy", rng.gamma(1.0, size=(80, 2)))
    for scale, scored in ((True, True), (False, False)):
        request = TableRequest(str(tmp_path / "X.npy"), wishes={"scale": scale}, quiet=True)
        table = request.open()
        found = Material(request, table, request.fit(table), 0)
        for name in ("ppca", "vae", "diffusion", "gan"):
            encoder, _ = found.encoded(named(name).encoding)
            assert (encoder.scores == "normal") is scored
            assert (encoder.encoding_.codecs[0].scores is not None) is scored


@pytest.mark.parametrize("name", ["ppca", "vae", "diffusion", "gan"])
def test_counts_tails_and_dates_are_drawn_as_those_of_the_table(tmp_path, rng, name):
    """Of complete columns, whatever the model has learned: two samples' distance is chance."""
    n = 900
    z = rng.normal(size=n)
    day = np.datetime64("2020-01-01") + np.where(z > 0, 20, 300) + rng.integers(0, 40, size=n)
    visits, income = rng.poisson(np.exp(0.5 * z)), np.exp(2 * z + rng.normal(size=n))
    lines = [f"{v},{i:.2f},{d}" for v, i, d in zip(visits, income, day, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["visits,income,day", *lines]))
    request = TableRequest(str(tmp_path / "t.csv"), quiet=True)
    table = request.open()
    found = Material(request, table, request.fit(table), 0)
    drawn = drawn_values(found.fit(named(name)), 2000, rng)
    days = days_of(drawn["day"])
    for fake, real in (
        (drawn["visits"].numbers, visits),
        (drawn["income"].numbers, income),
        (days, day.astype(float)),
    ):
        assert kstest(fake, real).statistic < 0.035  # half a step of counts, and decimals
    assert np.corrcoef(np.log(drawn["income"].numbers + 0.01), days)[0, 1] < -0.4  # together


def days_of(values):
    """Days since 1970 of a column of dates."""
    if values.places is None:
        return values.numbers / 86_400_000_000
    return np.array(values.levels, dtype="datetime64[D]").astype(float)[values.places]
