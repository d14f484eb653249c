"use strict";
/* A document: its name, its topics with their colours, and its beginning with coloured words. */
(() => {
  const { element } = page;

  page.showDocument = (parent, i, data) => {
    const found = data.documents[String(i)];
    const box = element("article", undefined, parent);
    const name = element("h3", page.rowName(i), box);
    name.dir = "auto";
    const colors = new Map();
    const legend = element("ul", undefined, box);
    legend.className = "legend";
    found.topics.forEach(([z, share], at) => {
      colors.set(z, data.palette[at % data.palette.length]);
      const item = element("li", undefined, legend);
      element("span", undefined, item).style.background = page.toned(colors.get(z));
      const text = (100 * share).toFixed(0) + " % " + (z + 1) + " " + data.names[z];
      item.appendChild(document.createTextNode(text));
    });
    const text = element("p", undefined, box);
    text.className = "document";
    text.dir = "auto";
    for (const [piece, z] of found.pieces) {
      if (!colors.has(z)) {
        text.appendChild(document.createTextNode(piece));
        continue;
      }
      const word = element("span", piece, text);
      word.className = "word";
      word.title = z + 1 + " " + data.names[z];
      word.style.backgroundColor = page.toned(colors.get(z)) + "4d";
    }
  };
})();
