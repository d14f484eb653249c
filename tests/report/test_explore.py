"""The findings and the page."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, multivariate_normal

import lowdim
from lowdim.report.explore import contest
from lowdim.report.explore.filling import choose_filler, fill
from lowdim.report.explore.findings import factor_name
from lowdim.report.explore.missingness import missingness, observed_correlations
from lowdim.report.explore.odd import squared_distances
from lowdim.report.explore.payload import map_payload
from lowdim.report.explore.preparing import prepare
from lowdim.report.explore.sections.oddities import chance_in_words
from lowdim.report.page.figures import plain
from lowdim.selection.compare.models import ColumnMeans
from lowdim.selection.compare.table import Comparison, Entrant, Protocol
from lowdim.tables import open_table
from tests.report.samples import HOSTILE, MATH, Elements

contestants = contest.models  # before it is replaced for most tests
pytestmark = pytest.mark.usefixtures("few_models")


def encoded_of(table, target=None, **wishes):
    return prepare(open_table(table), lowdim.TableEncoder(**wishes), target)


def filled_by_means(encoded):
    """The missing values at the means of their columns, as `choose_filler` would do it."""
    model = lowdim.TableModel(choose_filler(judged(PPCA=2.0), 1, seed=0).model)
    return fill(encoded, model.fit_encoded(encoded.table, encoded.unit_encoder))


# ---- golden values and derivation ----------------------------------------------------------------


def test_squared_distances_are_those_of_the_observed_block():
    random = np.random.default_rng(0)
    W, mean, noise = random.normal(size=(5, 2)), random.normal(size=5), 0.3
    X = random.normal(size=(20, 5))
    X[random.random(X.shape) < 0.3] = np.nan
    C = W @ W.T + noise * np.eye(5)
    for x, found in zip(X, squared_distances(X, mean, W, noise), strict=True):
        o = ~np.isnan(x)
        r = (x - mean)[o]
        assert found == pytest.approx(r @ np.linalg.solve(C[np.ix_(o, o)], r), abs=1e-9)


def test_observed_correlations_are_pearson_where_observed():
    random = np.random.default_rng(0)
    H = (random.random((50, 2)) < 0.4).astype(float)
    X = random.normal(size=(50, 3))
    X[random.random(X.shape) < 0.2] = np.nan
    r, _ = observed_correlations(H, X)
    for j in range(2):
        for f in range(3):
            o = ~np.isnan(X[:, f])
            assert r[j, f] == pytest.approx(np.corrcoef(H[o, j], X[o, f])[0, 1], abs=1e-12)


def test_factor_names_say_what_goes_with_and_against():
    names = ["mass", "length", "depth", "year"]
    assert factor_name(np.array([0.9, 0.8, -0.7, 0.1]), names) == "mass, length against depth"
    assert factor_name(np.array([0.9, 0.1, 0.0, 0.1]), names) == "mass"


def test_chances_are_said_in_words():
    assert chance_in_words(-2.0) == "1 in 100"
    assert chance_in_words(-12.3) == "1 in 10^12"


# ---- a planted truth -----------------------------------------------------------------------------


def test_planted_rank_groups_missing_values_and_odd_row_are_found(report, planted):
    findings = report.findings
    assert findings.spectrum.rank == 2
    labels = findings.clusters.labels
    group = np.arange(len(labels)) % 2
    rows = np.delete(np.arange(len(labels)), 7)
    assert findings.clusters.model.n_components >= 2
    for j in range(findings.clusters.model.n_components):
        inside = group[rows][labels[rows] == j]
        assert len(inside) == 0 or inside.mean() < 0.1 or inside.mean() > 0.9
    assert findings.odd.rows[0].row == 7
    assert findings.odd.rows[0].reasons[0].column == "a"
    assert {len(part.rows) for part in findings.filled} == {
        int(n) for n in planted().drop(columns=["word", "name"]).isna().sum()
    }


def test_filled_values_are_near_the_truth_and_ranges_cover_it(planted):
    table, truth = planted(), planted(missing=0.0)
    found = lowdim.explore(table, target="word", id="name").findings
    inside = []
    for part in found.filled:
        for row, value, low, high in zip(part.rows, part.value, part.low, part.high, strict=True):
            assert low <= value <= high
            inside.append(low <= truth.loc[row, part.column.name] <= high)
    assert np.mean(inside) > 0.75  # of 95%, with a rank that was chosen


def test_ranges_of_what_is_never_negative_do_not_go_below_zero():
    random = np.random.default_rng(0)
    X = np.abs(random.normal(size=(80, 3)))
    X[random.random(X.shape) < 0.2] = np.nan
    parts = filled_by_means(encoded_of(X, log=False))
    assert len(parts) == 3
    assert all((part.low >= 0).all() and (part.high > part.value).all() for part in parts)


def test_column_means_fill_a_category_with_the_commonest_and_its_share():
    table = pd.DataFrame({"x": np.arange(10.0) ** 2, "word": [*"aaaabbbcc", None]})
    (part,) = filled_by_means(encoded_of(table))
    assert part.rows.tolist() == [9] and part.column.words[part.value[0]] == "a"
    assert part.low[0] == pytest.approx(4 / 9)
    assert part.known == pytest.approx(0, abs=1e-6)


def test_column_means_are_a_model_that_can_be_saved_and_says_the_same():
    X = np.random.default_rng(0).normal(3, 2, size=(50, 4))
    X[::7, 1] = np.nan
    filler = choose_filler(judged(PPCA=2.0), 1, seed=0)
    expected, spread = ColumnMeans().fit(X).impute(X, return_std=True)
    found, std = filler.model.fit(X).impute(X, return_std=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(std, spread, rtol=1e-4)
    assert filler.name == "column means" and hasattr(filler.model, "save")


def judged(**errors):
    """A comparison in which these models have these errors."""
    kinds = {"ALS": lowdim.ALS, "PPCA": lowdim.ProbabilisticPCA, "FA": lowdim.FactorAnalysis}
    entrants = [
        Entrant(name, np.full(2, error), 0.1, 1, "", "", kinds[name](2))
        for name, error in errors.items()
    ]
    means = Entrant("column means", np.ones(2), 0.1, 1, "", "", ColumnMeans())
    return Comparison([*entrants, means], Protocol("error", "entries", 0.1, 2, (9, 4), 9))


def test_the_winner_fills_if_it_can_say_how_sure_it_is():
    filler = choose_filler(judged(ALS=0.5, FA=0.4, PPCA=0.6), 2, seed=3)
    assert filler.name == "FA" and filler.model.get_params()["random_state"] == 3
    assert "best (error 0.40" in filler.why
    filler = choose_filler(judged(ALS=0.3, FA=0.4, PPCA=0.35), 2, seed=3)
    assert filler.name == "PPCA" and "ALS has 0.30, but gives no range" in filler.why
    filler = choose_filler(judged(ALS=1.3, FA=1.4), 2, seed=3)
    assert filler.name == "column means" and "No method" in filler.why
    assert choose_filler(None, 2, seed=3).name == "probabilistic PCA"


def test_missingness_that_depends_on_a_column_is_told(rng):
    X = rng.normal(size=(300, 4))
    X[X[:, 0] > 0.5, 1] = np.nan
    found = missingness(encoded_of(X))
    assert (found.patterns[0].column, found.patterns[0].other) == ("1", "0")
    assert found.patterns[0].correlation > 0.5


def test_missingness_at_random_has_no_pattern():
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 5))
    X[random.random(X.shape) < 0.1] = np.nan
    assert missingness(encoded_of(X)).patterns == []


def test_odd_chances_are_those_of_the_model_for_complete_rows():
    random = np.random.default_rng(0)
    X = random.multivariate_normal([0, 0, 0], [[1, 0.8, 0.5], [0.8, 1, 0.4], [0.5, 0.4, 1]], 400)
    found = lowdim.explore(X).findings
    model = found.factors.model
    C = model.get_covariance()
    density = multivariate_normal(model.mean_, C).logpdf(found.encoded.X)
    squares = -2 * density - np.linalg.slogdet(C)[1] - 3 * np.log(2 * np.pi)
    np.testing.assert_allclose(
        found.odd.log10_chance, chi2.logsf(squares, 3) / np.log(10), atol=1e-6
    )


def test_each_method_of_the_comparison_runs(rng):
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(60, 5))
    models = {name: candidates[:1] for name, candidates in contestants(X.shape, 2).items()}
    found = lowdim.compare(X, models, repeats=2, random_state=0)
    assert found.failures == {}
    assert set(found.names) == {
        "column means",
        "probabilistic PCA",
        "factor analysis",
        "SoftImpute",
        "ALS",
        "k-means",
        "Gaussian mixture",
        "mixture of factor analysers",
    }


def test_each_method_of_the_comparison_has_sizes_to_choose_from():
    assert all(len(candidates) == 2 for candidates in contestants((500, 12), 3).values())


def test_what_makes_a_row_odd_is_not_what_was_expected(report):
    reasons = [reason for row in report.findings.odd.rows for reason in row.reasons]
    assert reasons and all(reason.value != reason.expected for reason in reasons)


# ---- the page ------------------------------------------------------------------------------------


def test_names_and_values_of_the_table_cannot_become_markup(report):
    page = Elements(report.html)
    assert page.handlers == []
    assert "img" not in page.tags and "b" in page.tags
    assert HOSTILE not in report.html
    outside = re.sub(r"<script.*?</script>", "", report.html, flags=re.S)
    assert "&lt;/script&gt;" in outside and "onerror=&#34;" in outside
    assert report.html.count("</script>") == page.tags.count("script")


def test_names_are_no_formulas_for_bokeh(report):
    figures = re.search('id="figures">(.*?)</script>', report.html)[1]
    assert "$$" not in figures and plain(MATH).encode("unicode_escape").decode() in figures


def test_the_page_loads_nothing_and_forbids_it(report):
    page = Elements(report.html)
    assert all(link.startswith("#") for link in page.links)
    assert all(link[1:] in page.ids for link in page.links)
    assert "default-src &#39;none&#39;" in report.html
    assert len(page.ids) == len(set(page.ids))


def test_the_page_has_every_section_once(report):
    found = re.findall(r'<section id="(\w+)"', report.html)
    assert found == [
        "table",
        "dimensions",
        "contest",
        "factors",
        "map",
        "clusters",
        "filled",
        "odd",
        "done",
        "script",
    ]


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(report):
    frame = report._repr_html_()
    assert frame.count("<") == 2 and 'sandbox="allow-scripts allow-downloads"' in frame
    assert "allow-same-origin" not in frame


def test_the_top_of_the_page_counts_what_was_found(report):
    tiles = re.findall(r'<li><a href="#(\w+)"><b[^>]*>([^<]*)</b> ([^<]*)</a>', report.html)
    assert tiles[0] == ("dimensions", "2", "of 6 dimensions")
    assert [place for place, _, _ in tiles] == [
        "dimensions",
        "contest",
        "clusters",
        "filled",
        "odd",
    ]


def test_every_control_has_a_label_and_everything_that_scrolls_can_be_reached_by_keyboard(report):
    controls = re.findall(r"<(?:select|input)\b", report.html)
    assert len(re.findall(r"<label>[^<]*<(?:select|input)\b", report.html)) == len(controls) == 6
    boxes = re.findall(r'<div class="scroll[^"]*"[^>]*>', report.html)
    assert boxes and all('tabindex="0"' in box and "aria-label" in box for box in boxes)


def test_the_page_says_which_model_filled_missing_values_and_why(report):
    assert f"Filled by {report.findings.filler.name}. {report.findings.filler.why}" in report.html


def test_a_page_of_ten_thousand_rows_and_fifty_columns_is_below_five_megabytes():
    random = np.random.default_rng(0)
    X = random.normal(size=(10_000, 2)) @ random.normal(size=(2, 50)) + random.normal(
        size=(10_000, 50)
    )
    X[random.random(X.shape) < 0.1] = np.nan
    report = lowdim.explore(X)
    assert len(report.html.encode()) < 5e6
    assert "rows drawn at random" in report.html


def test_the_map_carries_values_exactly_enough(report, planted):
    import base64

    findings = report.findings
    payload = map_payload(findings, np.arange(160))
    column = next(c for c in payload["columns"] if c["name"] == "b")
    steps = np.frombuffer(base64.b64decode(column["values"]), dtype="<u2")
    truth = planted()["b"].to_numpy()
    found = np.where(steps == 65535, np.nan, column["low"] + column["step"] * steps)
    np.testing.assert_allclose(found, truth, atol=np.nanmax(np.abs(truth)) * 1e-4)


def test_the_same_seed_gives_the_same_findings(report, planted):
    again = lowdim.explore(planted(), target="word", id="name").findings
    np.testing.assert_array_equal(again.factors.codes, report.findings.factors.codes)
    np.testing.assert_array_equal(again.clusters.labels, report.findings.clusters.labels)
    np.testing.assert_array_equal(again.comparison.losses, report.findings.comparison.losses)
    assert again.odd.rows == report.findings.odd.rows


def test_a_table_without_missing_values_has_no_section_of_filled_values():
    page = lowdim.explore(np.random.default_rng(0).normal(size=(60, 3))).html
    assert 'id="filled"' not in page and "no value is missing" in page


@pytest.mark.parametrize("shape", [(5, 2), (12, 3), (6, 9)])
def test_small_tables_have_a_page(shape):
    X = np.random.default_rng(1).normal(size=shape)
    assert "too few different rows" in lowdim.explore(X).html


def test_repeated_rows_have_a_page():
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 4)), 20, axis=0)
    assert "too few different rows" in lowdim.explore(X).html


def test_rows_and_columns_with_next_to_no_values_have_a_page():
    X = np.random.default_rng(0).normal(size=(60, 5))
    X[:5] = np.nan
    X[8:, 4] = np.nan
    assert "<h2" in lowdim.explore(X).html


def test_words_alone_have_a_page():
    random = np.random.default_rng(0)
    table = pd.DataFrame({name: random.choice(list("xyz"), 80) for name in "abc"})
    assert "<h2" in lowdim.explore(table).html
