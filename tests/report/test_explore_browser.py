"""The page in a real browser: chromium without a window, started by the test.

A script is put before the page's own (to catch errors) and another after it (to use the page as a
person would); what it saw is read from the document that chromium prints. Where no chromium is
found the tests are skipped, unless LOWDIM_NEEDS_CHROMIUM is set.
"""

import html
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim import ProbabilisticPCA
from lowdim.report.explore import contest

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'

CATCH = """<script>
window.problems = [];
window.addEventListener("error", (e) => window.problems.push(String(e.message)));
window.addEventListener("unhandledrejection", (e) => window.problems.push(String(e.reason)));
for (const level of ["error", "warn"]) {
  const before = console[level];
  console[level] = (...words) => { window.problems.push(words.join(" ")); before(...words); };
}
document.addEventListener("securitypolicyviolation", (e) => window.problems.push(e.blockedURI));
</script>"""

USE = """<script>
(async () => {
  const seen = {};
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  const tell = () => {
    seen.problems = window.problems;
    seen.hacked = window.hacked === 1;
    const e = document.createElement("output");
    e.id = "seen";
    e.textContent = JSON.stringify(seen);
    document.body.appendChild(e);
  };
  try {
    for (let i = 0; i < 200 && !document.documentElement.dataset.ready; i++) await rest(25);
    await rest(300);
    const doc = Bokeh.documents.find((d) => d.get_model_by_name("map-rows"));
    const source = doc.get_model_by_name("map-rows");
    const get = (id) => document.getElementById(id);
    const change = (id, value) => {
      get(id).value = value;
      get(id).dispatchEvent(new Event("change"));
    };
    seen.figures = document.querySelectorAll("main figure").length;
    seen.drawn = Object.keys(Bokeh.index.roots ?? Bokeh.index).length;
    seen.widest = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    seen.ink = doc.get_model_by_name("scree").below[0].major_label_text_color;

    const before = source.data.color.join();
    change("map-color", "2");
    seen.recolored = source.data.color.join() !== before;
    seen.legend = get("map-legend").textContent;
    const x = Array.from(source.data.x).join();
    change("map-x", "1");
    seen.moved = Array.from(source.data.x).join() !== x;
    change("map-x", "0");

    change("map-color", "1"); // the hostile words
    const view = [...Bokeh.index].find((v) => v.model.name === "map of the rows");
    const area = view.canvas_view.el.getBoundingClientRect();
    const at = {
      clientX: area.left + view.frame.x_scale.compute(source.data.x[8]),
      clientY: area.top + view.frame.y_scale.compute(source.data.y[8]),
      bubbles: true,
      composed: true,
      pointerId: 1,
      isPrimary: true,
      pointerType: "mouse",
    };
    view.canvas_view.events_el.dispatchEvent(new PointerEvent("pointermove", at));
    view.canvas_view.events_el.dispatchEvent(new MouseEvent("mousemove", at));
    await rest(200);
    seen.inspected = [...source.inspected.indices];
    const within = (root) =>
      [...root.querySelectorAll("*")].flatMap((e) =>
        e.shadowRoot ? [e, ...within(e.shadowRoot)] : [e]
      );
    const tip = within(document).find((e) => e.classList.contains("bk-Tooltip"));
    const inside = tip ? within(tip.shadowRoot) : [];
    seen.tooltip = tip ? tip.shadowRoot.textContent : "";
    seen.tooltipTags = inside.map((e) => e.tagName).filter((t) => t === "IMG" || t === "I");

    change("map-pick", "0:0");
    await rest(50);
    seen.selected = source.selected.indices.length;
    seen.differences = get("difference-values").children.length;
    seen.difference = get("difference-values").textContent;
    seen.row = get("row-values").children.length;
    get("map-row").value = "id <i>5</i>";
    get("map-find").requestSubmit();
    await rest(50);
    seen.found = get("row-name").textContent;

    const made = URL.createObjectURL;
    URL.createObjectURL = (blob) => { seen.blob = blob; return "#"; };
    get("filled-download").click();
    seen.csv = await seen.blob.text();
    delete seen.blob;
    URL.createObjectURL = made;
    seen.page = get("filled-values").children.length;
    get("filled-after").click();
    seen.place = get("filled-place").textContent;
  } catch (error) {
    window.problems.push("while using the page: " + error + error.stack);
  }
  tell();
})();
</script></body>"""


def chromium():
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("LOWDIM_NEEDS_CHROMIUM"):
            pytest.fail("LOWDIM_NEEDS_CHROMIUM is set, and there is no chromium")
        pytest.skip("no chromium")
    return found


def looked_at(path, folder, *arguments):
    """What the script of the page saw."""
    command = [
        chromium(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        f"--user-data-dir={folder}",
        "--virtual-time-budget=8000",
        *arguments,
        "--dump-dom",
        path.as_uri(),
    ]
    for _ in range(2):  # on a busy machine chromium may print the page before its script is done
        document = subprocess.run(command, capture_output=True, text=True, timeout=90).stdout
        told = re.search(r'<output id="seen">(.*?)</output>', document, re.S)
        if told:
            break
    assert told, "the page did not come to its end: " + document[-500:]
    return json.loads(html.unescape(told[1]))


def table():
    random = np.random.default_rng(0)
    group = np.arange(120) % 2
    X = random.normal(size=(120, 2)) @ random.normal(size=(2, 5)) + 5 * group[:, None]
    X += 0.3 * random.normal(size=X.shape)
    X[random.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=["a", "b", HOSTILE, "$$x$$", "e"])
    frame["word"] = np.where(group == 0, HOSTILE, "right")
    frame["name"] = [f"id <i>{i}</i>" for i in range(120)]
    return frame


@pytest.fixture(scope="module")
def report():
    chromium()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contest, "models", lambda shape, rank: {"PPCA": [ProbabilisticPCA(1)]})
        return lowdim.explore(table(), target="word", id="name")


@pytest.fixture(scope="module")
def page(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    text = report.html.replace("<head>", "<head>" + CATCH, 1)
    path.write_text(USE.join(text.rsplit("</body>", 1)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def seen(page, tmp_path_factory):
    return looked_at(page, tmp_path_factory.mktemp("profile"), "--window-size=1200,900")


def test_the_page_loads_without_errors_and_no_name_runs_as_script(seen):
    assert [p for p in seen["problems"] if "WebGL" not in p] == []
    assert not seen["hacked"]
    assert seen["drawn"] >= seen["figures"] >= 9


def test_colour_and_axes_of_the_map_can_be_chosen(seen):
    assert seen["recolored"] and seen["moved"]
    assert "lowest" in seen["legend"]


def test_a_pointer_over_a_point_shows_its_row_as_text(seen):
    assert 8 in seen["inspected"]
    assert "id <i>8</i>" in seen["tooltip"] and f"word: {HOSTILE}" in seen["tooltip"]
    assert seen["tooltipTags"] == []


def test_a_selection_is_compared_with_the_other_rows(seen):
    assert seen["selected"] > 10
    assert seen["differences"] >= 5 and HOSTILE in seen["difference"]
    assert seen["row"] >= 6
    assert seen["found"] == "Row id <i>5</i>"


def test_the_download_has_every_filled_value(seen):
    lines = seen["csv"].strip().split("\n")
    assert lines[0] == "row,column,value,low,high,probability"
    assert len(lines) == 1 + int(table().drop(columns=["word", "name"]).isna().sum().sum())
    assert seen["page"] == 15
    assert seen["place"].startswith("16 to 30 of ")


def test_a_phone_needs_no_sideways_scrolling(page, tmp_path):
    assert looked_at(page, tmp_path, "--window-size=500,800")["widest"] <= 0


def test_axes_are_repainted_for_dark_pages(seen, page, tmp_path):
    dark = looked_at(page, tmp_path, "--blink-settings=preferredColorScheme=0")
    assert dark["ink"] != seen["ink"]


IN_FRAME = """<script>
(async () => {
  for (let i = 0; i < 200 && !document.documentElement.dataset.ready; i++)
    await new Promise((done) => setTimeout(done, 25));
  parent.postMessage([document.documentElement.dataset.ready, ...window.problems], "*");
})();
</script></body>"""
NOTEBOOK = """<!DOCTYPE html><body><p id="cell">before</p><script>
window.addEventListener("message", (event) => {
  const e = document.createElement("output");
  e.id = "seen";
  e.textContent = JSON.stringify({
    told: event.data, cell: document.getElementById("cell").textContent, hacked: window.hacked,
  });
  document.body.appendChild(e);
});
</script>"""


def test_a_notebook_cell_shows_the_page_and_is_left_alone_by_it(report, tmp_path):
    text = IN_FRAME.join(report.html.replace("<head>", "<head>" + CATCH, 1).rsplit("</body>", 1))
    frame = report._repr_html_().replace(html.escape(report.html), html.escape(text))
    path = tmp_path / "notebook.html"
    path.write_text(NOTEBOOK + frame, encoding="utf-8")
    # in one process with the notebook, whose clock chromium runs ahead
    one_process = "--disable-features=IsolateSandboxedIframes"
    seen = looked_at(path, tmp_path / "profile", one_process)
    assert seen["told"][0] == "yes"
    assert [p for p in seen["told"][1:] if "WebGL" not in p] == []
    assert seen["cell"] == "before" and "hacked" not in seen
