"use strict";
/* The typical documents of a topic. */
page.script("typical", (part) => {
  const data = page.shared("shown");
  const render = (z) => {
    part("topic").value = String(z);
    part("documents").replaceChildren();
    data.typical[z].forEach((i) => page.showDocument(part("documents"), i, data));
    if (!data.typical[z].length) page.element("p", "No document has much of it.", part("documents"));
  };
  const tell = (z) => document.dispatchEvent(new CustomEvent("topic", { detail: z }));
  part("topic").addEventListener("change", () => tell(Number(part("topic").value)));
  document.addEventListener("topic", (event) => render(event.detail));
  page.dark.addEventListener("change", () => render(Number(part("topic").value)));
  render(0);
});
