"""The pictures of pages in docs/images, taken by chromium without a window.

python docs/screenshots.py [chromium]

Those of `lowdim topics` and `lowdim words` need wikipedia_sample.txt.gz in the folder that
LOWDIM_DATA names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import lowdim

IMAGES = Path(__file__).parent / "images"
DARK = "--blink-settings=preferredColorScheme=0"
COLORS = 200  # of a picture: smaller files, and no eye sees the difference
LONGEST = 60  # seconds for a picture


def main(chromium: str) -> None:
    with TemporaryDirectory() as folder:
        with as_file(files("lowdim.datasets") / "data" / "penguins.csv") as table:
            report = lowdim.explore(table, target="species")
            maps = lowdim.map_table(table, target="species")
        page = Path(folder) / "page.html"
        maps.save(page)
        take(chromium, page, "maps.png", (1360, 1280), part="maps")
        take(chromium, page, "maps-changes.png", (1360, 900), part="changes", settings=[DARK])
        report.save(page)
        take(chromium, page, "explore.png", (1360, 760))
        take(chromium, page, "explore-map.png", (1360, 860), part="map", settings=[DARK])
        take(chromium, page, "explore-clusters.png", (1360, 840), part="clusters")
        corpus = Path(os.environ.get("LOWDIM_DATA", "")) / "wikipedia_sample.txt.gz"
        if corpus.is_file():
            lowdim.topics(corpus, 50).save(page)
            take_topics(chromium, page)
            vectors = lowdim.PMIVectors(100, random_state=0).fit(corpus).wv
            lowdim.words(vectors, name="Wikipedia").save(page)
            take_words(chromium, page)
    for picture in sorted(IMAGES.glob("*.png")):
        print(f"{picture}: {picture.stat().st_size // 1000} KB")


def take_topics(chromium: str, page: Path) -> None:
    take(chromium, page, "topics.png", (1360, 700))
    take(chromium, page, "topics-words.png", (1360, 1260), part="topics")
    take(chromium, page, "topics-map.png", (1360, 960), part="documents", settings=[DARK])


def take_words(chromium: str, page: Path) -> None:
    take(chromium, page, "words.png", (1360, 700))
    take(chromium, page, "words-map.png", (1360, 960), part="map", link="#word=river")
    take(chromium, page, "words-arrows.png", (1360, 800), part="analogies")


def take(
    chromium: str,
    page: Path,
    name: str,
    size: tuple[int, int],
    part: str = "",
    link: str = "",
    settings: list[str] | None = None,
) -> None:
    """A picture of the page, from the top or from one of its sections."""
    shown = page
    if part:  # chromium takes the picture before it scrolls: put the section at the top instead
        shown = page.with_name(f"{part}.html")
        style = f"<style>header, nav, section:not(#{part}) {{ display: none }}</style></head>"
        text = page.read_text(encoding="utf-8").replace("</head>", style, 1)
        shown.write_text(text, encoding="utf-8")
    raw = page.with_name(name)
    command = [
        chromium,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={page.parent / 'profile'}",
        "--virtual-time-budget=6000",
        f"--window-size={size[0]},{size[1]}",
        *(settings or []),
        f"--screenshot={raw}",
        shown.as_uri() + link,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=LONGEST)
    with Image.open(raw) as picture:
        few = picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
        few.save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    found = [*sys.argv[1:], shutil.which("chromium"), shutil.which("chromium-browser")]
    browser = next((path for path in found if path), None)
    if browser is None:
        sys.exit("There is no chromium; install it, or give its path.")
    main(browser)
