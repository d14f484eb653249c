"""A small page about nothing, whose every text tries to be markup."""

import numpy as np
from markupsafe import Markup

from lowdim.report.page import figures, map, parts, shell
from lowdim.report.page.payload import packed_numbers, packed_words
from lowdim.report.page.sections import COPY, MAP, TABLE, Section, Tile
from tests.report.samples import HOSTILE, MATH

LONG = f"long {HOSTILE}"  # an id, of a section and of what is in it
LINES = [
    [[f"{HOSTILE} {i}", "first"] for i in range(20)],
    [[f'"{i}", quoted', "second"] for i in range(9)],
]


def words_section():
    body = parts.table([HOSTILE, "count#"], [(HOSTILE, 7), ("sun", 5)] * 40, HOSTILE)
    tile = Tile("2", HOSTILE)
    return Section("words", HOSTILE, HOSTILE, HOSTILE, body, tile=tile, in_short=True)


def long_section():
    body = parts.long_table(LONG, ["line", "group"], [HOSTILE, "second"], "Group", HOSTILE)
    data = {"groups": LINES, "heads": ["line", "group"], "file": "lines.csv"}
    return Section(LONG, "Long", "Long", "Many lines.", body, scripts=(TABLE,), data=data)


def drawn_section():
    names = [HOSTILE, MATH, "x"]
    drawn = figures.heat_map(np.eye(3), names, names, "heat", HOSTILE)
    body = parts.place(HOSTILE, HOSTILE)
    return Section("drawn", "Drawn", "Drawn", "A picture.", body, {HOSTILE: drawn})


def map_section():
    rows = np.arange(60)
    words = packed_words(HOSTILE, np.where(rows == 3, -1, rows % 2), [HOSTILE, "right"], rows)
    values = packed_numbers("value", np.where(rows == 3, np.nan, rows), rows)
    x, y = np.cos(rows), np.sin(rows) + 3 * (rows % 2)
    axes = ["one", HOSTILE]
    data = map.map_data([x, y], [words, values])
    source = map.point_source("map", x, y)
    drawn = {"map": map.point_map("map", source, axes), "small": map.small_map(source)}
    body = map.map_body("map", data, axes, note=HOSTILE)
    return Section("map", "Map", "Map", "Points.", body, drawn, scripts=(MAP,), data=data)


def text_section():
    body = parts.copyable("text", HOSTILE)
    return Section("text", "Text", "Text", "To copy.", body, scripts=(COPY,))


def small_page():
    """All that a page can have."""
    glance = Markup("<figure>{}<figcaption>By {}</figcaption></figure>").format(
        parts.drawing("small"), map.color_name("map", "?")
    )
    sections = [
        words_section(), long_section(), drawn_section(), map_section(), text_section()
    ]  # fmt: skip
    names = {"row-names": [f"row <i>{i}</i>" for i in range(60)], HOSTILE: HOSTILE}
    return shell.Page(HOSTILE, HOSTILE, sections, glance, names)
