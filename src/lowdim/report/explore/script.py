"""The Python script that gives the models of the page again, by the public names of lowdim."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from lowdim.report.explore.findings import Findings
from lowdim.report.explore.planes import PLANES, plane_model
from lowdim.report.explore.sampling import FILL_ROWS, FIT_ROWS, MAP_FIT_ROWS
from lowdim.report.placing import rows_with_values
from lowdim.selection.auto import rank_rows
from lowdim.tables.table import Table

LONGEST_CALL = 80  # characters in one line
SOME_ROWS = '''

def some_rows(n, size):
    """So many different rows of n, drawn at random, in their order."""
    return np.sort(np.random.default_rng({seed}).choice(n, size, replace=False))

'''


FIRST_LINE = '"""The models of a page of lowdim explore, made again."""'


def script(findings: Findings, sample: int | None, seed: int) -> str:
    """A script that repeats what the page did.

    Parameters
    ----------
    findings : Findings
    sample : int or None
        How many rows were drawn.
    seed : int
    """
    parts = [
        _reading(findings, sample),
        _dimensions(findings, seed),
        _factors(findings),
        _clusters(findings),
        _filling(findings),
        "# odd rows have a low likelihood\nlikelihood = factors.score_samples(table)\n",
        _maps(findings, seed),
    ]
    body = "\n".join(part for part in parts if part)
    return _opening(body, seed) + "\n" + body


def _opening(body: str, seed: int) -> str:
    """Imports, and what the rest needs."""
    imports = "import numpy as np\nfrom sklearn.pipeline import Pipeline\n\nimport lowdim\n"
    function = SOME_ROWS.format(seed=seed) if "some_rows(" in body else ""
    return f"{FIRST_LINE}\n\n{imports}{function}"


def _reading(findings: Findings, sample: int | None) -> str:
    encoded = findings.encoded
    take = ""
    if sample is not None and findings.n_rows_read > len(encoded.X):
        rows = f"some_rows({findings.n_rows_read}, {sample})"
        take = f"table = lowdim.tables.take_rows(table, {rows})\n"
    return f"""\
# the table, and its columns as numbers: NaN where a value is missing
table = {opened_call(encoded.table)}
{take}encoder = {call(encoded.encoder)}.fit(table)
print(encoder.columns_)
{_unit_encoder(findings)}"""


def opened_call(table: Table) -> str:
    """What opens the table; one that was in memory is called `table`."""
    if table.path is None:
        return "lowdim.tables.open_table(table)  # what the page is about, in memory"
    given = "".join(f", {name}={value!r}" for name, value in table.asked.items())
    return f"lowdim.tables.open_table({table.path!r}{given})"


def _unit_encoder(findings: Findings) -> str:
    encoded = findings.encoded
    if encoded.unit_encoder is encoded.encoder:
        return "unit_encoder = encoder\n"
    return f"""
# where values are hidden or filled: without the largest level of each category, which follows
unit_encoder = {call(encoded.unit_encoder)}.fit(table)
"""


def _some(n: int, most: int) -> str:
    """Which rows a step looks at; '' for all."""
    return f"[some_rows({n}, {most})]" if n > most else ""


def _dimensions(findings: Findings, seed: int) -> str:
    n, d = findings.encoded.U.shape
    chosen, rows = findings.spectrum.held_out, _some(n, rank_rows(d))
    most, method = int(chosen.ranks[-1]), chosen.method
    return f"""\
# how many dimensions
X, U = encoder.transform(table){rows}, unit_encoder.transform(table){rows}
free = np.isin(encoder.get_feature_names_out(), unit_encoder.get_feature_names_out())
print(lowdim.choose_rank(X[:, free], "parallel", random_state={seed}).choice)
print(lowdim.choose_rank(U, {method!r}, max_rank={most}, repeats=5, random_state={seed}))
"""


def _factors(findings: Findings) -> str:
    model, X = findings.models["factors"], findings.encoded.X
    some = _some(len(X), FIT_ROWS) if np.isnan(X).any() else ""
    return f"""\
# factors, and the codes of the rows
factors = {table_model_call(model.estimator, "encoder")}
{_fit("factors", "encoder", some)}
codes = factors.transform(table)
"""


def _clusters(findings: Findings) -> str:
    model = findings.models["clusters"]
    return f"""\
# clusters, along the components above chance
clusters = {table_model_call(model.estimator, "encoder")}
{_fit("clusters", "encoder", _some(findings.encoded.X.shape[0], FIT_ROWS))}
labels = clusters.predict(table)
"""


def _filling(findings: Findings) -> str:
    if findings.filler is None:
        return ""
    model = findings.models["filling"]
    return f"""\
# missing values, by {findings.filler.name}
filling = {table_model_call(model.estimator, "unit_encoder")}
{_fit("filling", "unit_encoder", _some(findings.encoded.U.shape[0], FILL_ROWS))}
filled, std = filling.impute(table, return_std=True)
"""


def _maps(findings: Findings, seed: int) -> str:
    if not findings.maps:
        return ""
    usable = rows_with_values(findings.encoded.X)
    n, total = len(usable), len(findings.encoded.X)
    some = _some(n, MAP_FIT_ROWS)
    text = "# maps that keep who is next to whom\nX = encoder.transform(table)\n"
    if n < total:
        text += "X = X[~np.isnan(X).all(axis=1)]  # rows without values have no place\n"
    for name in findings.maps:
        model = call(plane_model(name, min(n, MAP_FIT_ROWS), seed))
        text += f"{PLANES[name].lower()} = {model}.fit(X{some})\n"
        text += f"{PLANES[name].lower()}_places = {PLANES[name].lower()}.transform(X)\n"
    return text


def _fit(name: str, encoder: str, some: str) -> str:
    if not some:
        return f"{name}.fit(table)"
    return f"{name}.fit_encoded(table, {encoder}, {encoder}.transform(table){some})"


# ---- calls as text -------------------------------------------------------------------------------


def table_model_call(estimator: Any, encoder: str) -> str:
    inner = _pipeline(estimator) if isinstance(estimator, Pipeline) else call(estimator)
    return spread("lowdim.TableModel", [inner, f"encoder={encoder}"])


def _pipeline(model: Pipeline) -> str:
    steps = [spread("", [f'"{name}"', call(step)]) for name, step in model.steps]
    return spread("Pipeline", [spread("", steps, "[", "]")])


def call(model: Any) -> str:
    """The call that makes a model, with the arguments that are not its defaults."""
    kind = type(model)
    usual = kind().get_params(deep=False)
    given = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(usual[name])
    }
    return spread(f"lowdim.{kind.__name__}", [f"{name}={v!r}" for name, v in given.items()])


def spread(head: str, arguments: list[str], left: str = "(", right: str = ")") -> str:
    """A call in one line, or with one argument in each."""
    line = f"{head}{left}{', '.join(arguments)}{right}"
    if len(line) <= LONGEST_CALL and "\n" not in line:
        return line
    inside = "".join(f"{argument},\n" for argument in arguments)
    return f"{head}{left}\n" + "".join(f"    {row}\n" for row in inside.splitlines()) + right
