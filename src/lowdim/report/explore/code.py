"""The Python code that gives the models of the page again."""

from __future__ import annotations

from typing import Any

from lowdim.report.explore.findings import (
    FILL_ROWS,
    FIT_ROWS,
    LEAST_VARIANCE,
    Findings,
    rank_matrix,
    rank_rows,
)


def code(findings: Findings, source: str, sample: int | None, seed: int, **options: Any) -> str:
    """A script that repeats what the page did.

    Parameters
    ----------
    findings : Findings
    source : str
        What stands between the brackets of `read_table`.
    sample : int or None
    seed : int
    **options
        Of `encode_table`, where they are not its defaults.
    """
    n = len(findings.encoded.X)
    is_sampled = sample is not None and findings.n_rows_read > n
    rows = f"sample_rows(table.n_rows, {sample}, {seed})" if is_sampled else ""
    parts = [
        _opening(findings),
        _reading(source, rows, options),
        _dimensions(findings, seed),
        _factors(findings, seed),
        _clusters(findings, seed),
        _filling(findings, seed),
        "# odd rows have a low likelihood\nlikelihood = model.score_samples(X)\n",
    ]
    return "\n".join(part for part in parts if part)


def _rows(n: int, most: int, seed: int) -> str:
    """Which rows a step looks at; '' for all."""
    return f"[sample_rows({n}, {most}, {seed})]" if n > most else ""


def _opening(findings: Findings) -> str:
    names = ["encode_table", "rank_matrix", "read_table", "sample_rows"]
    means = ""
    if findings.filler is not None:
        names = sorted([*names, "fill", "unit_matrix"])
        if findings.filler.name == "column means":
            means = "from lowdim.report.compare_models import ColumnMeans\n"
    return f"""\
import lowdim
{means}from lowdim.report.explore import {", ".join(names)}
"""


def _reading(source: str, rows: str, options: dict[str, Any]) -> str:
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    take = f"table = table.take({rows})\n" if rows else ""
    return f"""\
# the table as numbers: NaN where a value is missing
table = read_table({source})
{take}encoded = encode_table(table{given})
X = encoded.X
"""


def _dimensions(findings: Findings, seed: int) -> str:
    n, d = rank_matrix(findings.encoded).shape
    most = int(findings.spectrum.held_out.ranks[-1])
    return f"""\
# how many dimensions
R = rank_matrix(encoded){_rows(n, rank_rows(d), seed)}
print(lowdim.choose_rank(R, "parallel", random_state={seed}).choice)
print(lowdim.choose_rank(R, "bcv", max_rank={most}, repeats=5, random_state={seed}).curve)
"""


def _factors(findings: Findings, seed: int) -> str:
    n, has_holes = len(findings.encoded.X), findings.missing.n_missing > 0
    rows = _rows(n, FIT_ROWS, seed) if has_holes else ""
    k = findings.spectrum.kept
    return f"""\
# factors
model = lowdim.ProbabilisticPCA(n_components={k}, random_state={seed}).fit(X{rows})
codes = model.transform(X)
"""


def _clusters(findings: Findings, seed: int) -> str:
    mixture = findings.clusters.model
    return f"""\
# clusters, along the components above chance
Z = codes[:, :{mixture.means_.shape[1]}]
mixture = lowdim.GaussianMixture(
    n_components={mixture.n_components},
    covariance_type={mixture.covariance_type!r},
    reg_covar={LEAST_VARIANCE},
    n_init=2,
    random_state={seed},
).fit(Z{_rows(len(findings.encoded.X), FIT_ROWS, seed)})
labels = mixture.predict(Z)
"""


def _filling(findings: Findings, seed: int) -> str:
    if findings.filler is None:
        return ""
    rows = _rows(len(findings.encoded.X), FILL_ROWS, seed)
    return f"""\
# missing values with their 95 % ranges, by {findings.filler.name}
filler = {_constructor(findings.filler.model)}
filler.fit(unit_matrix(encoded){rows})
filled = fill(encoded, filler)
print(filled[0].column.name, filled[0].rows, filled[0].value, filled[0].low, filled[0].high)
"""


def _constructor(model: Any) -> str:
    """The call that makes a model, with the arguments that are not its defaults."""
    kind = type(model)
    usual = kind().get_params(deep=False)
    given = {name: v for name, v in model.get_params(deep=False).items() if v != usual[name]}
    home = "lowdim." if kind.__module__.startswith(("lowdim.linear", "lowdim.cluster")) else ""
    return f"{home}{kind.__name__}({', '.join(f'{name}={v!r}' for name, v in given.items())})"
