"""Pages need no network, and names are harmless."""

import numpy as np
import pandas as pd
import pytest

import lowdim
from tests.report.samples import assert_loads_nothing

HOSTILE = '<script>alert("x")</script>'


@pytest.fixture
def page(rng):
    table = pd.DataFrame(
        {HOSTILE: rng.normal(size=40), "kind": rng.choice([HOSTILE, "b"], size=40)}
    )
    return lowdim.sample_page(table, table[:20], name=f"{HOSTILE}.csv")


def test_a_table_has_its_sections_and_no_foreign_script(page):
    text = page.html
    for section in ("measures", "columns", "correlations", "map", "odd", "done", "script"):
        assert f'<section id="{section}"' in text
    assert "<script>alert" not in text
    assert_loads_nothing(text)


def test_the_page_works_in_a_browser(page, browser, tmp_path):
    page.save(tmp_path / "page.html")
    tab = browser.open(tmp_path / "page.html")
    tab.wait_for("document.querySelectorAll('#figure-map *').length > 0")
    assert tab.problems() == []
    assert tab.value("document.querySelectorAll('#map-legend li').length") == 2  # real and drawn


def test_images_stand_beside_each_other(rng):
    images = rng.integers(0, 256, (30, 6, 5), dtype=np.uint8)
    text = lowdim.sample_page(images, images[:12], name="i.npz").html
    assert text.split("<script>")[0].count("data:image/png;base64,") == 2 + 6
    assert "img-src data:" in text


def test_texts_are_text():
    text = lowdim.sample_page("to be or not " * 20, [HOSTILE + " to be or"], name="t.txt").html
    assert "&lt;script&gt;alert" in text and "<script>alert" not in text
    assert '<section id="copies"' in text
