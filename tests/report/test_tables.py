"""Tables of loadings: R's printed numbers, the bookkeeping of variance, and the text."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.linear.rotation import rotate
from lowdim.report.tables import LONGEST_NAME, loadings_table

# factanal(factors=2, covmat=ability.cov) of R; GPArotation keeps the loadings in its tests
ABILITY_NAMES = ["general", "picture", "blocks", "maze", "reading", "vocab"]
ABILITY = np.array(
    [
        [0.499437829039897, 0.543449046931120],
        [0.156070079431280, 0.621537989911975],
        [0.205786989958579, 0.859925885384269],
        [0.108530754440559, 0.467761017322835],
        [0.956242470279812, 0.182096319921822],
        [0.784768183877881, 0.224822136873642],
    ]
)
ABILITY_UNIQUENESS = [0.455, 0.589, 0.218, 0.769, 0.052, 0.334]


def random_model(rng, d=7, k=3):
    phi = np.corrcoef(rng.standard_normal((k, 20)))
    return rng.standard_normal((d, k)), rng.uniform(0.1, 2.0, size=d), phi


# ---- golden values -------------------------------------------------------------------------------


def test_table_of_the_ability_tests_has_the_numbers_that_r_prints():
    table = loadings_table(ABILITY, ABILITY_UNIQUENESS, ABILITY_NAMES)
    # R prints three digits of the uniquenesses, so variances are 1 to half of the third
    assert_allclose(table.ss_loadings, [1.858, 1.724], atol=1e-3)
    assert_allclose(table.proportion, [0.310, 0.287], atol=1e-3)
    assert_allclose(table.cumulative, [0.310, 0.597], atol=1e-3)
    assert_allclose(table.communalities, 1 - np.array(ABILITY_UNIQUENESS), atol=1e-3)


def test_text_is_the_table_a_psychologist_knows():
    table = loadings_table(
        [[0.8, -0.1], [-0.6, 0.4], [0.0, 1.2]], [0.35, 0.48, 0.0], ["speed", "power", "calm"]
    )
    expected = """\
Loadings (standardized; below 0.3 left blank)

                    F1     F2  communality  uniqueness
speed            0.800               0.650       0.350
power           -0.600  0.400        0.520       0.480
calm                    1.000        1.000       0.000

                    F1     F2
SS loadings      1.000  1.170
Proportion Var   0.333  0.390
Cumulative Var   0.333  0.723"""
    assert table.to_text() == expected


def test_text_of_correlated_factors_ends_with_their_correlations():
    phi = [[1.0, -0.5], [-0.5, 1.0]]
    text = loadings_table([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], phi=phi).to_text(digits=2)
    assert text.endswith(
        """\
Factor correlations     F1     F2
F1                    1.00  -0.50
F2                   -0.50   1.00"""
    )


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("standardized", [True, False])
@pytest.mark.parametrize("oblique", [True, False])
def test_communalities_and_explained_variance_have_one_sum(rng, standardized, oblique):
    L, noise, phi = random_model(rng)
    table = loadings_table(L, noise, phi=phi if oblique else None, standardized=standardized)
    total = table.communalities.sum() + table.uniqueness.sum()
    assert_allclose(table.ss_loadings.sum(), table.communalities.sum(), rtol=1e-12)
    assert_allclose(table.cumulative[-1], table.communalities.sum() / total, rtol=1e-12)
    assert_allclose(np.diff(table.cumulative), table.proportion[1:], rtol=1e-9)


def test_standardized_loadings_reproduce_the_correlation_matrix(rng):
    L, noise, phi = random_model(rng)
    covariance = L @ phi @ L.T + np.diag(noise)
    sd = np.sqrt(np.diag(covariance))
    table = loadings_table(L, noise, phi=phi)
    model = table.loadings @ phi @ table.loadings.T + np.diag(table.uniqueness)
    assert_allclose(model, covariance / np.outer(sd, sd), atol=1e-13)
    assert_allclose(table.communalities + table.uniqueness, 1.0, rtol=1e-14)


def test_unstandardized_table_keeps_the_units(rng):
    L, noise, phi = random_model(rng)
    table = loadings_table(L, noise, phi=phi, standardized=False)
    assert_array_equal(table.loadings, L)
    assert_array_equal(table.uniqueness, noise)
    assert_allclose(table.communalities, np.diag(L @ phi @ L.T), rtol=1e-12)
    assert_allclose(table.ss_loadings, np.diag(phi @ L.T @ L), rtol=1e-10, atol=1e-12)


# ---- properties ----------------------------------------------------------------------------------


def test_scaling_a_variable_leaves_its_standardized_row_alone(rng):
    L, noise, phi = random_model(rng)
    size = rng.uniform(0.1, 10, size=7)
    one = loadings_table(L, noise, phi=phi)
    two = loadings_table(size[:, None] * L, size**2 * noise, phi=phi)
    for field in ("loadings", "communalities", "uniqueness", "ss_loadings", "cumulative"):
        assert_allclose(getattr(two, field), getattr(one, field), rtol=1e-9, atol=1e-12)


def test_rotation_leaves_communalities_alone(rng):
    L, noise, _ = random_model(rng, d=9)
    before = loadings_table(L, noise)
    for method in ("varimax", "promax"):
        rotated = rotate(L, method)
        after = loadings_table(rotated.loadings, noise, phi=rotated.phi)
        assert_allclose(after.communalities, before.communalities, rtol=1e-10)
        assert_allclose(after.cumulative[-1], before.cumulative[-1], rtol=1e-10)


def test_correlations_that_are_the_identity_are_none():
    table = loadings_table(ABILITY, ABILITY_UNIQUENESS, phi=np.eye(2))
    assert table.phi is None
    assert "Factor correlations" not in table.to_text()


def test_a_variable_without_variance_has_zeros():
    table = loadings_table([[0.0], [0.6]], [0.0, 0.64])
    assert_allclose(table.loadings, [[0.0], [0.6]])
    assert_allclose(table.communalities, [0.0, 0.36])
    assert_allclose(table.proportion, [0.36])


def test_a_model_without_variance_explains_nothing():
    assert_array_equal(loadings_table([[0.0], [0.0]], [0.0, 0.0]).proportion, [0.0])


# ---- the text ------------------------------------------------------------------------------------


def test_cutoff_zero_shows_every_loading():
    table = loadings_table([[0.1, -0.0001], [0.2, 0.9]], [0.99, 0.15])
    text = table.to_text(cutoff=0)
    assert "left blank" not in text
    assert "-0.000" not in text  # a rounded loading has no sign
    assert text.splitlines()[3].split() == ["x0", "0.100", "0.000", "0.010", "0.990"]


def test_sorted_variables_are_grouped_by_their_factor():
    L = [[0.1, 0.5], [0.6, 0.2], [0.0, -0.9], [0.8, 0.1]]
    lines = loadings_table(L, np.full(4, 0.2), list("abcd")).to_text(sort=True).splitlines()
    assert [line[0] for line in lines[3:7]] == ["d", "b", "c", "a"]


def test_all_lines_of_a_part_end_in_one_column(rng):
    L, noise, phi = random_model(rng, d=5, k=11)
    text = loadings_table(1000 * L, noise, phi=phi, standardized=False).to_text(cutoff=0)
    for part in text.split("\n\n")[1:]:
        assert len({len(line) for line in part.splitlines()}) == 1
    assert "  " in text.splitlines()[4]


def test_a_long_name_is_shortened_in_the_text_only():
    name = "I would rather be someone who never answers a questionnaire"
    table = loadings_table([[0.6]], [0.64], [name])
    assert table.names == (name,)
    assert name[: LONGEST_NAME - 1] + "…" in table.to_text()
    assert name not in table.to_text()


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loadings": [0.1, 0.2]}, "Expected 2D array"),
        ({"loadings": [[0.1], [np.nan]]}, "loadings contains NaN"),
        ({"noise_variance": [0.1, 0.2, 0.3]}, r"shape \(3,\); loadings have 2 rows"),
        ({"noise_variance": [[0.1], [0.2]]}, r"shape \(2, 1\)"),
        ({"noise_variance": [0.1, -0.2]}, r"noise_variance\[1\]=-0.2 is negative"),
        ({"noise_variance": [0.1, np.inf]}, "noise_variance contains infinity"),
        ({"names": ["a"]}, "names has 1 entries for 2 rows"),
        ({"phi": np.eye(2)}, r"phi has shape \(2, 2\); loadings have 1 columns"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    good = {"loadings": [[0.5], [0.6]], "noise_variance": [0.75, 0.64], "names": ["a", "b"]}
    with pytest.raises(ValueError, match=message):
        loadings_table(**{**good, **arguments})
