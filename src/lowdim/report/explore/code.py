"""The Python code that gives the models of the page again."""

from __future__ import annotations

from collections.abc import Sequence

from lowdim.report.explore.findings import (
    FIT_ROWS,
    LEAST_VARIANCE,
    Findings,
    rank_matrix,
    rank_rows,
)


def code(
    findings: Findings,
    source: str,
    *,
    target: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> str:
    """A script that repeats what the page did; `source` is the expression that gives the table."""
    n = len(findings.encoded.X)
    spectrum, clusters = findings.spectrum, findings.clusters
    named = {"target": target, "id": id, "drop": list(drop)}
    options = "".join(f", {name}={value!r}" for name, value in named.items() if value)
    sampled = (
        f"table = table.take(sample_rows(table.n_rows, {sample}, {seed}))\n"
        if sample is not None and findings.n_rows_read > n
        else ""
    )
    has_holes = findings.missing.n_missing > 0
    rows = f"sample_rows({n}, {FIT_ROWS}, {seed})"
    fitted = f"X[{rows}]" if has_holes and n > FIT_ROWS else "X"
    few = f"Z[{rows}]" if n > FIT_ROWS else "Z"
    most = rank_rows(rank_matrix(findings.encoded).shape[1])
    ranked = f"[sample_rows({n}, {most}, {seed})]" if n > most else ""
    width = clusters.model.means_.shape[1]
    mixture = clusters.model
    return f"""\
import lowdim
from lowdim.report.explore import encode_table, rank_matrix, read_table, sample_rows

# the table as numbers: NaN where a value is missing
table = read_table({source})
{sampled}encoded = encode_table(table{options})
X = encoded.X

# how many dimensions
R = rank_matrix(encoded){ranked}
print(lowdim.choose_rank(R, "parallel", random_state={seed}).choice)
print(lowdim.choose_rank(R, "bcv", max_rank={int(spectrum.held_out.ranks[-1])}, \
repeats=5, random_state={seed}).curve)

# factors
model = lowdim.ProbabilisticPCA(n_components={spectrum.kept}, random_state={seed}).fit({fitted})
codes = model.transform(X)

# clusters, along the components above chance
Z = codes[:, :{width}]
mixture = lowdim.GaussianMixture(
    n_components={mixture.n_components},
    covariance_type={mixture.covariance_type!r},
    reg_covar={LEAST_VARIANCE},
    n_init=2,
    random_state={seed},
).fit({few})
labels = mixture.predict(Z)

# missing values, and how sure they are
filled, std = model.impute(X, return_std=True)
{_decoded(findings)}
# odd rows have a low likelihood
likelihood = model.score_samples(X)
"""


def _decoded(findings: Findings) -> str:
    """How a column of numbers comes back to its own units."""
    for j, column in enumerate(findings.encoded.used):
        if column.kind != "categorical":
            return f"""\
column, place = encoded.used[{j}], encoded.spans[{j}]  # {column.name!r}
values = column.decode(filled[:, place])  # in the units of the table
"""
    return ""
