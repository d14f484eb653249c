"use strict";
/* A search in the names and beginnings of documents; what is found can be shown in the map. */
page.script("search", (part, data, drawn, id) => {
  const { element } = page;
  const texts = page.shared("excerpts") || [];
  const plain = (text) => text.toLocaleLowerCase();
  const source = drawn ? drawn.get_model_by_name(id + "-points") : null;
  const drawnAt = data.rows ? new Map(Array.from(page.unpack(data.rows, Uint32Array), (r, i) => [r, i])) : null;
  part("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const words = plain(part("words").value).split(/\s+/).filter((word) => word);
    part("found").replaceChildren();
    const found = [];
    let n = 0;
    for (let i = 0; words.length && i < data.total; i++) {
      const text = plain(page.rowName(i) + " " + (texts[i] || ""));
      if (!words.every((word) => text.includes(word))) continue;
      n += 1;
      if (found.length < 20) found.push(i);
    }
    part("found-said").textContent = words.length
      ? n + " of " + data.total + " documents" + (n > 20 ? "; the first 20:" : n ? ":" : ".")
      : "";
    for (const i of found) {
      const button = element("button", page.rowName(i), element("li", undefined, part("found")));
      button.type = "button";
      button.dir = "auto";
      const said = element("span", texts[i] || "", button.parentNode);
      said.dir = "auto";
      button.addEventListener("click", () => {
        const at = drawnAt ? drawnAt.get(i) : i;
        if (source && at !== undefined) source.selected.indices = [at];
        else part("said").textContent = "This document is not in the map.";
      });
    }
  });
});
