"use strict";
/* Maps side by side: one selection in all, by lasso, box, tap, search, table or group. */
(() => {
  const { element, dark, unpack } = page;
  const LINES = 12; // of the table of rows at a time
  const MOST_CELLS = 7; // columns of that table

  const listeners = []; // of other sections: called with (colorsOf(map), inside)
  let current = null;
  page.linked = {
    /* Called with what is shown, now and whenever it changes. */
    follow(listener) {
      listeners.push(listener);
      if (current) listener(current);
    },
  };

  page.script("linked", (part, data) => {
    const { unpacked, textOf, colorsOf, showLegend, differences, showDifferences } = page.columns;
    const n = data.n;
    const columns = data.columns.map(unpacked);
    const numbers = data.rows ? unpack(data.rows, Uint32Array) : null; // null: 0, 1, ...
    const names = data.named ? page.shared("row-names") : null;
    const rowLabel = (i) => (names ? names[i] : String(numbers ? numbers[i] : i));
    const k = data.near.k;
    const near = unpack(data.near.rows, Uint32Array);
    const maps = data.maps.map((m, j) => ({
      title: m.title,
      kept: unpack(m.kept, Uint8Array),
      above: part("over-" + j),
      view: page.points(
        part("points-" + j), part("over-" + j),
        unpack(m.x, Float32Array), unpack(m.y, Float32Array), m.density,
      ),
    }));
    let selected = [];
    let row = -1; // whose lines are shown
    let first = 0; // line of the table

    /* ---- colours ---- */

    const keptColor = (count) => {
      const [low, high] = dark.matches ? [50, 255] : [0, 225];
      return data.viridis[Math.round(low + (count / k) * (high - low))];
    };
    function colorNumbers(map) {
      const chosen = part("color").value;
      const colors = new Uint32Array(n);
      if (chosen === "kept") {
        for (let i = 0; i < n; i++) colors[i] = page.rgb(keptColor(map.kept[i]));
      } else {
        colorsOf(columns[Number(chosen)], data).forEach((c, i) => (colors[i] = page.rgb(c)));
      }
      return colors;
    }
    function recolor() {
      const chosen = part("color").value;
      let shared = null; // colours by a column are the same in all maps
      for (const map of maps) {
        map.colors = chosen === "kept" ? colorNumbers(map) : shared || (shared = colorNumbers(map));
      }
      const legend = part("legend");
      if (chosen !== "kept") {
        showLegend(legend, columns[Number(chosen)], data);
      } else {
        legend.replaceChildren();
        for (const count of [0, Math.round(k / 2), k]) {
          const item = element("li", undefined, legend);
          element("span", undefined, item).style.background = keptColor(count);
          item.appendChild(document.createTextNode(count + " of " + k + " kept"));
        }
      }
      repaint();
    }
    function repaint() {
      let inside = null;
      if (selected.length) {
        inside = new Uint8Array(n);
        for (const i of selected) inside[i] = 1;
        if (selected.length === 1) for (const i of neighbours(row)) inside[i] = 1;
      }
      for (const map of maps) map.view.paint(map.colors, inside);
      current = { colors: maps.map((map) => map.colors), titles: maps.map((m) => m.title), inside };
      for (const listener of listeners) listener(current);
    }

    /* ---- a row and its neighbours ---- */

    const neighbours = (i) => [...near.subarray(i * k, i * k + k)];
    function mark(hovered = -1) {
      const rings = [row, hovered].filter((i) => i >= 0);
      const lines = row < 0 ? [] : neighbours(row).map((j) => [row, j]);
      for (const map of maps) map.view.mark(rings, lines);
    }
    function chip(list, i) {
      const item = element("li", undefined, list);
      const button = element("button", rowLabel(i), item);
      button.type = "button";
      button.addEventListener("click", () => {
        choose([i], i);
        part("near").querySelector("button")?.focus();
      });
    }
    function showRow(i) {
      part("row-values").replaceChildren();
      part("near").replaceChildren();
      part("row-name").textContent = i < 0 ? "A row" : "Row " + rowLabel(i);
      if (i < 0) {
        part("row-said").textContent =
          "Tap a point, or find a row: lines lead to the rows that are nearest to it in the data.";
        return;
      }
      const kept = maps.map((map) => map.title + " keeps " + map.kept[i]);
      part("row-said").textContent =
        "Lines lead to its " + k + " nearest rows in the data, below from near to far; of these " +
        kept.join(", ") + " among its " + k + " nearest in the map.";
      for (const j of neighbours(i)) chip(part("near"), j);
      for (const c of columns) {
        const line = element("tr", undefined, part("row-values"));
        element("th", c.name, line).scope = "row";
        element("td", textOf(c, i), line);
      }
    }

    /* ---- the selection ---- */

    function choose(rows, single = -1, said = null) {
      selected = rows;
      row = rows.length === 1 ? rows[0] : single;
      first = 0;
      part("said").textContent =
        said || (rows.length ? rows.length + " of " + n + " rows are selected." : "Nothing is selected.");
      part("difference").hidden = rows.length === 0;
      const compared = columns.slice(data.firstCompared);
      const found = rows.length ? differences(compared, rows, n) : [];
      showDifferences(part("difference-values"), found.slice(0, 10));
      showRow(row);
      mark();
      repaint();
      showTable();
    }
    const joined = (rows, add) => (add ? [...new Set([...selected, ...rows])].sort((a, b) => a - b) : rows);
    const clear = () => {
      part("pick").value = "";
      choose([]);
    };

    /* ---- the table of rows ---- */

    const cells = columns.slice(0, MOST_CELLS);
    element("th", "row", part("heads")).scope = "col";
    for (const c of cells) element("th", c.name, part("heads")).scope = "col";
    function showTable() {
      const total = selected.length > 1 ? selected.length : n;
      first = Math.max(0, Math.min(first, total - 1));
      part("values").replaceChildren();
      const last = Math.min(first + LINES, total);
      for (let at = first; at < last; at++) {
        const i = selected.length > 1 ? selected[at] : at;
        const line = element("tr", undefined, part("values"));
        const button = element("button", rowLabel(i), element("td", undefined, line));
        button.type = "button";
        button.setAttribute("aria-pressed", String(i === row));
        button.addEventListener("click", (event) => {
          const [kept, at] = [first, i];
          if (selected.length > 1 && !event.shiftKey) { // one of those that are selected
            row = at;
            showRow(at);
            mark();
          } else {
            choose(joined([at], event.shiftKey), at);
            first = selected.length > 1 ? 0 : kept;
          }
          showTable();
        });
        for (const c of cells) element("td", textOf(c, i), line);
      }
      const of = selected.length > 1 ? " selected rows" : " rows";
      part("place").textContent = first + 1 + " to " + last + " of " + total + of;
      part("before").disabled = first === 0;
      part("after").disabled = last >= total;
    }
    const step = (lines) => () => {
      first += lines;
      showTable();
    };
    part("before").addEventListener("click", step(-LINES));
    part("after").addEventListener("click", step(LINES));

    /* ---- what the reader does ---- */

    const tip = part("tip");
    function hover(i, event) {
      mark(i);
      tip.hidden = i < 0;
      if (i < 0) return;
      const chosen = part("color").value;
      const c = chosen === "kept" ? null : columns[Number(chosen)];
      tip.textContent = rowLabel(i) + (c ? " · " + c.name + ": " + textOf(c, i) : "");
      tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + "px";
      tip.style.top = event.clientY + 14 + "px";
    }
    maps.forEach((map, j) => {
      page.steer(map.above, map.view, {
        tool: () => part("tool").value,
        select: (rows, add) => choose(joined(rows, add)),
        tap: (i, add) => (i < 0 ? clear() : choose(joined([i], add), i)),
        hover,
        clear,
      });
      part("in-" + j).addEventListener("click", () => map.view.zoom(1.5));
      part("out-" + j).addEventListener("click", () => map.view.zoom(1 / 1.5));
    });
    part("tool").addEventListener("change", () => {
      // a finger scrolls the page until a tool is chosen
      for (const map of maps) map.above.style.touchAction = "none";
    });
    part("color").addEventListener("change", recolor);
    dark.addEventListener("change", recolor);
    part("whole").addEventListener("click", () => maps.forEach((map) => map.view.whole()));
    part("clear").addEventListener("click", clear);
    part("pick").addEventListener("change", (event) => {
      const rows = [];
      if (event.target.value) {
        const [column, place] = event.target.value.split(":").map(Number);
        const values = columns[column].values;
        for (let i = 0; i < n; i++) if (values[i] === place) rows.push(i);
      }
      choose(rows);
    });
    part("find").addEventListener("submit", (event) => {
      event.preventDefault();
      const wanted = part("row").value.trim().toLowerCase();
      if (!wanted) return;
      const like = [];
      for (let i = 0; i < n; i++) {
        const label = rowLabel(i).toLowerCase();
        if (label === wanted) return void choose([i], i);
        if (names && label.includes(wanted)) like.push(i);
      }
      if (like.length) choose(like);
      else part("said").textContent = "There is no row " + part("row").value.trim() + " in the maps.";
    });

    recolor();
    choose([]);
    page.linked.choose = choose;
    page.linked.selected = () => [...selected];
    page.linked.place = (j, i) => {
      const area = maps[j].above.getBoundingClientRect();
      const [u, v] = maps[j].view.at(i);
      return [area.left + u, area.top + v];
    };
  });
})();
