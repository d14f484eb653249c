"use strict";
/* Buttons that light a cluster in the map of words. */
page.script("clusters", (part, data, drawn, id) => {
  for (const button of page.byId(id).querySelectorAll("[data-cluster]")) {
    button.addEventListener("click", () => {
      const detail = Number(button.dataset.cluster);
      document.dispatchEvent(new CustomEvent("cluster", { detail }));
    });
  }
});
