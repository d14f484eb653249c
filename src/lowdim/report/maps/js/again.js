"use strict";
/* Maps made again with something changed: small, in the colours and the selection of the maps above. */
(() => {
  page.script("again", (part, data) => {
    const { unpack } = page;
    const groups = data.changes.map((change, j) => ({
      title: change.title,
      rows: unpack(change.rows, Uint32Array),
      views: change.maps.map((m, at) =>
        page.points(part("map-" + j + "-" + at), null, unpack(m.x, Float32Array), unpack(m.y, Float32Array), null)),
    }));
    page.linked.follow(({ colors, titles, inside }) => {
      for (const group of groups) {
        const all = colors[titles.indexOf(group.title)];
        const own = Uint32Array.from(group.rows, (i) => all[i]);
        const within = inside ? Uint8Array.from(group.rows, (i) => inside[i]) : null;
        for (const view of group.views) view.paint(own, within);
      }
    });
  });
})();
