"""Stress of a map."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import lowdim
from lowdim.datasets import load_eurodist
from lowdim.maps.coordinates import principal_coordinates, squared

D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
LINE = np.array([[0.0], [-3.0], [2.0]])  # distances 3, 2, 5
KINDS = ["raw", "normalized", "stress-1", "stress-2", "sammon"]


def by_pairs(D, Y, kind, W=None):
    """The formulas, over vectors of pairs."""
    delta, d = squareform(D), pdist(Y)
    w = np.ones_like(d) if W is None else squareform(W, checks=False)
    e = w * (delta - d) ** 2
    return {
        "raw": e.sum(),
        "normalized": e.sum() / (w * d**2).sum(),
        "stress-1": np.sqrt(e.sum() / (w * d**2).sum()),
        "stress-2": np.sqrt(e.sum() / (w * (d - np.average(d, weights=w)) ** 2).sum()),
        "sammon": (e / delta).sum() / (w * delta).sum(),
    }[kind]


# ---- golden values -------------------------------------------------------------------------------

BY_HAND = {
    "raw": 4.0,
    "normalized": 4 / 38,
    "stress-1": np.sqrt(4 / 38),
    "stress-2": np.sqrt(4 / (38 - 100 / 3)),
    "sammon": 1 / 12,
}


@pytest.mark.parametrize("kind", KINDS)
def test_three_objects_on_a_line_by_hand(kind):
    assert lowdim.stress(D, LINE, kind=kind) == pytest.approx(BY_HAND[kind], rel=1e-14)


def test_the_classical_map_of_europe_has_sammon_s_stress():
    D = load_eurodist().dissimilarity
    Y = principal_coordinates(squared(D), 2).Y
    assert lowdim.stress(D, Y, "sammon") == pytest.approx(0.01705, abs=5e-6)


def test_strain_is_what_the_eigenvalues_left_out_add_up_to():
    D = load_eurodist().dissimilarity
    found = principal_coordinates(squared(D), 2)
    left_out = (found.spectrum[2:] ** 2).sum()
    assert lowdim.stress(D, found.Y, "strain") == pytest.approx(left_out, rel=1e-10)


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_are_their_formulas(rng, kind, weighted):
    D, Y = squareform(rng.random(780) + 0.1), rng.normal(size=(40, 2))
    W = squareform(rng.random(780)) if weighted else None
    expected = by_pairs(D, Y, kind, W)
    assert lowdim.stress(D, Y, kind, W) == pytest.approx(expected, rel=1e-12)
    assert lowdim.stress(squareform(D), Y, kind, W) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [*KINDS, "strain"])
def test_a_perfect_map_has_no_stress(rng, kind):
    Y = rng.normal(size=(10, 3))
    assert lowdim.stress(squareform(pdist(Y)), Y, kind) < 1e-20 ** (0.5 if "-" in kind else 1)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_pairs_have_no_weight(rng, kind):
    D, Y = squareform(rng.random(45) + 0.1), rng.normal(size=(10, 2))
    W = np.ones((10, 10))
    W[2, 5] = W[5, 2] = 0.0
    missing = np.where(W == 0, np.nan, D)
    assert lowdim.stress(missing, Y, kind) == pytest.approx(lowdim.stress(D, Y, kind, W), rel=1e-13)


@pytest.mark.parametrize("factor", [1e150, 1e-150])
@pytest.mark.parametrize("kind", KINDS[1:])
def test_units_do_not_matter(kind, factor):
    found = lowdim.stress(D * factor, LINE * factor, kind)
    assert found == pytest.approx(BY_HAND[kind], rel=1e-13)


def test_threads_change_no_bit(rng):
    D, Y = squareform(rng.random(300 * 299 // 2)), rng.normal(size=(300, 2))
    found = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            found.append([lowdim.stress(D, Y, kind) for kind in ("raw", "strain", "stress-2")])
    assert found[0] == found[1]


# ---- the door ------------------------------------------------------------------------------------


def test_objects_that_do_not_differ_and_lie_apart_have_infinite_sammon_stress():
    D = np.zeros((2, 2))
    assert lowdim.stress(D, np.array([0.0, 1.0]), "sammon") == np.inf
    assert lowdim.stress(D, np.array([1.0, 1.0]), "sammon") == 0.0


REFUSED = {
    "kind": (dict(kind="kruskal"), "kind='kruskal' is not known; choose one of 'raw'"),
    "Y": (dict(Y=LINE[:2]), r"Y has shape \(2, 1\); a place for each of the 3 objects"),
    "NaN": (dict(Y=LINE * np.nan), "Y has NaN or infinity"),
    "weights": (dict(weights=np.ones((2, 2))), r"weights has shape \(2, 2\); \(3, 3\) is needed"),
    "negative weights": (dict(weights=-np.ones((3, 3))), "weights has a negative entry"),
    "strain": (dict(kind="strain", weights=np.ones((3, 3))), "'strain' has no weights"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_arguments_are_refused_by_name(what):
    arguments, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        lowdim.stress(**{"dissimilarity": D, "Y": LINE, **arguments})
