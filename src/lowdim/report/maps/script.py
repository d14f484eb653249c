"""The Python script that makes the maps of the page again, by the public names of lowdim."""

from __future__ import annotations

from typing import Any

from lowdim.report.explore.script import SOME_ROWS, call, opened_call, table_model_call
from lowdim.report.maps.findings import Findings, OneMap
from lowdim.report.maps.keeping import NEIGHBORS
from lowdim.report.placing import rows_with_values

FIRST_LINE = '"""The maps of a page of lowdim map, made again."""'


def script(findings: Findings) -> str:
    """A script that repeats what the page did."""
    X: Any = findings.encoded.rows.in_memory
    complete = len(rows_with_values(X)) == X.shape[0]
    parts = [_reading(findings, complete)]
    parts += [_map(one, findings, complete) for one in findings.maps]
    parts.append(_judged(findings, complete))
    body = "\n".join(parts)
    some = SOME_ROWS.format(seed=findings.settings.seed) if "some_rows(" in body else ""
    return f"{FIRST_LINE}\n\nimport numpy as np\n\nimport lowdim\n{some}\n{body}"


def _reading(findings: Findings, complete: bool) -> str:
    encoded = findings.encoded
    usable = (
        ""
        if complete
        else "with_values = np.flatnonzero(~np.isnan(X).all(axis=1))  # others have no place\n"
    )
    return f"""\
# the table, and its columns as numbers: NaN where a value is missing
table = {opened_call(encoded.table)}
encoder = {call(encoded.encoder)}.fit(table)
X = encoder.transform(table)
{usable}"""


def variable(one: OneMap) -> str:
    """What the script calls a map."""
    return one.kind.name.replace("-", "_")


def _map(one: OneMap, findings: Findings, complete: bool) -> str:
    name = variable(one)
    n = findings.n_placed
    rows = "" if complete else "[with_values]"
    said = ""
    if len(one.fitted) < n:
        some = f"some_rows({n}, {len(one.fitted)})"
        rows = f"[{some}]" if complete else f"[with_values[{some}]]"
        said = ", of a sample; the other rows are placed"
    whole = "table" if complete else "lowdim.tables.take_rows(table, with_values)"
    return f"""\
# {one.kind.title}{said}
{name} = {table_model_call(one.model.estimator, "encoder")}
{name}.fit_encoded(table, encoder, X{rows})
{name}_places = np.asarray({name}.transform({whole}))
"""


def _judged(findings: Findings, complete: bool) -> str:
    X, k = "X" if complete else "X[with_values]", min(NEIGHBORS, findings.truth.near.shape[1])
    lines = [
        f'print("{one.kind.title}")\n'
        f"print(lowdim.map_quality({X}, {variable(one)}_places, n_neighbors={k}))\n"
        for one in findings.maps
    ]
    return "# what each keeps of the data\n" + "".join(lines)
