"use strict";
/* bokeh's figures: drawn into the page, and repainted for light and dark. */
(() => {
  const { dark } = page;

  /* A colour, a third of the way to white on a dark page. */
  page.toned = (hex) => {
    if (!dark.matches) return hex;
    const part = (k) => parseInt(hex.slice(k, k + 2), 16);
    return "#" + [1, 3, 5]
      .map((k) => Math.round(part(k) + (255 - part(k)) / 3).toString(16).padStart(2, "0"))
      .join("");
  };
  const firstColors = new Map(); // of toned sources, as the file has them

  function paint(drawn) {
    const ink = dark.matches ? "#d7dae0" : "#33373d";
    const line = dark.matches ? "#5a616c" : "#b5bac2";
    const grid = dark.matches ? "#333944" : "#e4e6ea";
    for (const model of drawn._all_models.values()) {
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
        model.data = { ...model.data, color: firstColors.get(model).map(page.toned) };
      }
    }
  }

  page.draw = async () => {
    const { document: made, places } = page.json("figures");
    const item = { docid: "page", roots: places, root_ids: Object.keys(places) };
    const before = Bokeh.documents.length;
    await Bokeh.embed.embed_items({ page: made }, [item]);
    const drawn = Bokeh.documents[before];
    paint(drawn);
    dark.addEventListener("change", () => paint(drawn));
    return drawn;
  };
})();
