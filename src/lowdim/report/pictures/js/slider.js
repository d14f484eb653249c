"use strict";
/* Before and after, one over the other: the slider says how much of the first is seen. */
page.script("slider", (part) => {
  const before = part("before"), slider = part("slider"), flip = part("flip"), line = part("line");
  const show = (share) => {
    before.style.clipPath = "inset(0 " + (100 - share) + "% 0 0)";
    line.style.left = share + "%";
  };
  slider.addEventListener("input", () => {
    flip.setAttribute("aria-pressed", "false");
    show(Number(slider.value));
  });
  flip.addEventListener("click", () => {
    const on = flip.getAttribute("aria-pressed") !== "true";
    flip.setAttribute("aria-pressed", String(on));
    slider.value = on ? "100" : "0";
    show(on ? 100 : 0);
  });
  show(Number(slider.value));
});
