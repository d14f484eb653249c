"use strict";
/* Pairs of words as arrows, a relation at a time. */
page.script("arrows", (part, data, drawn) => {
  const source = drawn.get_model_by_name("analogies-arrows");
  const plot = drawn.get_model_by_name("analogies-plot");

  function fit(range, values) {
    const low = Math.min(...values);
    const high = Math.max(...values);
    const room = 0.1 * (high - low) || 1;
    range.setv({ start: low - room, end: high + room });
  }
  function show() {
    const relation = data.relations[Number(part("relation").value)];
    const columns = relation.columns;
    source.data = { ...columns, color: columns.color.map(page.toned) };
    fit(plot.x_range, [...columns.x0, ...columns.x1]);
    fit(plot.y_range, [...columns.y0, ...columns.y1]);
    const some = columns.x0.length;
    part("said").textContent =
      (some < relation.known ? "The " + some + " commonest of " + relation.known : String(some)) +
      " pairs; agreement " + (relation.agreement < 0 ? "−" : "+") +
      Math.abs(relation.agreement).toFixed(2) + " on average.";
  }
  part("relation").addEventListener("change", show);
  page.dark.addEventListener("change", show);
  show();
});
