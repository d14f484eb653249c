"""The pages of drawn rows, images and texts: their sections in the shell that all pages have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from lowdim.report.generate.figures import column_figure
from lowdim.report.generate.findings import ImageFindings, TableFindings
from lowdim.report.generate.measures import lines_of
from lowdim.report.generate.sides import Odd
from lowdim.report.generate.texts import WINDOW, TextFindings
from lowdim.report.generate.walls import MOST, some_of, wall
from lowdim.report.page import shell
from lowdim.report.page.account import script_section, steps_section
from lowdim.report.page.figures import heat_map, plain
from lowdim.report.page.map import map_body, map_data, point_map, point_source
from lowdim.report.page.parts import counted, drawing, percent, place, table
from lowdim.report.page.payload import packed_words
from lowdim.report.page.sections import MAP, Section, Tile
from lowdim.report.pictures.encoded import data_uri
from lowdim.selection.samples.judging import SampleQuality

MOST_COLUMNS = 40  # with a picture of their own
AXES = ("component 1", "component 2")
_IMAGE = Markup('<figure><img class="atoms" src="{}" alt="{}"><figcaption>{}</figcaption></figure>')
_ARTICLE = Markup('<article><h3>{}</h3><p class="document">{}</p></article>')


def table_page(found: TableFindings, script: str) -> str:
    """The page of a table."""
    sides = found.sides
    sections = [
        _quality(found.quality),
        _columns(found),
        _correlations(found),
        _table_map(found),
        _odd_rows(found),
        _steps(found.seconds, _table_steps(found)),
        script_section(script, "the measures"),
    ]
    n, m = len(sides.real), len(sides.drawn)
    return shell.html(
        shell.Page(
            title=f"{plain(found.name, 80)}: drawn rows beside real ones",
            subtitle=f"{counted(n, 'real row')}, {counted(m, 'drawn row')}, "
            f"{counted(len(found.columns), 'column')}",
            sections=sections,
        )
    )


def image_page(found: ImageFindings, script: str) -> str:
    """The page of images."""
    h, w = found.real.shape[1:3]
    sections = [
        _walls(found),
        _quality(found.quality, "picture"),
        _image_map(found),
        _odd_images(found),
        _steps(found.seconds, ["Images are compared by their first principal components."]),
        script_section(script, "the measures"),
    ]
    return shell.html(
        shell.Page(
            title=f"{plain(found.name, 80)}: drawn images beside real ones",
            subtitle=f"{counted(len(found.real), 'real image')}, "
            f"{counted(len(found.drawn), 'drawn image')}, {w} x {h} pixels",
            sections=sections,
        )
    )


def text_page(found: TextFindings, script: str) -> str:
    """The page of texts."""
    sections = [_texts(found), *_copied(found), _characters(found), script_section(script, "texts")]
    return shell.html(
        shell.Page(
            title=f"{plain(found.name, 80)}: written texts",
            subtitle=f"{counted(len(found.texts), 'text')} of "
            f"{counted(max(map(len, found.texts)), 'character')}",
            sections=sections,
        )
    )


# ---- measures ------------------------------------------------------------------------------------


def _quality(quality: SampleQuality, what: str = "row") -> Section:
    lines = lines_of(quality, what)
    lead = lines[0][3]
    body = table(["measure", "value#", "honest#", "what it says"], lines, "measures")
    body += Markup('<p class="muted">{}</p>').format(
        "“Honest” is what draws from the true distribution have. No measure says all: a sample "
        "that copies real rows looks good to all of them but “memorised”."
    )
    tile = Tile(f"{quality.c2st:.2f}", "told right by a discriminator; 0.5 is best")
    return Section(
        "measures", "How good they are", "Measures", lead, body, tile=tile, in_short=True
    )


# ---- rows ----------------------------------------------------------------------------------------


def _columns(found: TableFindings) -> Section:
    table_ = found.quality.columns
    worst = int(np.argmax(table_["wasserstein"]))
    lead = (
        f"The column that is farthest off is {plain(str(table_['column'][worst]), 40)}: its values "
        f"differ by {float(table_['wasserstein'][worst]):.2f} standard deviations on average."
    )
    figures, body = {}, Markup("")
    for j, shares in enumerate(found.shares[:MOST_COLUMNS]):
        name = f"column-{j}"
        figures[name] = column_figure(shares, name)
        body += Markup("<div><h3>{}</h3>{}</div>").format(plain(shares.name, 60), drawing(name))
    body = Markup('<p class="muted">{}</p><div class="pair">{}</div>').format(
        "Blue: real rows; orange: drawn rows.", body
    )
    if len(found.shares) > MOST_COLUMNS:
        body += Markup("<p>{}</p>").format(f"These are the first {MOST_COLUMNS} columns.")
    return Section("columns", "The columns", "Columns", lead, body, figures, in_short=True)


def _correlations(found: TableFindings) -> Section:
    both = found.correlations
    change = both.drawn - both.real
    a, b = np.unravel_index(np.argmax(np.abs(change)), change.shape)
    lead = (
        f"The correlation that changed most is that of {plain(both.names[a], 40)} and "
        f"{plain(both.names[b], 40)}: {both.real[a, b]:+.2f} in real rows, {both.drawn[a, b]:+.2f} "
        "in drawn ones."
        if len(both.names) > 1
        else "There is one column of numbers: nothing to correlate."
    )
    figures = {
        name: heat_map(values, both.names, both.names, name, "correlation")
        for name, values in (("real-correlations", both.real), ("drawn-correlations", both.drawn))
    }
    body = Markup('<div class="pair"><div><h3>Real</h3>{}</div><div><h3>Drawn</h3>{}</div></div>')
    return Section(
        "correlations",
        "Correlations",
        "Correlations",
        lead,
        body.format(*(place(name, "Blue: together; orange: opposite.") for name in figures)),
        figures,
    )


def _table_map(found: TableFindings) -> Section:
    n, m = len(found.sides.real), len(found.sides.drawn)
    rows = np.arange(n + m)
    columns = [_side(n, m), *(column.packed(rows) for column in found.columns)]
    return _map(found.plane, columns, "row", "rows")


def _map(plane: np.ndarray, columns: list, what: str, many: str) -> Section:
    data = map_data([plane[:, 0], plane[:, 1]], columns, first_compared=1, what=what)
    source = point_source("map", plane[:, 0], plane[:, 1])
    return Section(
        "map",
        "Both on one map",
        "Map",
        f"Where real {many} are and drawn ones are not, or the other way round, the model is "
        "wrong. Select points to compare them with the others.",
        map_body("map", data, AXES),
        {"map": point_map("map", source, AXES, what)},
        scripts=(MAP,),
        data=data,
    )


def _side(n: int, m: int) -> dict:
    place_ = np.repeat([0, 1], [n, m])
    return packed_words("side", place_, ["real", "drawn"], np.arange(n + m))


def _odd_rows(found: TableFindings) -> Section:
    n = len(found.sides.real)
    heads = ["row", "distance#", *(plain(column.name, 30) for column in found.columns)]
    heads = [heads[0], heads[1], *(head.removesuffix("#") for head in heads[2:])]
    lines = []
    for odd in found.odd:
        values = [plain(column.text(n + odd.row), 40) for column in found.columns]
        lines.append(
            [Markup("<b>drawn {}</b>").format(odd.row + 1), f"{odd.distance:.2f}", *values]
        )
        for i in odd.nearest:
            values = [plain(column.text(i), 40) for column in found.columns]
            lines.append([f"real, nearest to {odd.row + 1}", "", *values])
    return Section(
        "odd",
        "The oddest drawn rows",
        "Odd rows",
        "These drawn rows are farthest from any real one; below each are the real rows nearest to "
        "it, in standard deviations of the columns.",
        table(heads, lines, "odd rows"),
    )


def _table_steps(found: TableFindings) -> list[str]:
    steps = ["Columns became numbers as `lowdim.TableEncoder` makes them of real rows."]
    if found.sides.filled:
        steps.append(
            "For the measures, each drawn row was emptied where a real row is empty, and one model "
            "filled the empty cells of both sides."
        )
    return steps


def _steps(seconds: dict[str, float], steps: Sequence[str]) -> Section:
    return steps_section("What was done", "How this page was made.", steps, seconds)


# ---- images --------------------------------------------------------------------------------------


def _walls(found: ImageFindings) -> Section:
    some = some_of(found.real, min(len(found.drawn), MOST), 0)
    peak = float(some.max())
    parts = [
        _picture(wall(images, peak=peak), f"{what} images")
        for what, images in (("Drawn", found.drawn), ("Real", some))
    ]
    return Section(
        "walls",
        "Drawn and real",
        "Images",
        f"{counted(min(len(found.drawn), MOST), 'drawn image')}, and as many real ones.",
        Markup('<div class="pair">{}{}</div>').format(*parts),
    )


def _image_map(found: ImageFindings) -> Section:
    return _map(found.plane, [_side(len(found.real), len(found.drawn))], "picture", "images")


def _odd_images(found: ImageFindings) -> Section:
    peak = float(found.real.max())
    body = Markup("").join(_odd_image(odd, found, peak) for odd in found.odd)
    return Section(
        "odd",
        "The oddest drawn images",
        "Odd images",
        "To the left a drawn image that is far from any real one, to the right the real ones that "
        "are nearest to it.",
        Markup('<div class="pair">{}</div>').format(body),
    )


def _odd_image(odd: Odd, found: ImageFindings, peak: float) -> Markup:
    shown = np.concatenate([found.drawn[odd.row][None], found.real[odd.nearest]])
    return _picture(wall(shown, len(shown), peak), f"drawn image {odd.row + 1}, and the nearest")


def _picture(canvas: np.ndarray, caption: str) -> Markup:
    return _IMAGE.format(data_uri(canvas, 255.0), caption, caption)


# ---- texts ---------------------------------------------------------------------------------------


def _texts(found: TextFindings) -> Section:
    articles = [_ARTICLE.format(f"Text {i + 1}", text) for i, text in enumerate(found.texts)]
    if found.excerpt:
        articles.append(_ARTICLE.format("From the real text", found.excerpt))
    lead = f"{counted(len(found.texts), 'text')}, character by character."
    if found.bits is not None:
        lead += f" The model needs {found.bits:.2f} bits for a character of the real text."
    body = Markup('<div class="documents">{}</div>').format(Markup("").join(articles))
    return Section("texts", "The texts", "Texts", lead, body, in_short=True)


def _copied(found: TextFindings) -> list[Section]:
    if np.isnan(found.copied):
        return []
    lead = (
        f"{percent(found.copied)} of the pieces of {WINDOW} characters in these texts stand in the "
        "real text, letter by letter."
    )
    body = Markup("<p>{}</p>").format(
        "Few: the model writes by itself. Nearly all: it has learned the text by heart."
    )
    tile = Tile(percent(found.copied), f"of pieces of {WINDOW} characters are copies")
    return [Section("copies", "Copies", "Copies", lead, body, tile=tile, in_short=True)]


def _characters(found: TextFindings) -> Section:
    name = "characters"
    return Section(
        "characters-of-both",
        "Characters",
        "Characters",
        "How often the most frequent characters of the real text are there.",
        place(name, "Blue: the real text; orange: what was written."),
        {name: column_figure(found.characters, name)},
    )
