"use strict";
/* The filled values: what each probably is, and how sure that is. */
(() => {
  const { unpack, date, rowName } = page;

  const unpacked = (c) => ({
    ...c,
    rows: unpack(c.rows, Uint32Array),
    value: unpack(c.value, c.words ? Uint16Array : Float32Array),
    low: unpack(c.low, Float32Array),
    high: c.high === null ? null : unpack(c.high, Float32Array), // null: low is a probability
  });

  function shown(column, x, digits) {
    if (column.words) return column.words[x];
    if (column.date) return date(x);
    return String(column.whole ? x : Number(x.toPrecision(digits)));
  }

  function line(column, i) {
    const show = (x) => shown(column, x, 4);
    const start = [rowName(column.rows[i]), column.name, show(column.value[i])];
    if (column.high === null) {
      const share = column.low[i];
      return [...start, share > 0.99 ? "over 99 % sure" : (100 * share).toFixed(0) + " % sure"];
    }
    const [low, high] = [show(column.low[i]), show(column.high[i])];
    return [...start, low === high ? low : low + " to " + high];
  }

  function csvLine(column, i) {
    const show = (x) => shown(column, x, 6);
    const rest = column.high === null
      ? ["", "", column.low[i].toFixed(3)]
      : [show(column.low[i]), show(column.high[i]), ""];
    return [rowName(column.rows[i]), column.name, show(column.value[i]), ...rest];
  }

  page.script("filled", (part, data) => {
    const groups = data.columns.map(unpacked).map((column) => ({
      length: column.rows.length,
      line: (i) => line(column, i),
      csv: (i) => csvLine(column, i),
    }));
    page.longTable(part, groups, {
      file: "filled-values.csv",
      heads: ["row", "column", "value", "low", "high", "probability"],
    });
  });
})();
