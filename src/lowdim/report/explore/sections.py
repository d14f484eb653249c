"""The sections of the page: a title, one sentence that says what was found, pictures and tables.

Text from the table is put into markup by `Markup.format` only, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from lowdim.report.compare_table import Comparison
from lowdim.report.explore import figures
from lowdim.report.explore.columns import Encoded
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.missingness import Pattern
from lowdim.report.explore.payload import (
    MAP_ROWS,
    MOST_COORDINATES,
    filled_payload,
    filled_shown,
    json_script,
    map_columns,
    map_payload,
    map_rows,
)

MOST_LISTED = 400  # columns in the table of columns
MOST_TOP = 5  # variables named for a factor
LEAST_CONTRAST = 0.4  # standard deviations from which a cluster's column is worth a word
LARGEST_CONTRAST = 2.0  # opaque in the heat map


@dataclass(frozen=True)
class Section:
    """A part of the page; `figure_mark` in the body is the place of a figure."""

    id: str
    title: str
    lead: str
    body: Markup
    figures: dict[str, Any] = field(default_factory=dict)


def figure_mark(name: str) -> Markup:
    """An element that stands for a figure; text of the table, escaped, cannot look like it."""
    return Markup('<i data-figure="{}"></i>').format(name)


def place(name: str, caption: str) -> Markup:
    """Where a figure goes, with a caption that says how to read it."""
    return Markup(
        '<figure role="group" aria-label="{0}">{1}<figcaption>{0}</figcaption></figure>'
    ).format(caption, figure_mark(name))


def table(heads: Sequence[str], lines: Iterable[Sequence[Any]], label: str) -> Markup:
    """A table that scrolls by itself; heads that end in '#' are of numbers, set to the right."""
    right = [head.endswith("#") for head in heads]

    def cells(tag: str, values: Sequence[Any]) -> Markup:
        return Markup("").join(
            Markup("<{0}{1}>{2}</{0}>").format(
                Markup(tag),
                Markup(' class="number"' if is_right else "")
                + Markup(' scope="col"' if tag == "th" else ""),
                value,
            )
            for value, is_right in zip(values, right, strict=True)
        )

    head = cells("th", [name.removesuffix("#") for name in heads])
    body = Markup("").join(Markup("<tr>{}</tr>\n").format(cells("td", line)) for line in lines)
    return Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table><thead><tr>{}</tr>'
        "</thead><tbody>{}</tbody></table></div>"
    ).format(label, head, body)


def percent(share: float) -> str:
    """A share in percent, with no more digits than one wants to read."""
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1 %"
    return f"{value:.1f}".removesuffix(".0") + " %" if value < 10 else f"{value:.0f} %"


def counted(count: int, what: str) -> str:
    """'1 row', '2 rows'."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def listed(names: Sequence[str], most: int = 4) -> str:
    """'a, b and c'; of many, the first."""
    names = [figures.plain(name, 40) for name in names]
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


# ---- the table -----------------------------------------------------------------------------------


def table_section(findings: Findings) -> Section:
    """Columns and their kinds, and what is missing."""
    encoded, missing = findings.encoded, findings.missing
    kinds: dict[str, int] = {}
    for column in encoded.columns:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    words = listed([f"{count} {kind}" for kind, count in kinds.items()], most=8)
    lines = [
        (
            column.name,
            column.kind,
            f"{column.n_missing:,}" + _share_of(column.n_missing, len(encoded.X)),
            f"{column.n_distinct:,}",
            column.done,
        )
        for column in encoded.columns[:MOST_LISTED]
    ]
    more = len(encoded.columns) - len(lines)
    body = table(["column", "kind", "missing#", "distinct#", "what was done"], lines, "columns")
    if more:
        body += Markup('<p class="muted">And {} more columns.</p>').format(f"{more:,}")
    drawn = {}
    if missing.n_missing:
        names = [encoded.used[j].name for j in missing.columns]
        drawn["missing"] = figures.missing_map(missing.bands, missing.edges, names)
        caption = "What is missing: columns to the right, rows downwards; the stronger, the more."
        body += Markup("<h3>What is missing</h3><p>{}</p>").format(pattern_sentence(findings))
        body += _patterns(missing.patterns)
        body += Markup('<div class="wide">{}</div>').format(place("missing", caption))
    holes = (
        "no value is missing"
        if missing.n_missing == 0
        else f"{missing.n_missing:,} values are missing "
        f"({percent(missing.n_missing / missing.n_cells)} of the used columns)"
    )
    rows = counted(len(encoded.X), "row")
    lead = f"{rows} and {counted(len(encoded.columns), 'column')}: {words}; {holes}."
    return Section("table", "The table", lead, body, drawn)


def _share_of(count: int, n: int) -> str:
    return f" ({percent(count / n)})" if count else ""


def pattern_sentence(findings: Findings) -> str:
    """Whether holes are where they are by chance."""
    missing = findings.missing
    complete = f"{missing.n_complete_rows:,} of {len(findings.encoded.X):,} rows are complete."
    if missing.patterns:
        return (
            f"{complete} Values are not missing at random: their holes go with other columns. What "
            "the models fill in takes these columns into account, but not what no column tells."
        )
    return f"{complete} There is no sign that holes go with other columns."


def _patterns(patterns: Sequence[Pattern]) -> Markup:
    items = Markup("").join(
        Markup("<li>{} is missing {} (correlation {})</li>").format(
            pattern.column, _goes_with(pattern), f"{pattern.correlation:+.2f}"
        )
        for pattern in patterns
    )
    return Markup("<ul>{}</ul>").format(items) if patterns else Markup("")


def _goes_with(pattern: Pattern) -> str:
    if pattern.together:
        how = "together with" if pattern.correlation > 0 else "where there is a value of"
        return f"{how} {pattern.other}"
    return f"more often where {pattern.other} is {'high' if pattern.correlation > 0 else 'low'}"


# ---- how many dimensions -------------------------------------------------------------------------


def rank_section(findings: Findings) -> Section:
    """The spectrum, parallel analysis and held-out entries."""
    spectrum = findings.spectrum
    drawn = {
        "scree": figures.scree(spectrum.share, spectrum.chance, spectrum.rank),
        "heldout": figures.criterion(
            spectrum.held_out.ranks,
            spectrum.held_out.curve,
            spectrum.held_out.errors,
            spectrum.rank,
            "components",
            "held-out error (1: column means)",
        ),
    }
    captions = [
        place("scree", "Share of each component. Above the line: more than shuffled columns give."),
        place("heldout", "Error on hidden values, by number of components, ± 1 standard error."),
    ]
    body = Markup('<div class="pair">{}{}</div>').format(*captions)
    if spectrum.kept != spectrum.rank:
        body += Markup('<p class="muted">The models below keep {}.</p>').format(
            f"{counted(spectrum.kept, 'component')}, so that rows can be drawn"
            if spectrum.kept > spectrum.rank
            else counted(spectrum.kept, "component")
        )
    return Section("dimensions", "How many dimensions", rank_sentence(findings), body, drawn)


def rank_sentence(findings: Findings) -> str:
    """How many dimensions, and why."""
    spectrum, d = findings.spectrum, findings.encoded.X.shape[1]
    error = spectrum.held_out.curve[spectrum.rank]
    parallel = counted(spectrum.parallel.choice, "component")
    if spectrum.rank == 0:
        return (
            "No component predicts hidden values better than the column means do: the columns tell "
            f"little about each other. By parallel analysis {parallel} would beat chance."
        )
    dimensions = counted(spectrum.rank, "dimension")
    share = percent(float(spectrum.share[: spectrum.rank].sum()))
    same = spectrum.rank == spectrum.parallel.choice
    chance = "parallel analysis agrees" if same else f"by parallel analysis, {parallel} beat chance"
    return (
        f"The {d} columns of numbers behave like {dimensions}, with {share} of the variance: the "
        f"fewest that predict hidden values nearly as well as any number does (error {error:.2f}, "
        f"where column means have 1); {chance}."
    )


# ---- the comparison ------------------------------------------------------------------------------


def contest_section(findings: Findings) -> Section | None:
    """Methods judged by the same hidden entries; None if they were not compared."""
    found = findings.comparison
    if found is None:
        return None
    error, spread = found["error"], found["std_error"]
    ran = ~np.isnan(error)
    drawn = {
        "contest": figures.contest(
            [name for name, good in zip(found.names, ran, strict=True) if good],
            error[ran],
            spread[ran],
            found["verdict"][ran] != "worse",
        )
    }
    lines = [
        (
            name,
            "" if np.isnan(error[e]) else f"{error[e]:.3f} ± {spread[e]:.3f}",
            found["verdict"][e],
            "" if np.isnan(found["seconds"][e]) else f"{found['seconds'][e]:.2f}",
            "" if found["parameters"][e] is None else f"{found['parameters'][e]:,}",
            found.failures.get(name) or _size(found.estimators[name]),
        )
        for e, name in enumerate(found.names)
    ]
    heads = ["method", "error#", "verdict", "seconds#", "parameters#", "best size"]
    caption = (
        "Error on hidden values, ± 2 standard errors; filled: the best, and what ties with it."
    )
    body = table(heads, lines, "comparison") + Markup(
        '<div class="wide">{}</div><p class="muted">{}. The hidden values are the same for all '
        "methods, and no method has seen them; of a few sizes near the chosen rank each method has "
        "the one that was best on other values.</p>"
    ).format(place("contest", caption), found.protocol)
    return Section("contest", "Which method", contest_sentence(found), body, drawn)


def _size(model: Any) -> str:
    """What was chosen of a method: the numbers that say how large it is."""
    shown = ("n_clusters", "n_components", "penalty", "covariance_type")
    settings = model.get_params(deep=False)
    return ", ".join(f"{name}={settings[name]!r}" for name in shown if name in settings)


def contest_sentence(found: Comparison) -> str:
    """Which method tells hidden values best."""
    if found.winner == "column means":
        return "No method tells hidden values better than the column means do."
    ties = [name for name in found.ties if name != found.winner]
    tied = f"; {listed(ties)} cannot be told from it" if ties else ""
    return (
        f"Hidden values are told best by {found.winner} (error {found['error'][0]:.2f}, where "
        f"column means have 1){tied}."
    )


# ---- factors -------------------------------------------------------------------------------------


def factor_section(findings: Findings) -> Section:
    """Rotated loadings, the correlation circle, and what the factors are about."""
    encoded, factors = findings.encoded, findings.factors
    names, k = encoded.feature_names, factors.rotated.shape[1]
    told = np.argsort(-factors.told, kind="stable")[: figures.MOST_FEATURES]
    # columns of one factor stand together
    main = np.abs(factors.rotated[told]).argmax(axis=1)
    shown = told[np.lexsort((-np.abs(factors.rotated[told, main]), main))]
    drawn = {
        "loadings": figures.heat_map(
            factors.rotated[shown],
            [names[f] for f in shown],
            [f"factor {j + 1}" for j in range(k)],
            "loadings",
            "correlation",
        )
    }
    pictures = [
        place("loadings", "Correlations of columns and rotated factors: blue up, orange down.")
    ]
    if k > 1:
        drawn["circle"] = figures.circle(factors.correlations, names)
        pictures.append(
            place("circle", "Correlations with the first two components, before rotation.")
        )
    lines = [
        (
            f"factor\u00a0{j + 1}",
            factors.names[j],
            percent(float((factors.rotated[:, j] ** 2).sum() / len(names))),
            _top(factors.rotated[:, j], names),
        )
        for j in range(k)
    ]
    heads = ["factor", "suggested name", "tells#", "columns it goes with"]
    body = table(heads, lines, "factors") + Markup('<div class="pair">{}</div>').format(
        Markup("").join(pictures)
    )
    rest = len(names) - len(shown)
    if rest > 0:
        body += Markup(
            '<p class="muted">The heat map has the {} columns of which the factors tell most; {} '
            "others are left out.</p>"
        ).format(len(shown), rest)
    return Section("factors", "The factors", factor_sentence(findings), body, drawn)


def factor_sentence(findings: Findings) -> str:
    """What the strongest factor is about, and what no factor tells."""
    factors, names = findings.factors, findings.encoded.feature_names
    told = percent(float(factors.told.mean()))
    least = int(np.argmin(factors.told))
    return (
        f"The strongest factor is about {figures.plain(factors.names[0], 90)}. All "
        f"together tell {told} of the columns; least of {figures.plain(names[least], 40)} "
        f"({percent(float(factors.told[least]))})."
    )


def _top(loadings: np.ndarray, names: Sequence[str]) -> Markup:
    top = np.argsort(-np.abs(loadings), kind="stable")[:MOST_TOP]
    return Markup(", ").join(
        Markup('{} <span class="{}">{}</span>').format(
            names[f], "high" if loadings[f] > 0 else "low", f"{loadings[f]:+.2f}"
        )
        for f in top
    )


# ---- the map -------------------------------------------------------------------------------------

_MAP = Markup("""
<div class="controls">
<label>Colour by <select id="map-color">{colors}</select></label>
<label>To the right <select id="map-x">{xs}</select></label>
<label>Upwards <select id="map-y">{ys}</select></label>
<label>Select all of <select id="map-pick"><option value="">…</option>{picks}</select></label>
<form id="map-find"><label>Find row <input id="map-row" size="8" autocomplete="off"></label>
<button>Find</button></form>
<button type="button" id="map-clear">Clear the selection</button>
</div>
<ul id="map-legend" aria-label="colours"></ul>
<div class="with-panel">
{figure}
<div class="panel" aria-live="polite">
<p id="map-said" class="muted">Nothing is selected.</p>
<h3 id="row-name">A row</h3>
<p class="muted">Tap a point, or find a row, to see its values.</p>
<div class="scroll" tabindex="0" role="region" aria-label="values of the row"><table>
<tbody id="row-values"></tbody></table></div>
</div>
</div>
<div id="difference" hidden>
<h3>How the selected rows differ from the others</h3>
<div class="scroll" tabindex="0" role="region" aria-label="differences"><table>
<thead><tr><th scope="col">column</th><th scope="col">selected</th><th scope="col">others</th>
<th scope="col">difference, in standard deviations</th></tr></thead>
<tbody id="difference-values"></tbody></table></div>
</div>
{note}{payload}
""")


def map_section(findings: Findings, seed: int) -> Section:
    """The rows in the plane of two components."""
    rows = map_rows(findings, seed)
    payload = map_payload(findings, rows)
    plane = findings.factors.plane
    coordinates = range(min(plane.shape[1], MOST_COORDINATES))
    first_words = [
        (f"{j}:{code}", word if j == 0 else f"{column['name']} = {word}")
        for j, column in enumerate(payload["columns"])
        if column["words"] is not None
        for code, word in enumerate(column["words"])
    ]
    names = [column["name"] for column in payload["columns"]]
    start = 1 if findings.encoded.target is not None else 0
    used, shown = len(findings.encoded.used), len(map_columns(findings, len(rows)))
    shown -= findings.encoded.target is not None
    notes = []
    if len(rows) < len(plane):
        notes.append(f"{MAP_ROWS:,} of the {len(plane):,} rows are drawn, chosen at random.")
    if shown < used:
        notes.append(f"Of the {used} columns the {shown} that the factors tell most of are here.")
    body = _MAP.format(
        colors=_options(enumerate(names), start),
        xs=_options(((j, f"component {j + 1}") for j in coordinates), 0),
        ys=_options(((j, f"component {j + 1}") for j in coordinates), 1),
        picks=_options(first_words, None),
        figure=place("map", "Each point is a row. Rows near each other are alike."),
        note=Markup('<p class="muted">{}</p>').format(" ".join(notes)) if notes else "",
        payload=json_script("map-data", payload),
    )
    lead = (
        "Rows that are alike lie close together; choose what colours them, and select some with "
        "the lasso or the box to see how they differ from the others."
    )
    return Section("map", "The map", lead, body, {"map": figures.row_map(plane, rows)})


def _options(choices: Iterable[tuple[Any, str]], selected: Any) -> Markup:
    return Markup("").join(
        Markup('<option value="{}"{}>{}</option>').format(
            value, Markup(" selected") if value == selected else "", figures.plain(text, 60)
        )
        for value, text in choices
    )


# ---- clusters ------------------------------------------------------------------------------------


def cluster_section(findings: Findings) -> Section:
    """How many groups, what makes them, and how sure they are."""
    encoded, clusters = findings.encoded, findings.clusters
    profiles, names = clusters.profiles, encoded.feature_names
    k = len(profiles.sizes)
    drawn, pictures = {}, []
    if clusters.choice is not None:
        drawn["bic"] = figures.criterion(
            clusters.choice.sizes,
            clusters.choice.curve,
            None,
            clusters.choice.choice,
            "clusters",
            "BIC",
        )
        pictures.append(place("bic", "The lower the BIC, the better that number of clusters."))
    if k > 1:
        spread = np.nanmax(np.abs(np.nan_to_num(profiles.contrasts)), axis=0)
        shown = np.sort(np.argsort(-spread, kind="stable")[: figures.MOST_FEATURES])
        drawn["profiles"] = figures.heat_map(
            profiles.contrasts[:, shown].T,
            [names[f] for f in shown],
            [f"cluster {j}" for j in range(k)],
            "cluster profiles",
            "from the mean, in deviations",
            largest=LARGEST_CONTRAST,
        )
        pictures.append(
            place("profiles", "Means of the clusters, in standard deviations from the whole.")
        )
    lines = [
        (
            str(j),
            f"{int(profiles.sizes[j]):,}",
            percent(profiles.sizes[j] / len(encoded.X)),
            _contrasts(profiles.contrasts[j], names),
            _row_names(encoded, [int(profiles.typical[j])]),
            _row_names(encoded, clusters.border[j]),
        )
        for j in np.argsort(-profiles.sizes, kind="stable")
    ]
    heads = ["cluster", "rows#", "share#", "what is high and low", "typical row", "border rows"]
    body = table(heads, lines, "clusters") + Markup('<div class="pair">{}</div>').format(
        Markup("").join(pictures)
    )
    return Section("clusters", "The clusters", cluster_sentence(findings), body, drawn)


def cluster_sentence(findings: Findings) -> str:
    """How many groups, and whether they would be found again."""
    clusters = findings.clusters
    k = len(clusters.profiles.sizes)
    if clusters.choice is None:
        return "There are too few different rows to look for clusters."
    if k == 1:
        return "The rows form one group: by BIC, more clusters do not describe them better."
    agreement = float(clusters.stability.mean())
    words = (
        "they are found again in resampled rows"
        if agreement >= 0.8
        else "resampled rows give similar ones"
        if agreement >= 0.5
        else "resampled rows give others: do not read much into them"
    )
    return (
        f"By BIC the rows form {k} clusters; {words} (agreement {agreement:.2f}, where 1 is the "
        "same and 0 is chance)."
    )


def _contrasts(contrast: np.ndarray, names: Sequence[str]) -> Markup:
    contrast = np.nan_to_num(contrast)
    top = np.argsort(-np.abs(contrast), kind="stable")[:MOST_TOP]
    return Markup(", ").join(
        Markup('<span class="{}">{}</span> {} ({})').format(
            "high" if contrast[f] > 0 else "low",
            "high" if contrast[f] > 0 else "low",
            names[f],
            f"{contrast[f]:+.1f}",
        )
        for f in top
        if abs(contrast[f]) >= LEAST_CONTRAST
    )


def _row_names(encoded: Encoded, rows: Sequence[int]) -> str:
    return ", ".join(encoded.label(row) for row in rows if row >= 0)


# ---- the filled table ----------------------------------------------------------------------------

_FILLED = Markup("""
<h3>Every value</h3>
<div class="controls">
<label>Column <select id="filled-column"><option value="">all</option>{columns}</select></label>
<button type="button" id="filled-before">Before</button>
<button type="button" id="filled-after">Next</button>
<span id="filled-place" class="muted" aria-live="polite"></span>
<button type="button" id="filled-download">Download as CSV</button>
</div>
<div class="scroll" tabindex="0" role="region" aria-label="filled values"><table>
<thead><tr><th scope="col">row</th><th scope="col">column</th><th scope="col">probably</th>
<th scope="col">how sure (95 % range)</th></tr></thead>
<tbody id="filled-values"></tbody></table></div>
{note}{payload}
""")


def filled_section(findings: Findings) -> Section | None:
    """What the missing values probably are; None if nothing is missing."""
    if not findings.filled:
        return None
    parts = filled_shown(findings.filled)
    lines = [
        (part.column.name, f"{len(part.rows):,}", percent(part.known), _trust(part.known))
        for part in findings.filled
    ]
    body = table(["column", "filled#", "known#", "in words"], lines, "filled columns")
    body += Markup('<p class="muted">{}</p>').format(_filled_by(findings))
    note = Markup("")
    if len(parts) < len(findings.filled):
        note = Markup(
            '<p class="muted">The page has room for the filled values of {} of {} columns; all are '
            "in the file that --filled writes.</p>"
        ).format(len(parts), len(findings.filled))
    if parts:
        body += _FILLED.format(
            columns=_options(((j, part.column.name) for j, part in enumerate(parts)), None),
            note=note,
            payload=json_script("filled-data", filled_payload(parts)),
        )
    else:
        body += note
    return Section("filled", "The filled table", filled_sentence(findings), body)


def filled_sentence(findings: Findings) -> str:
    """How well holes can be filled."""
    total = sum(len(part.rows) for part in findings.filled)
    known = sum(part.known * len(part.rows) for part in findings.filled) / total
    best = max(findings.filled, key=lambda part: part.known)
    value, is_ = ("value", "is") if total == 1 else ("values", "are")
    return (
        f"{total:,} missing {value} {is_} filled with what the other columns make likely; they "
        f"tell {percent(known)} of the variance on average, most of "
        f"{figures.plain(best.column.name, 40)} ({percent(best.known)})."
    )


def _filled_by(findings: Findings) -> str:
    """Which model filled the holes, and whether another might do better."""
    k, found = findings.spectrum.kept, findings.comparison
    text = f"Filled by probabilistic PCA with {counted(k, 'component')}."
    if found is None or found.winner in ("probabilistic PCA", "column means"):
        return text
    if "probabilistic PCA" in found.ties:
        return text
    return f"{text} On hidden values of this table {found.winner} did better: try it, too."


def _trust(known: float) -> str:
    if known >= 0.75:
        return "well known from the other columns"
    if known >= 0.4:
        return "a fair guess"
    return "hardly better than the mean" if known < 0.15 else "a rough guess"


# ---- odd rows ------------------------------------------------------------------------------------


def odd_section(findings: Findings) -> Section:
    """The least likely rows, and why."""
    encoded, odd = findings.encoded, findings.odd
    lines = [
        (
            encoded.label(row.row),
            chance_in_words(row.log10_chance),
            Markup("; ").join(
                Markup("{} is {} where {} is expected ({} deviations)").format(
                    reason.column,
                    Markup("<b>{}</b>").format(reason.value),
                    reason.expected,
                    f"{reason.deviations:.1f}",
                )
                for reason in row.reasons
            ),
        )
        for row in odd.rows
    ]
    most = np.argsort(odd.log10_chance, kind="stable")[: figures.MOST_ODD]
    labels = [figures.plain(encoded.label(int(i)), 60) for i in most]
    drawn = {"odd": figures.oddness(odd.log10_chance, labels, most)}
    caption = "How unlikely rows are under the factor model; above the line, too odd for chance."
    body = table(["row", "chance#", "what makes it odd"], lines, "odd rows") + Markup(
        '<div class="wide">{}</div>'
    ).format(place("odd", caption))
    if len(most) < len(odd.log10_chance):
        body += Markup('<p class="muted">The {} oddest rows are drawn.</p>').format(
            f"{len(most):,}"
        )
    return Section("odd", "The odd rows", odd_sentence(findings), body, drawn)


def chance_in_words(log10_chance: float) -> str:
    """'1 in 12,000'; of very small ones the power of ten."""
    if log10_chance < -7:
        return f"1 in 10^{-log10_chance:.0f}"
    rounded = float(f"{10.0**-log10_chance:.2g}")
    return f"1 in {rounded:,.0f}"


def odd_sentence(findings: Findings) -> str:
    """Whether rows are odder than chance allows."""
    odd = findings.odd
    if odd.n_odd == 0:
        return "No row is odder than chance allows in a table of this size."
    return (
        f"{counted(odd.n_odd, 'row')} {'is' if odd.n_odd == 1 else 'are'} odder than chance allows "
        "in a table of this size, if the columns were normally distributed: look at them first."
    )


# ---- what was done, and how to do it -------------------------------------------------------------


def done_section(findings: Findings) -> Section:
    """Everything that was done to the table."""
    n = len(findings.encoded.X)
    notes = []
    if findings.n_rows_read > n:
        notes.append(f"{n:,} of {findings.n_rows_read:,} rows were drawn at random, as asked.")
    logs = [*notes, *findings.encoded.notes, *findings.remarks]
    left = [column.name for column in findings.encoded.columns if not column.used]
    if left:
        logs.insert(0, f"No model has seen {listed(left, 12)}; the table above says why.")
    logs.append(
        "Numbers were scaled to mean 0 and variance 1; a word became one column per category, each "
        "over the root of its share, so that a column counts about the same however many "
        "categories it has. Missing values stayed missing: the models learn from what is known."
    )
    if findings.encoded.ids is None:
        logs.append("Rows go by their numbers, from 0.")
    seconds = ", ".join(f"{title} {value:.1f} s" for title, value in findings.seconds.items())
    items = Markup("").join(Markup("<li>{}</li>").format(text) for text in logs)
    body = Markup('<ul>{}</ul><p class="muted">Time: {}.</p>').format(items, seconds)
    lead = "What each column became is in the table at the top; this is what concerns all of it."
    return Section("done", "What was done to the data", lead, body)


def code_section(text: str) -> Section:
    """How to do the same in Python."""
    body = Markup(
        '<div class="controls"><button type="button" id="code-copy">Copy</button></div>'
        '<pre tabindex="0"><code id="code-text">{}</code></pre>'
    ).format(escape(text))
    lead = "This code gives the models of this page again; change it as you like."
    return Section("code", "How to do it in Python", lead, body)
