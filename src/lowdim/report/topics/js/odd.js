"use strict";
/* The odd documents. */
page.script("odd", (part) => {
  const data = page.shared("shown");
  data.odd.forEach((i) => page.showDocument(part("documents"), i, data));
});
