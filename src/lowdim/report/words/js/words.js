"use strict";
/* The map of words: names thinned out by zoom, search, and the nearest words of the chosen one.

   Names are written from the commonest word on, wherever there is room; those of lit words first.
   A word that is chosen lights its nearest words, which were found in the whole space. A cluster
   that is chosen elsewhere in the page comes as event "cluster". A link to the page that ends in
   #word=river begins with that word. */
page.script("words", (part, data, drawn, id) => {
  const { element, unpack } = page;
  const MOST_LABELS = 260;
  const MOST_FOUND = 12;
  const LINE = 15; // pixels of a line of names
  const names = page.shared("words");
  const n = data.n;
  const columns = data.columns.map(page.columns.unpacked);
  const [x, y] = data.coordinates.map((c) => unpack(c, Float32Array));
  const near = data.near.map((list) => ({
    k: list.k,
    index: unpack(list.index, Uint16Array),
    cosine: unpack(list.cosine, Uint8Array),
  }));
  const counts = data.counts ? unpack(data.counts, Float64Array) : null;
  const textOf = (c, i) =>
    c.name === "times seen" ? counts[i].toLocaleString("en") : page.columns.textOf(c, i);
  const sideOf = columns.findIndex((c) => c.name === "vocabulary");
  const clusterOf = columns.findIndex((c) => c.name === "cluster");
  const source = drawn.get_model_by_name(id + "-points");
  const lit = drawn.get_model_by_name(id + "-lit");
  const labels = drawn.get_model_by_name(id + "-labels");
  const plot = drawn.get_model_by_name(id + "-plot");
  const whole = [plot.x_range.start, plot.x_range.end, plot.y_range.start, plot.y_range.end];
  const small = names.map((name) => name.toLocaleLowerCase());
  let chosen = null;
  let lighted = []; // places of lit words, the chosen one first
  let isLit = new Set();
  let busy = false; // while the selection is changed by ourselves

  /* ---- names ---- */

  /* bokeh takes some signs for the beginning of a formula */
  const plain = (name) => name.replace(/\$\$|\\\(|\\\[/g, (m) => m[0] + "\u200b" + m[1]);
  const shorter = (name) => {
    const letters = [...name];
    return letters.length > 24 ? letters.slice(0, 23).join("") + "…" : name;
  };
  const texts = Array.from({ length: n }, (_, i) => plain(shorter(names[i])));
  const pen = document.createElement("canvas").getContext("2d");
  const widths = new Float32Array(n);
  const widthOf = (i) => {
    pen.font = "12px Helvetica, Arial, sans-serif";
    if (!widths[i]) widths[i] = pen.measureText(texts[i]).width + 9;
    return widths[i];
  };

  /* Where a name may stand, in pixels from its point: to the right, or to the left where the edge
     (so far away) would cut it; of lit words also elsewhere. */
  const places = (i, edge) => {
    const w = widthOf(i);
    const beside = 5 + w <= edge ? [[5, 0]] : [[-w - 1, 0]];
    if (!isLit.has(i)) return beside;
    const around = [[5, 0], [-w - 1, 0], [-w / 2, -LINE], [-w / 2, LINE], [5, -LINE], [5, LINE]];
    return [...around.filter(([dx]) => dx + w <= edge), ...beside];
  };

  function thin() {
    const { x_range: across, y_range: up, inner_width: width, inner_height: height } = plot;
    const perX = width / (across.end - across.start);
    const perY = height / (up.end - up.start);
    const taken = []; // rectangles: left, right, top, bottom
    const shown = [];
    const put = (i) => {
      const px = (x[i] - across.start) * perX;
      const py = (up.end - y[i]) * perY;
      if (!(px >= 0 && px <= width && py >= 0 && py <= height)) return;
      for (const [dx, dy] of places(i, width - px)) {
        const [left, top] = [px + dx, py + dy - LINE / 2];
        const [right, bottom] = [left + widthOf(i), top + LINE];
        const free = ([l, r, t, b]) => right <= l || left >= r || bottom <= t || top >= b;
        if (!taken.every(free)) continue;
        taken.push([left, right, top, bottom]);
        shown.push([i, x[i] + dx / perX, y[i] - dy / perY]);
        return;
      }
    };
    lighted.forEach(put);
    for (let i = 0; i < n && shown.length < MOST_LABELS; i++) if (!isLit.has(i)) put(i);
    labels.data = {
      x: shown.map(([, left]) => left),
      y: shown.map(([, , middle]) => middle),
      name: shown.map(([i]) => texts[i]),
      style: shown.map(([i]) => (i === chosen ? "bold" : "normal")),
      alpha: shown.map(([i]) => (!lighted.length || isLit.has(i) ? 1 : 0.3)),
    };
  }
  let waiting = false;
  const thinSoon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      thin();
    });
  };

  /* ---- zoom ---- */

  function look(left, right, low, high) {
    plot.x_range.setv({ start: left, end: right });
    plot.y_range.setv({ start: low, end: high });
  }
  function zoom(factor) {
    const { x_range: across, y_range: up } = plot;
    const inside = chosen !== null;
    const cx = inside ? x[chosen] : (across.start + across.end) / 2;
    const cy = inside ? y[chosen] : (up.start + up.end) / 2;
    const w = ((across.end - across.start) * factor) / 2;
    const h = ((up.end - up.start) * factor) / 2;
    if (2 * w >= whole[1] - whole[0]) look(...whole);
    else look(cx - w, cx + w, cy - h, cy + h);
  }
  function bringIntoView(i) {
    const { x_range: across, y_range: up } = plot;
    if (x[i] < across.start || x[i] > across.end || y[i] < up.start || y[i] > up.end) {
      const w = (across.end - across.start) / 2;
      const h = (up.end - up.start) / 2;
      look(x[i] - w, x[i] + w, y[i] - h, y[i] + h);
    }
  }

  /* ---- what is chosen ---- */

  function light(some, first) {
    lighted = some;
    isLit = new Set(some);
    busy = true;
    source.selected.indices = [...some];
    busy = false;
    const ringed = first === null ? [] : some;
    lit.data = {
      x: ringed.map((i) => x[i]),
      y: ringed.map((i) => y[i]),
      size: ringed.map((i) => (i === first ? 15 : 9)),
    };
    thinSoon();
  }

  function wordButton(i, parent, more = "") {
    const button = element("button", names[i] + more, parent);
    button.type = "button";
    button.dir = "auto";
    button.addEventListener("click", () => {
      choose(i);
      if (!button.isConnected) part("word").focus({ preventScroll: true }); // its list is gone
    });
  }

  function showNear(i) {
    part("near").replaceChildren();
    const side = sideOf < 0 ? 0 : columns[sideOf].values[i];
    near.forEach((list, across) => {
      element("h3", data.titles[side][across], part("near"));
      const body = element("tbody", undefined, element("table", undefined, part("near")));
      body.parentNode.className = "terms near";
      for (let j = 0; j < list.k; j++) {
        const place = list.index[i * list.k + j];
        const cosine = list.cosine[i * list.k + j] / 127.5 - 1;
        const line = element("tr", undefined, body);
        const head = element("th", undefined, line);
        head.scope = "row";
        if (place < n) {
          wordButton(place, head);
        } else {
          const word = element("span", names[place], head);
          word.dir = "auto";
          word.title = "not in the map";
        }
        const bar = element("span", undefined, element("td", undefined, line));
        bar.className = "amount";
        const inner = element("span", undefined, bar);
        bar.style.width = "100%";
        inner.style.width = 100 * Math.max(cosine, 0) + "%";
        element("td", cosine.toFixed(2), line).className = "number";
      }
    });
  }

  function choose(i) {
    chosen = i;
    part("word").textContent = names[i];
    part("said").textContent = columns
      .map((c) => c.name + ": " + textOf(c, i))
      .join("; ");
    showNear(i);
    const around = new Set([i]);
    for (const list of near) {
      for (let j = 0; j < list.k; j++) {
        const place = list.index[i * list.k + j];
        if (place < n) around.add(place);
      }
    }
    bringIntoView(i);
    light([...around], i);
  }

  function clear() {
    chosen = null;
    part("word").textContent = "A word";
    part("said").textContent = "Tap a point, or search, to see the nearest words.";
    part("near").replaceChildren();
    light([], null);
  }

  function chooseCluster(g) {
    const members = [];
    for (let i = 0; i < n; i++) if (columns[clusterOf].values[i] === g) members.push(i);
    clear();
    part("word").textContent = "Cluster " + columns[clusterOf].words[g];
    part("said").textContent = members.length + " words of the map, the commonest first:";
    const list = element("ul", undefined, part("near"));
    list.className = "found-words";
    for (const i of members.slice(0, 60)) wordButton(i, element("li", undefined, list));
    look(...whole);
    light(members, null);
  }

  /* ---- search ---- */

  function find(text) {
    const wanted = text.trim().toLocaleLowerCase();
    const found = [[], [], []]; // the word itself, words that begin with it, others that have it
    for (let i = 0; wanted && i < n; i++) {
      const at = small[i].indexOf(wanted);
      if (at >= 0) found[small[i] === wanted ? 0 : at === 0 ? 1 : 2].push(i);
    }
    return found.flat();
  }
  function showFound() {
    const text = part("search").value;
    const found = find(text);
    part("found").replaceChildren();
    for (const i of found.slice(0, MOST_FOUND)) {
      const from = sideOf < 0 ? "" : " (" + textOf(columns[sideOf], i) + ")";
      wordButton(i, element("li", undefined, part("found")), from);
    }
    const more = found.length > MOST_FOUND ? " and " + (found.length - MOST_FOUND) + " more" : "";
    part("found-said").textContent = !text.trim()
      ? ""
      : found.length
        ? more
        : "There is no word “" + text.trim() + "” in the map.";
    return found;
  }

  /* ---- colours ---- */

  function recolor() {
    const c = columns[Number(part("color").value)];
    const shown = Array.from({ length: n }, (_, i) => c.name + ": " + textOf(c, i));
    source.data = { ...source.data, color: page.columns.colorsOf(c, data), shown };
    for (const e of document.querySelectorAll("[data-color-of]")) {
      if (e.dataset.colorOf === id) e.textContent = c.name;
    }
    page.columns.showLegend(part("legend"), c, data);
  }

  source.data = { ...source.data, label: names.slice(0, n) };
  recolor();
  clear();
  part("color").addEventListener("change", recolor);
  page.dark.addEventListener("change", recolor);
  part("search").addEventListener("input", showFound);
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const [first] = showFound();
    if (first !== undefined) choose(first);
  });
  part("in").addEventListener("click", () => zoom(0.6));
  part("out").addEventListener("click", () => zoom(1 / 0.6));
  part("whole").addEventListener("click", () => look(...whole));
  part("clear").addEventListener("click", () => {
    part("search").value = "";
    showFound();
    clear();
  });
  source.selected.connect(source.selected.properties.indices.change, () => {
    if (busy) return;
    const [i] = source.selected.indices;
    if (i === undefined) clear();
    else choose(i);
  });
  document.addEventListener("cluster", (event) => {
    chooseCluster(event.detail);
    part("word").scrollIntoView({ block: "center" });
  });
  for (const range of [plot.x_range, plot.y_range]) {
    for (const end of ["start", "end"]) range.connect(range.properties[end].change, thinSoon);
  }
  for (const side of ["inner_width", "inner_height"]) {
    plot.connect(plot.properties[side].change, thinSoon);
  }
  thin();

  const linked = names.indexOf(new URLSearchParams(location.hash.slice(1)).get("word"));
  if (linked >= 0 && linked < n) {
    choose(linked);
    part("word").scrollIntoView({ block: "center" });
  }
});
