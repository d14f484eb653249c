"use strict";
/* What every page can do. Text of a table only ever becomes text nodes, never markup.

   A script registers what it does with a section:  page.script(name, (part, data, drawn, id) => ...).
   It is called once for each section that names it, with
     part(name)   the element whose id is "<section>-<name>"
     data         the section's data
     drawn        bokeh's document of all figures; null on a page without
     id           of the section
   When all are done the document element has data-ready="yes". */
const page = (() => {
  const scripts = new Map();
  const byId = (id) => document.getElementById(id);
  const json = (id) => (byId(id) ? JSON.parse(byId(id).textContent) : null);

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
  const date = (days) => new Date(Math.round(days) * 864e5).toISOString().slice(0, 10);

  const shared = (name) => json("shared-" + name);
  let rowNames; // of all rows; null: rows go by their numbers
  const rowName = (row) => {
    if (rowNames === undefined) rowNames = shared("row-names");
    return rowNames ? rowNames[row] : String(row);
  };

  async function start() {
    let drawn = null;
    try {
      drawn = own.draw ? await own.draw() : null;
    } catch (error) {
      console.error(error);
    }
    for (const section of document.querySelectorAll("section[data-scripts]")) {
      const part = (name) => byId(section.id + "-" + name);
      for (const name of section.dataset.scripts.split(" ")) {
        try {
          await scripts.get(name)(part, json(section.id + "-data"), drawn, section.id);
        } catch (error) { // the other sections still start
          console.error(error);
        }
      }
    }
    document.documentElement.dataset.ready = "yes";
  }
  document.addEventListener("DOMContentLoaded", start);

  const own = {
    byId,
    json,
    shared,
    rowName,
    unpack,
    element,
    number,
    date,
    dark: window.matchMedia("(prefers-color-scheme: dark)"),
    script: (name, begin) => scripts.set(name, begin),
    draw: null, // set by figures.js: draws them, and gives bokeh's document
  };
  return own;
})();
