"use strict";
/* Points on a canvas, drawn pixel by pixel: 100,000 of them in some hundredths of a second, without
   WebGL. Two canvases lie on each other: points below; rings, lines and the lasso above.

     const map = page.points(below, above, x, y, density)
     map.paint(colors, inside)    colours as numbers (see `page.rgb`); inside: 1 for points that are
                                  selected, null if none are
     map.mark(rows, lines)        rings around rows, and lines between pairs of them
     map.at(i), map.whole(), map.zoom(factor), map.shift(x, y)
     map.hits(polygon), map.nearest(px, py, radius)                in pixels of the page
   `above` and `density` may be null. */
(() => {
  const { dark } = page;
  const MARGIN = 14; // pixels around all points of a whole map

  const colorNumbers = new Map();
  /* "#rrggbb" as a number. */
  page.rgb = (hex) => {
    let found = colorNumbers.get(hex);
    if (found === undefined) colorNumbers.set(hex, (found = parseInt(hex.slice(1), 16)));
    return found;
  };
  const pageColor = () => (dark.matches ? [0x15, 0x18, 0x1d] : [255, 255, 255]);
  const ink = () => (dark.matches ? "#e4e7ec" : "#1f2328");

  /* The pixels of a disc: steps to the right and down, and how much of each is covered. */
  function disc(radius) {
    const pixels = [];
    const reach = Math.ceil(radius);
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const cover = Math.min(1, radius + 0.5 - Math.hypot(dx, dy));
        if (cover > 0) pixels.push([dx, dy, cover]);
      }
    }
    return pixels;
  }

  function extent(x, y) {
    const box = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < x.length; i++) {
      if (x[i] < box[0]) box[0] = x[i];
      if (x[i] > box[1]) box[1] = x[i];
      if (y[i] < box[2]) box[2] = y[i];
      if (y[i] > box[3]) box[3] = y[i];
    }
    return box;
  }

  /* Shades of a grid as a picture. */
  function shadePicture(density) {
    const shades = page.unpack(density.shades, Uint8Array);
    const picture = document.createElement("canvas");
    picture.width = picture.height = density.cells;
    const context = picture.getContext("2d");
    const image = context.createImageData(density.cells, density.cells);
    const [r, g, b] = dark.matches ? [150, 160, 175] : [120, 130, 145];
    for (let i = 0; i < shades.length; i++) {
      const row = density.cells - 1 - Math.floor(i / density.cells);
      image.data.set([r, g, b, 0.6 * shades[i]], 4 * (row * density.cells + (i % density.cells)));
    }
    context.putImageData(image, 0, 0);
    return picture;
  }

  page.points = (below, above, x, y, density) => {
    const n = x.length;
    const context = below.getContext("2d", { willReadFrequently: true });
    const over = above ? above.getContext("2d") : null;
    const box = density
      ? [density.x, density.x + density.size, density.y, density.y + density.size]
      : extent(x, y);
    const size = Math.max(box[1] - box[0], box[3] - box[2]) || 1;
    const home = [(box[0] + box[1]) / 2, (box[2] + box[3]) / 2];
    let [cx, cy, near] = [...home, 1]; // the middle of the window, and how near it is
    let side = 0; // of the canvas, in its own pixels
    let ratio = 1; // of them to one pixel of the page
    let colors = null;
    let inside = null;
    let [rings, lines, outline] = [[], [], null];
    let waiting = false;

    const perUnit = () => (near * (side - 2 * MARGIN * ratio)) / size;
    const px = (i) => side / 2 + (x[i] - cx) * perUnit();
    const py = (i) => side / 2 - (y[i] - cy) * perUnit();

    function measure() {
      ratio = window.devicePixelRatio || 1;
      side = Math.max(1, Math.round(below.clientWidth * ratio));
      for (const canvas of above ? [below, above] : [below]) {
        if (canvas.width !== side) canvas.width = canvas.height = side;
      }
    }

    /* The more points, the smaller and the fainter. */
    const radius = () =>
      ratio * Math.min(Math.max((below.clientWidth / 380) * (26 / n ** 0.3), 0.8), 4) *
      Math.min(near, 4) ** 0.3;
    const alpha = () => Math.min(Math.max(12 / n ** 0.35, 0.25), 0.85);

    function blend(data, pixels, wanted, a) {
      const grey = dark.matches ? 0x56 : 0xc3;
      const paled = wanted === 0 ? (part) => 0.75 * grey + 0.25 * part : (part) => part;
      for (let i = 0; i < n; i++) {
        if (wanted !== -1 && (inside ? inside[i] : 1) !== wanted) continue;
        const atX = Math.round(px(i));
        const atY = Math.round(py(i));
        if (!(atX > -9 && atY > -9 && atX < side + 9 && atY < side + 9)) continue;
        const color = colors[i];
        const r = paled(color >> 16);
        const g = paled((color >> 8) & 255);
        const b = paled(color & 255);
        for (let k = 0; k < pixels.length; k++) {
          const spot = pixels[k];
          const u = atX + spot[0];
          const v = atY + spot[1];
          if (u < 0 || v < 0 || u >= side || v >= side) continue;
          const p = 4 * (v * side + u);
          const t = a * spot[2];
          data[p] += t * (r - data[p]);
          data[p + 1] += t * (g - data[p + 1]);
          data[p + 2] += t * (b - data[p + 2]);
        }
      }
    }

    let picture = null; // of the density
    function drawBelow() {
      context.fillStyle = `rgb(${pageColor().join()})`;
      context.fillRect(0, 0, side, side);
      if (density) {
        picture = picture || shadePicture(density);
        const left = side / 2 + (density.x - cx) * perUnit();
        const top = side / 2 - (density.y + density.size - cy) * perUnit();
        context.drawImage(picture, left, top, density.size * perUnit(), density.size * perUnit());
      }
      if (!colors) return;
      const image = context.getImageData(0, 0, side, side);
      const pixels = disc(radius());
      if (inside) {
        blend(image.data, pixels, 0, alpha() / 2);
        blend(image.data, pixels, 1, Math.max(alpha(), 0.6));
      } else {
        blend(image.data, pixels, -1, alpha());
      }
      context.putImageData(image, 0, 0);
    }

    function drawAbove() {
      if (!over) return;
      over.clearRect(0, 0, side, side);
      over.strokeStyle = over.fillStyle = ink();
      over.lineWidth = 1.2 * ratio;
      over.globalAlpha = 0.75;
      over.beginPath();
      for (const [i, j] of lines) {
        over.moveTo(px(i), py(i));
        over.lineTo(px(j), py(j));
      }
      over.stroke();
      over.globalAlpha = 1;
      over.lineWidth = 2 * ratio;
      for (const i of rings) {
        over.beginPath();
        over.arc(px(i), py(i), radius() + 3 * ratio, 0, 2 * Math.PI);
        over.stroke();
      }
      if (outline && outline.length > 1) {
        over.lineWidth = 1.5 * ratio;
        over.beginPath();
        outline.forEach(([u, v], k) => over[k ? "lineTo" : "moveTo"](u * ratio, v * ratio));
        over.closePath();
        over.globalAlpha = 0.1;
        over.fill();
        over.globalAlpha = 1;
        over.stroke();
      }
    }

    let pointsToo = true;
    function draw(points = true) {
      pointsToo = pointsToo || points;
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        measure();
        if (pointsToo) drawBelow();
        pointsToo = false;
        drawAbove();
      });
    }

    dark.addEventListener("change", () => {
      picture = null;
      draw();
    });
    new ResizeObserver(() => draw()).observe(below);
    measure();

    return {
      paint(newColors, newInside) {
        [colors, inside] = [newColors, newInside];
        draw();
      },
      mark(newRings, newLines) {
        [rings, lines] = [newRings, newLines];
        draw(false);
      },
      outline(polygon) {
        outline = polygon;
        draw(false);
      },
      whole() {
        [cx, cy, near] = [...home, 1];
        draw();
      },
      /* Towards a place of the canvas, in pixels of the page; its middle by default. */
      zoom(factor, u = side / ratio / 2, v = side / ratio / 2) {
        const before = perUnit();
        near = Math.min(Math.max(near * factor, 0.5), 400);
        const moved = 1 / before - 1 / perUnit();
        cx += (u * ratio - side / 2) * moved;
        cy -= (v * ratio - side / 2) * moved;
        draw();
      },
      shift(u, v) {
        cx -= (u * ratio) / perUnit();
        cy += (v * ratio) / perUnit();
        draw();
      },
      at: (i) => [px(i) / ratio, py(i) / ratio],
      nearest(u, v, most) {
        let best = -1;
        let least = (most * ratio) ** 2;
        for (let i = 0; i < n; i++) {
          const d = (px(i) - u * ratio) ** 2 + (py(i) - v * ratio) ** 2;
          if (d <= least) [best, least] = [i, d];
        }
        return best;
      },
      /* The points within a polygon: a ray to the right crosses its sides an odd number of times. */
      hits(polygon) {
        const found = [];
        const corners = polygon.map(([u, v]) => [u * ratio, v * ratio]);
        for (let i = 0; i < n; i++) {
          const [u, v] = [px(i), py(i)];
          let odd = false;
          for (let a = 0, b = corners.length - 1; a < corners.length; b = a++) {
            const [p, q] = [corners[a], corners[b]];
            if (p[1] > v !== q[1] > v && u < ((q[0] - p[0]) * (v - p[1])) / (q[1] - p[1]) + p[0]) {
              odd = !odd;
            }
          }
          if (odd) found.push(i);
        }
        return found;
      },
    };
  };

  /* What a pointer and the keyboard do on a map.
       does.tool()                  "lasso", "box" or "move"
       does.select(rows, add)       an outline was drawn around these
       does.tap(row, add)           -1: beside all points
       does.hover(row, event), does.clear() */
  page.steer = (canvas, map, does) => {
    let path = null;
    let last = null;
    let moved = false;
    const place = (event) => {
      const area = canvas.getBoundingClientRect();
      return [event.clientX - area.left, event.clientY - area.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      last = place(event);
      path = [last];
      moved = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      const here = place(event);
      if (!path) {
        does.hover(map.nearest(...here, 8), event);
        return;
      }
      if (Math.hypot(here[0] - path[0][0], here[1] - path[0][1]) > 4) moved = true;
      if (!moved) return;
      if (does.tool() === "move") map.shift(here[0] - last[0], here[1] - last[1]);
      else if (does.tool() === "box") {
        const [a, b] = path[0];
        path = [[a, b], [here[0], b], here, [a, here[1]]];
        map.outline(path);
      } else {
        path.push(here);
        map.outline(path);
      }
      last = here;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!path) return;
      const drawn = path;
      path = null;
      map.outline(null);
      if (!moved) does.tap(map.nearest(...place(event), 8), event.shiftKey);
      else if (does.tool() !== "move") does.select(map.hits(drawn), event.shiftKey);
    });
    canvas.addEventListener("pointercancel", () => {
      path = null;
      map.outline(null);
    });
    canvas.addEventListener("pointerleave", () => does.hover(-1, null));
    canvas.addEventListener("wheel", (event) => {
      if (does.tool() !== "move" && !event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      map.zoom(Math.exp(-event.deltaY / 400), ...place(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const step = 40;
      const keys = {
        ArrowLeft: () => map.shift(step, 0),
        ArrowRight: () => map.shift(-step, 0),
        ArrowUp: () => map.shift(0, step),
        ArrowDown: () => map.shift(0, -step),
        "+": () => map.zoom(1.4),
        "=": () => map.zoom(1.4),
        "-": () => map.zoom(1 / 1.4),
        0: () => map.whole(),
        Escape: () => does.clear(),
      };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  };
})();
