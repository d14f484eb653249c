"use strict";
/* A map: points coloured by a column, found by name, selected and compared with the others. */
(() => {
  const { element, number, date, dark, unpack } = page;

  /* ---- columns ---- */

  const unpacked = (c) => ({ ...c, values: unpack(c.values, c.words ? Uint8Array : Uint16Array) });
  const isMissing = (c, i) => c.values[i] === (c.words ? 255 : 65535);

  /* What a step of a column of numbers stands for, as text. */
  function stepText(c, step) {
    const y = c.low + step * c.step;
    const x = c.log === null ? y : Math.exp(y) - c.log;
    return c.date ? date(x) : number(x);
  }
  function textOf(c, i) {
    if (isMissing(c, i)) return "no value";
    return c.words ? c.words[c.values[i]] : stepText(c, c.values[i]);
  }

  const greyed = () => (dark.matches ? "#565d68" : "#c3c7cd");

  function colorsOf(c, data) {
    const grey = greyed();
    const colors = new Array(data.n);
    if (c.words) {
      const palette = data.palette.map(page.toned);
      for (let i = 0; i < data.n; i++) {
        colors[i] = isMissing(c, i) ? grey : palette[c.values[i] % palette.length];
      }
      return colors;
    }
    let high = 0;
    for (let i = 0; i < data.n; i++) if (!isMissing(c, i) && c.values[i] > high) high = c.values[i];
    const first = dark.matches ? 50 : 0; // no dark points on dark, no pale ones on light
    const last = dark.matches ? 255 : 225;
    for (let i = 0; i < data.n; i++) {
      const t = high ? c.values[i] / high : 0;
      colors[i] = isMissing(c, i) ? grey : data.viridis[Math.round(first + t * (last - first))];
    }
    return colors;
  }

  function showLegend(legend, c, data) {
    legend.replaceChildren();
    const entry = (color, text) => {
      const item = element("li", undefined, legend);
      element("span", undefined, item).style.background = color;
      item.appendChild(document.createTextNode(text));
    };
    if (c.words) {
      const palette = data.palette.map(page.toned);
      c.words.forEach((word, j) => entry(palette[j % palette.length], word));
    }
    const seen = [];
    for (let i = 0; i < data.n; i++) if (!isMissing(c, i)) seen.push(i);
    if (!c.words) showRange(seen, c, data, entry);
    if (seen.length < data.n) entry(greyed(), "no value");
  }

  function showRange(seen, c, data, entry) {
    seen.sort((a, b) => c.values[a] - c.values[b]);
    const colors = colorsOf(c, data);
    if (seen.length) {
      const [low, high] = [seen[0], seen[seen.length - 1]];
      entry(colors[low], "lowest: " + textOf(c, low));
      entry(colors[high], "highest: " + textOf(c, high));
    }
  }


  /* ---- how the selected rows differ from the others ---- */

  /* Of numbers: the difference of means, in standard deviations. */
  function differenceOfMeans(c, inside) {
    const sum = [0, 0];
    const count = [0, 0];
    let all = 0;
    let square = 0;
    for (let i = 0; i < inside.length; i++) {
      if (isMissing(c, i)) continue;
      sum[inside[i]] += c.values[i];
      count[inside[i]] += 1;
      all += c.values[i];
      square += c.values[i] * c.values[i];
    }
    const n = count[0] + count[1];
    const deviation = Math.sqrt(Math.max(square / n - (all / n) ** 2, 0));
    if (!count[0] || !count[1] || !deviation) return null;
    const [rest, here] = [sum[0] / count[0], sum[1] / count[1]];
    const size = (here - rest) / deviation;
    return { name: c.name, size, here: stepText(c, here), rest: stepText(c, rest) };
  }

  /* Of words: the largest difference of shares, in standard deviations. */
  function differenceOfShares(c, inside) {
    const counts = [new Float64Array(c.words.length), new Float64Array(c.words.length)];
    const total = [0, 0];
    for (let i = 0; i < inside.length; i++) {
      if (isMissing(c, i)) continue;
      counts[inside[i]][c.values[i]] += 1;
      total[inside[i]] += 1;
    }
    if (!total[0] || !total[1]) return null;
    let best = null;
    c.words.forEach((word, j) => {
      const [rest, here] = [counts[0][j] / total[0], counts[1][j] / total[1]];
      const p = (counts[0][j] + counts[1][j]) / (total[0] + total[1]);
      if (p <= 0 || p >= 1) return;
      const size = (here - rest) / Math.sqrt(p * (1 - p));
      if (best === null || Math.abs(size) > Math.abs(best.size)) {
        const percent = (share) => (100 * share).toFixed(0) + " %";
        best = { name: c.name + " = " + word, size, here: percent(here), rest: percent(rest) };
      }
    });
    return best;
  }

  function differences(columns, rows, n) {
    const inside = new Uint8Array(n);
    rows.forEach((i) => (inside[i] = 1));
    return columns
      .map((c) => (c.words ? differenceOfShares(c, inside) : differenceOfMeans(c, inside)))
      .filter((d) => d !== null)
      .sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
  }

  function showDifferences(body, found) {
    body.replaceChildren();
    for (const d of found) {
      const line = element("tr", undefined, body);
      element("th", d.name, line).scope = "row";
      element("td", d.here, line);
      element("td", d.rest, line);
      const cell = element("td", (d.size > 0 ? "+" : "−") + Math.abs(d.size).toFixed(2), line);
      const bar = element("span", undefined, cell);
      bar.className = d.size > 0 ? "bar more" : "bar less";
      bar.style.width = Math.min(Math.abs(d.size), 3) * 30 + "px";
    }
  }

  // for maps of other pages
  page.columns = { unpacked, textOf, colorsOf, showLegend, differences, showDifferences };

  /* ---- the map of a section ---- */

  page.script("map", (part, data, drawn, id) => {
    const columns = data.columns.map(unpacked);
    const coordinates = data.coordinates.map((c) => unpack(c, Float32Array));
    const numbers = data.rows ? unpack(data.rows, Uint32Array) : null; // null: 0, 1, ...
    const rowLabel = (i) => page.rowName(numbers ? numbers[i] : i);
    const every = (f) => Array.from({ length: data.n }, (_, i) => f(i));
    const source = drawn.get_model_by_name(id + "-points");
    const plot = drawn.get_model_by_name(id + "-plot");
    const axes = [part("x"), part("y")];
    const what = data.what;
    const title = what[0].toUpperCase() + what.slice(1);

    function recolor() {
      const c = columns[Number(part("color").value)];
      const shown = every((i) => c.name + ": " + textOf(c, i));
      source.data = { ...source.data, color: colorsOf(c, data), shown };
      for (const e of document.querySelectorAll("[data-color-of]")) {
        if (e.dataset.colorOf === id) e.textContent = c.name;
      }
      showLegend(part("legend"), c, data);
    }
    function move() {
      const [x, y] = axes.map((a) => coordinates[Number(a.value)]);
      source.data = { ...source.data, x, y };
      [plot.below[0], plot.left[0]].forEach((axis, j) => {
        axis.axis_label = axes[j].selectedOptions[0].textContent;
      });
    }
    function showRow(i) {
      part("row-values").replaceChildren();
      part("row-name").textContent = title + " " + rowLabel(i);
      for (const c of columns) {
        const line = element("tr", undefined, part("row-values"));
        element("th", c.name, line).scope = "row";
        element("td", textOf(c, i), line);
      }
    }
    function compare(rows) {
      part("difference").hidden = rows.length === 0;
      part("said").textContent = rows.length
        ? rows.length + " of " + data.n + " " + what + "s are selected."
        : "Nothing is selected.";
      const compared = columns.slice(data.firstCompared);
      const found = rows.length ? differences(compared, rows, data.n) : [];
      showDifferences(part("difference-values"), found.slice(0, 10));
    }

    source.data = { ...source.data, label: every(rowLabel) };
    recolor();
    part("color").addEventListener("change", recolor);
    axes.forEach((a) => a.addEventListener("change", move));
    part("plane")?.addEventListener("change", (event) => {
      axes.forEach((a, j) => (a.value = String(Number(event.target.value) + j)));
      move();
    });
    dark.addEventListener("change", recolor);

    source.selected.connect(source.selected.properties.indices.change, () => {
      const rows = [...source.selected.indices];
      if (rows.length) showRow(rows[0]);
      compare(rows);
    });
    part("pick").addEventListener("change", (event) => {
      const [column, place] = event.target.value.split(":").map(Number);
      const rows = [];
      if (event.target.value) {
        const values = columns[column].values;
        for (let i = 0; i < data.n; i++) if (values[i] === place) rows.push(i);
      }
      source.selected.indices = rows;
    });
    part("clear").addEventListener("click", () => {
      part("pick").value = "";
      source.selected.indices = [];
    });
    part("find").addEventListener("submit", (event) => {
      event.preventDefault();
      const wanted = part("row").value.trim();
      for (let i = 0; i < data.n; i++) {
        if (rowLabel(i) === wanted) {
          source.selected.indices = [i];
          return;
        }
      }
      part("said").textContent = "There is no " + what + " " + wanted + " in the map.";
    });
  });
})();
