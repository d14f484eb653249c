"""The script of the page makes the maps again."""

import numpy as np

import lowdim
from lowdim.report.maps.script import FIRST_LINE
from tests.report.maps.planted import few_rows_again


def test_the_script_makes_the_places_of_the_page_again(tmp_path, rng):
    X = rng.normal(size=(60, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[7] = np.nan
    lines = [",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in X]
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d\n" + "\n".join(lines) + "\n")
    with few_rows_again():
        report = lowdim.map_table(path, maps=["pca", "tsne"], sample=40)
    text = report.script
    assert text.startswith(FIRST_LINE)
    names = {}
    exec(text, names)
    again, Y = names["tsne_places"], report.findings.maps[1].Y
    placed = np.isfinite(Y[:, 0])
    assert placed.sum() == 59
    np.testing.assert_allclose(again, Y[placed], rtol=1e-5, atol=1e-5)


def test_a_table_in_memory_is_named(map_report):
    assert "lowdim.tables.open_table(table)" in map_report.script
    assert "some_rows" not in map_report.script
    compile(map_report.script, "script", "exec")
