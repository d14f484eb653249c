"use strict";
/* The words of a topic as bars, linked to the map of topics.

   relevance of a word w to topic z:  r log phi_zw + (1 - r) log(phi_zw / p_w)

   A word that is pressed changes the circles: then they are as large as the part of the word that
   each topic has. A topic that is chosen anywhere is told to the whole page: event "topic". */
page.script("terms", (part, data, drawn, id) => {
  const { element, unpack } = page;
  const overall = unpack(data.overall, Float32Array);
  const byTerm = unpack(data.byTerm, Uint8Array);
  const terms = data.terms.map((text) => unpack(text, Uint32Array));
  const phi = data.phi.map((text) => unpack(text, Float32Array));
  const k = data.names.length;
  const source = drawn ? drawn.get_model_by_name(id + "-points") : null;
  const sizes = source ? [...source.data.size] : [];
  const largest = Math.max(...sizes);
  let topic = 0;
  let pressed = null; // the word that the circles show

  const percent = (x) => (100 * x < 10 ? (100 * x).toFixed(1) : (100 * x).toFixed(0)) + " %";
  const count = (x) => Math.round(x).toLocaleString("en");

  function ranked() {
    const r = Number(part("relevance").value);
    const score = Array.from(terms[topic], (w, i) => {
      const p = phi[topic][i];
      return { w, p, score: Math.log(p) - (1 - r) * Math.log(overall[w]) };
    });
    return score.filter((t) => t.p > 0).sort((a, b) => b.score - a.score).slice(0, data.bars);
  }

  function showBars() {
    part("relevance-value").textContent = Number(part("relevance").value).toFixed(2);
    part("terms").replaceChildren();
    const shown = ranked();
    const most = Math.max(...shown.map((t) => overall[t.w]), 1e-30);
    for (const t of shown) {
      const here = t.p * data.shares[topic];
      const all = Math.max(overall[t.w], here);
      const line = element("tr", undefined, part("terms"));
      const word = element("button", data.words[t.w], element("th", undefined, line));
      word.type = "button";
      word.dir = "auto";
      word.setAttribute("aria-pressed", String(pressed === t.w));
      word.addEventListener("click", () => press(pressed === t.w ? null : t.w));
      const cell = element("td", undefined, line);
      const bar = element("span", undefined, cell);
      bar.className = "amount";
      const inner = element("span", undefined, bar);
      bar.style.width = (100 * all) / most + "%";
      inner.style.width = (100 * here) / all + "%";
      const said = count(here * data.total) + " of " + count(all * data.total);
      element("td", said, line).className = "number";
    }
  }

  function press(word) {
    pressed = word;
    if (source) {
      const size = word === null
        ? sizes
        : Array.from({ length: k }, (_, z) => Math.max(3, largest * Math.sqrt(byTerm[word * k + z] / 255)));
      source.data = { ...source.data, size };
    }
    part("said").textContent = word === null
      ? "Press a word to see which topics have it."
      : "Circles are as large as the part of “" + data.words[word] + "” that each topic has.";
    showBars();
  }

  function choose(j) {
    topic = j;
    part("topic").value = String(j);
    part("chosen").textContent = "Topic " + (j + 1) + ": " + data.names[j];
    part("share").textContent = percent(data.shares[j]) + " of all words";
    part("before").disabled = j === 0;
    part("after").disabled = j === k - 1;
    if (source && source.selected.indices[0] !== j) source.selected.indices = [j];
    showBars();
  }
  const tell = (j) => document.dispatchEvent(new CustomEvent("topic", { detail: j }));

  document.addEventListener("topic", (event) => choose(event.detail));
  part("topic").addEventListener("change", () => tell(Number(part("topic").value)));
  part("before").addEventListener("click", () => tell(Math.max(0, topic - 1)));
  part("after").addEventListener("click", () => tell(Math.min(k - 1, topic + 1)));
  part("relevance").addEventListener("input", showBars);
  if (source) {
    source.selected.connect(source.selected.properties.indices.change, () => {
      const [j] = source.selected.indices;
      if (j !== undefined && j !== topic) tell(j);
    });
  }
  for (const button of document.querySelectorAll("[data-topic]")) {
    button.addEventListener("click", () => {
      tell(Number(button.dataset.topic));
      part("chosen").scrollIntoView({ block: "center" });
    });
  }
  press(null);
  choose(0);
});
