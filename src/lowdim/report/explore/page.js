"use strict";
/* What the page can do. Text of the table only ever becomes text nodes, never markup. */
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const byId = (id) => document.getElementById(id);
  const json = (id) => (byId(id) ? JSON.parse(byId(id).textContent) : null);
  const data = json("map-data");
  const filled = json("filled-data");
  const labels = json("row-labels"); // of all rows; null: rows go by their numbers

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const unpack = (text, Kind) => new Kind(bytes(text).buffer);
  const element = (tag, text, parent) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  };
  const number = (x) => {
    if (Number.isInteger(x) && Math.abs(x) < 1e15) return String(x);
    return String(Number(x.toPrecision(5)));
  };
  const nameOf = (row) => (labels ? labels[row] : String(row));
  const date = (days) => new Date(Math.round(days) * 864e5).toISOString().slice(0, 10);

  /* ---- light and dark ---- */

  /* A colour, a third of the way to white on a dark page. */
  function toned(hex) {
    if (!dark.matches) return hex;
    const part = (k) => parseInt(hex.slice(k, k + 2), 16);
    return "#" + [1, 3, 5]
      .map((k) => Math.round(part(k) + (255 - part(k)) / 3).toString(16).padStart(2, "0"))
      .join("");
  }
  const firstColors = new Map(); // of toned sources, as the file has them

  function paint(doc) {
    const ink = dark.matches ? "#d7dae0" : "#33373d";
    const line = dark.matches ? "#5a616c" : "#b5bac2";
    const grid = dark.matches ? "#333944" : "#e4e6ea";
    for (const model of doc._all_models.values()) {
      const type = String(model.type);
      if (type.endsWith("Axis")) {
        model.axis_label_text_color = model.major_label_text_color = ink;
        model.axis_line_color = model.axis_line_color === null ? null : line;
        model.major_tick_line_color = line;
      } else if (type === "Grid") {
        model.grid_line_color = grid;
      } else if (type === "Legend") {
        model.label_text_color = ink;
      } else if (type === "Text") {
        model.text_color = { value: ink };
      } else if (type === "ColumnDataSource" && model.tags.includes("toned")) {
        if (!firstColors.has(model)) firstColors.set(model, [...model.data.color]);
        model.data = { ...model.data, color: firstColors.get(model).map(toned) };
      }
    }
  }

  /* ---- the map ---- */

  const columns = data
    ? data.columns.map((c) => ({ ...c, codes: unpack(c.codes, c.words ? Uint8Array : Uint16Array) }))
    : [];
  const coordinates = data ? data.coordinates.map((c) => unpack(c, Float32Array)) : [];

  const isMissing = (c, i) => c.codes[i] === (c.words ? 255 : 65535);
  function valueOf(c, i) {
    const y = c.low + c.codes[i] * c.step;
    return c.log === null ? y : Math.exp(y) - c.log;
  }
  function textOf(c, i) {
    if (isMissing(c, i)) return "no value";
    if (c.words) return c.words[c.codes[i]];
    return c.date ? date(valueOf(c, i)) : number(valueOf(c, i));
  }
  const drawn = data && data.rows ? unpack(data.rows, Uint32Array) : null; // null: all rows
  const rowLabel = (i) => nameOf(drawn ? drawn[i] : i);

  function colorsOf(c) {
    const grey = dark.matches ? "#565d68" : "#c3c7cd";
    const palette = data.palette.map(toned);
    const colors = new Array(data.n);
    if (c.words) {
      for (let i = 0; i < data.n; i++) {
        colors[i] = isMissing(c, i) ? grey : palette[c.codes[i] % palette.length];
      }
      return colors;
    }
    let high = 0;
    for (let i = 0; i < data.n; i++) if (!isMissing(c, i) && c.codes[i] > high) high = c.codes[i];
    const first = dark.matches ? 50 : 0; // no dark points on dark, no pale ones on light
    const last = dark.matches ? 255 : 225;
    for (let i = 0; i < data.n; i++) {
      const t = high ? c.codes[i] / high : 0;
      colors[i] = isMissing(c, i) ? grey : data.viridis[Math.round(first + t * (last - first))];
    }
    return colors;
  }

  function showLegend(c) {
    const legend = byId("map-legend");
    legend.replaceChildren();
    const entry = (color, text) => {
      const item = element("li", undefined, legend);
      element("span", undefined, item).style.background = color;
      item.appendChild(document.createTextNode(text));
    };
    if (c.words) {
      const palette = data.palette.map(toned);
      c.words.forEach((word, j) => entry(palette[j % palette.length], word));
    } else {
      const seen = [];
      for (let i = 0; i < data.n; i++) if (!isMissing(c, i)) seen.push(i);
      seen.sort((a, b) => c.codes[a] - c.codes[b]);
      const colors = colorsOf(c);
      if (seen.length) {
        const [low, high] = [seen[0], seen[seen.length - 1]];
        entry(colors[low], "lowest: " + textOf(c, low));
        entry(colors[high], "highest: " + textOf(c, high));
      }
    }
  }

  function startMap(doc) {
    const source = doc.get_model_by_name("map-rows");
    const color = byId("map-color");
    const axes = [byId("map-x"), byId("map-y")];

    const recolor = () => {
      const c = columns[Number(color.value)];
      const shown = Array.from({ length: data.n }, (_, i) => c.name + ": " + textOf(c, i));
      source.data = { ...source.data, color: colorsOf(c), shown };
      byId("glance-by").textContent = c.name;
      showLegend(c);
    };
    const move = () => {
      const [x, y] = axes.map((a) => coordinates[Number(a.value)]);
      source.data = { ...source.data, x, y };
      const plot = doc.get_model_by_name("map of the rows");
      [plot.below[0], plot.left[0]].forEach((axis, j) => {
        axis.axis_label = "component " + (Number(axes[j].value) + 1);
      });
    };
    source.data = { ...source.data, label: Array.from({ length: data.n }, (_, i) => rowLabel(i)) };
    recolor();
    color.addEventListener("change", recolor);
    axes.forEach((a) => a.addEventListener("change", move));
    dark.addEventListener("change", recolor);

    source.selected.connect(source.selected.properties.indices.change, () => {
      const rows = [...source.selected.indices];
      if (rows.length) showRow(rows[0]);
      compare(rows);
    });
    byId("map-pick").addEventListener("change", (event) => {
      const [column, code] = event.target.value.split(":").map(Number);
      const rows = [];
      if (event.target.value) {
        const codes = columns[column].codes;
        for (let i = 0; i < data.n; i++) if (codes[i] === code) rows.push(i);
      }
      source.selected.indices = rows;
    });
    byId("map-clear").addEventListener("click", () => {
      byId("map-pick").value = "";
      source.selected.indices = [];
    });
    byId("map-find").addEventListener("submit", (event) => {
      event.preventDefault();
      const wanted = byId("map-row").value.trim();
      for (let i = 0; i < data.n; i++) {
        if (rowLabel(i) === wanted) {
          source.selected.indices = [i];
          return;
        }
      }
      byId("map-said").textContent = "There is no row " + wanted + " in the map.";
    });
  }

  function showRow(i) {
    const body = byId("row-values");
    body.replaceChildren();
    byId("row-name").textContent = "Row " + rowLabel(i);
    for (const c of columns) {
      const line = element("tr", undefined, body);
      element("th", c.name, line).scope = "row";
      element("td", textOf(c, i), line);
    }
  }

  /* How the selected rows differ from the others: of numbers the difference of means in standard
     deviations, of words the largest difference of shares. */
  function differences(rows) {
    const inside = new Uint8Array(data.n);
    rows.forEach((i) => (inside[i] = 1));
    return columns.slice(data.firstColumn).map((c) => {
      if (c.words) return differenceOfShares(c, inside);
      const sum = [0, 0];
      const count = [0, 0];
      let all = 0;
      let square = 0;
      for (let i = 0; i < data.n; i++) {
        if (isMissing(c, i)) continue;
        sum[inside[i]] += c.codes[i];
        count[inside[i]] += 1;
        all += c.codes[i];
        square += c.codes[i] * c.codes[i];
      }
      const n = count[0] + count[1];
      const deviation = Math.sqrt(Math.max(square / n - (all / n) ** 2, 0));
      if (!count[0] || !count[1] || !deviation) return null;
      const [rest, here] = [sum[0] / count[0], sum[1] / count[1]];
      const shown = (code) => {
        const y = c.low + code * c.step;
        const x = c.log === null ? y : Math.exp(y) - c.log;
        return c.date ? date(x) : number(x);
      };
      return {
        name: c.name,
        size: (here - rest) / deviation,
        here: shown(here),
        rest: shown(rest),
      };
    }).filter((d) => d !== null);
  }

  function differenceOfShares(c, inside) {
    const counts = [new Float64Array(c.words.length), new Float64Array(c.words.length)];
    const total = [0, 0];
    for (let i = 0; i < data.n; i++) {
      if (isMissing(c, i)) continue;
      counts[inside[i]][c.codes[i]] += 1;
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

  function compare(rows) {
    const said = byId("map-said");
    const body = byId("difference-values");
    body.replaceChildren();
    byId("difference").hidden = rows.length === 0;
    if (rows.length === 0) {
      said.textContent = "Nothing is selected.";
      return;
    }
    said.textContent = rows.length + " of " + data.n + " rows are selected.";
    const found = differences(rows).sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
    for (const d of found.slice(0, 10)) {
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

  /* ---- the filled values ---- */

  const parts = filled
    ? filled.columns.map((c) => ({
        ...c,
        rows: unpack(c.rows, Uint32Array),
        value: unpack(c.value, c.words ? Uint16Array : Float32Array),
        low: unpack(c.low, Float32Array),
        high: c.high === null ? null : unpack(c.high, Float32Array), // null: low is a probability
      }))
    : [];

  function shown(part, x, digits) {
    if (part.words) return part.words[x];
    if (part.date) return date(x);
    return String(part.whole ? x : Number(x.toPrecision(digits)));
  }

  function filledLine(part, i) {
    const name = nameOf(part.rows[i]);
    const show = (x) => shown(part, x, 4);
    if (part.high === null) {
      const share = part.low[i];
      const sure = share > 0.99 ? "over 99 % sure" : (100 * share).toFixed(0) + " % sure";
      return [name, part.name, show(part.value[i]), sure];
    }
    const [low, high] = [show(part.low[i]), show(part.high[i])];
    return [name, part.name, show(part.value[i]), low === high ? low : low + " to " + high];
  }

  function startFilled() {
    const choose = byId("filled-column");
    const size = 15;
    let start = 0;
    const render = () => {
      const chosen = choose.value === "" ? parts : [parts[Number(choose.value)]];
      const total = chosen.reduce((sum, part) => sum + part.rows.length, 0);
      start = Math.max(0, Math.min(start, total - 1));
      const body = byId("filled-values");
      body.replaceChildren();
      let skip = start;
      let left = size;
      for (const part of chosen) {
        for (let i = skip; i < part.rows.length && left > 0; i++, left--) {
          const line = element("tr", undefined, body);
          filledLine(part, i).forEach((text) => element("td", text, line));
        }
        skip = Math.max(0, skip - part.rows.length);
      }
      const last = Math.min(start + size, total);
      byId("filled-place").textContent = start + 1 + " to " + last + " of " + total;
      byId("filled-before").disabled = start === 0;
      byId("filled-after").disabled = last >= total;
    };
    choose.addEventListener("change", () => {
      start = 0;
      render();
    });
    byId("filled-before").addEventListener("click", () => {
      start -= size;
      render();
    });
    byId("filled-after").addEventListener("click", () => {
      start += size;
      render();
    });
    byId("filled-download").addEventListener("click", () => {
      download("filled-values.csv", filledCsv());
    });
    render();
  }

  const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  function filledCsv() {
    const lines = ["row,column,value,low,high,probability"];
    for (const part of parts) {
      for (let i = 0; i < part.rows.length; i++) {
        const [name, column] = filledLine(part, i);
        const show = (x) => shown(part, x, 6);
        const rest = part.high === null
          ? ["", "", part.low[i].toFixed(3)]
          : [show(part.low[i]), show(part.high[i]), ""];
        lines.push([name, column, show(part.value[i]), ...rest].map(quoted).join(","));
      }
    }
    return lines.join("\n") + "\n";
  }

  function download(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* ---- start ---- */

  if (parts.length) startFilled();
  const copy = byId("code-copy");
  if (copy) {
    copy.addEventListener("click", () => {
      navigator.clipboard.writeText(byId("code-text").textContent).then(
        () => (copy.textContent = "Copied"),
        () => (copy.textContent = "Select the text and copy it"),
      );
    });
  }
  (function wait(left) {
    const doc = (window.Bokeh ? Bokeh.documents : []).find(
      (d) => d.get_model_by_name("map-rows") !== null,
    );
    if (!doc) {
      if (left) setTimeout(() => wait(left - 1), 50);
      return;
    }
    paint(doc);
    dark.addEventListener("change", () => paint(doc));
    startMap(doc);
    document.documentElement.dataset.ready = "yes";
  })(400);
})();
