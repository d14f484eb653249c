"""The data of the page."""

import base64

import numpy as np

from lowdim.report.explore.payload import map_payload


def test_the_map_carries_values_exactly_enough(report, planted):

    findings = report.findings
    payload = map_payload(findings, np.arange(160))
    column = next(c for c in payload["columns"] if c["name"] == "b")
    steps = np.frombuffer(base64.b64decode(column["values"]), dtype="<u2")
    truth = planted()["b"].to_numpy()
    found = np.where(steps == 65535, np.nan, column["low"] + column["step"] * steps)
    np.testing.assert_allclose(found, truth, atol=np.nanmax(np.abs(truth)) * 1e-4)
