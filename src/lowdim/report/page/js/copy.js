"use strict";
/* A button that copies a text. */
page.script("copy", (part) => {
  part("copy").addEventListener("click", () => {
    navigator.clipboard.writeText(part("text").textContent).then(
      () => (part("copy").textContent = "Copied"),
      () => (part("copy").textContent = "Select the text and copy it"),
    );
  });
});
