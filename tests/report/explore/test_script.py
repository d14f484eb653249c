"""The Python script of the page gives its models again."""

import numpy as np
import pytest

import lowdim
from lowdim.report.explore import clusters, findings, script
from lowdim.tables import open_table
from tests.report.explore.tables import (
    assert_filled_as_on_the_page,
    matrix,
    numbers,
    words,
)

pytestmark = pytest.mark.usefixtures("few_models")


def assert_same_models(report, **names):
    exec(report.script, names)
    found = report.findings
    np.testing.assert_array_equal(matrix(names["codes"]), found.factors.codes)
    np.testing.assert_array_equal(names["labels"], found.clusters.labels)
    assert_filled_as_on_the_page(found, names["filled"])
    for name, places in (("t-SNE", "tsne_places"), ("UMAP", "umap_places")):
        np.testing.assert_allclose(names[places], found.maps[name], rtol=1e-5, atol=1e-5)


def test_the_script_gives_the_models_of_the_page_again(tmp_path, planted):
    path = tmp_path / "table.csv"
    planted().to_csv(path, index=False, sep=";")
    table = open_table(path, separator=";", text_columns=["name"])
    report = lowdim.explore(table, "word", id="name", drop=["c"], sample=120, log=False)
    assert f"open_table({str(path)!r}, text_columns=['name'], separator=';')" in report.script
    assert "take_rows(table, some_rows(160, 120))" in report.script
    assert_same_models(report)


def test_the_script_of_a_table_in_memory_takes_it_by_the_name_of_table(of_numbers):
    encoder = lowdim.TableEncoder(
        ordered={"size": ["small", "middle", "large"]}, categorical=["count"], ignore="remark"
    )
    assert_same_models(lowdim.explore(words(), encoder=encoder), table=words())
    assert_same_models(of_numbers, table=numbers())


# 70 rows in six clusters: the page says what the fit warned of, and the script warns again
@pytest.mark.filterwarnings("ignore::lowdim.mixture.collapse.CollapsedComponentWarning")
def test_the_script_fits_to_the_rows_that_the_page_fits_to(monkeypatch):
    for module, name in [
        (findings, "FIT_ROWS"),
        (findings, "FILL_ROWS"),
        (clusters, "FIT_ROWS"),
        (script, "FIT_ROWS"),
        (script, "FILL_ROWS"),
    ]:
        monkeypatch.setattr(module, name, 70)
    report = lowdim.explore(words())
    assert report.script.count(".fit_encoded(") == 3
    assert_same_models(report, table=words())


def test_the_script_uses_public_names_only(of_words):
    assert "lowdim.report" not in of_words.script and "._" not in of_words.script
