"""What was done, in words."""

import numpy as np

from lowdim.report.topics.sections.account import done_section, script_section


def test_every_step_is_said(found):
    body = str(done_section(found).body)
    assert "stop words of the language" in body and "with 3 topics" in body
    assert f"at least {found.vocabulary.least}" in body and "Time: words" in body


def test_samples_and_bad_bytes_are_said(found):
    n = len(found.shares)
    reading = found.reading._replace(numbers=np.arange(n), n_read=999, asked=True)
    reading = reading._replace(bad=np.full(n, 2))
    body = str(done_section(found._replace(reading=reading)).body)
    assert f"{n} of 999 documents were drawn at random, as asked" in body
    assert f"{2 * n} bytes that are no characters became replacement signs" in body
    large = reading._replace(asked=False)
    assert "very large" in str(done_section(found._replace(reading=large)).body)


def test_remarks_are_listed(found):
    assert "<li>a &lt;b&gt; remark</li>" in str(
        done_section(found._replace(remarks=["a <b> remark"])).body
    )


def test_the_script_can_be_copied():
    assert 'id="script-copy"' in str(script_section("import lowdim").body)
