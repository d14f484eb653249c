"use strict";
/* A long table, some lines at a time, which can be downloaded.

   A section that names this script has data {groups: [[line, ...], ...], heads, file}, where a line
   is a list of texts. Another script may call page.longTable(part, groups, csv) with
     groups   of lines: {length, line(i), csv(i)}, both lists of texts
     csv      {file, heads} of the download */
(() => {
  const { element } = page;
  const SIZE = 15; // lines at a time

  page.longTable = (part, groups, csv) => {
    let first = 0;
    const render = () => {
      const chosen = part("group").value;
      const shown = chosen === "" ? groups : [groups[Number(chosen)]];
      const total = shown.reduce((sum, group) => sum + group.length, 0);
      first = Math.max(0, Math.min(first, total - 1));
      part("values").replaceChildren();
      let skip = first;
      let left = SIZE;
      for (const group of shown) {
        for (let i = skip; i < group.length && left > 0; i++, left--) {
          const line = element("tr", undefined, part("values"));
          group.line(i).forEach((text) => element("td", text, line));
        }
        skip = Math.max(0, skip - group.length);
      }
      const last = Math.min(first + SIZE, total);
      part("place").textContent = first + 1 + " to " + last + " of " + total;
      part("before").disabled = first === 0;
      part("after").disabled = last >= total;
    };
    const step = (lines) => () => {
      first += lines;
      render();
    };
    part("group").addEventListener("change", () => {
      first = 0;
      render();
    });
    part("before").addEventListener("click", step(-SIZE));
    part("after").addEventListener("click", step(SIZE));
    part("download").addEventListener("click", () => download(csv.file, csvText(groups, csv.heads)));
    render();
  };

  const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  function csvText(groups, heads) {
    const lines = [heads];
    for (const group of groups) {
      for (let i = 0; i < group.length; i++) lines.push(group.csv(i));
    }
    return lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  }

  function download(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  page.script("table", (part, data) => {
    const groups = data.groups.map((lines) => {
      const line = (i) => lines[i];
      return { length: lines.length, line, csv: line };
    });
    page.longTable(part, groups, data);
  });
})();
